// An SM's state and statistics.
#include "components/sm/multiprocessor/streaming_multiprocessor.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

void StreamingMultiprocessor::fields(StateArchive& archive) {
    archive& state_.counters& issue_.counters() & fetch_.cache_counters() & state_.constants.counters();
    LaunchState& launch = state_.launch;
    archive& launch.active& launch.ending& launch.first_warp_instruction& launch.first_thread_instruction;
    archive.plain(launch.fields);
    archive& launch.parameters& state_.warps.streams& state_.exchanges& ctas_& barriers_& issue_& fetch_& state_
        .constants& state_.registers& state_.attended& held_& phases_;
    archive& charged_until_& next_work_& next_memory_work_& memory_touched_& state_.warps.states& state_.memory_waits;
    if (archive.loading()) {
        state_.kernel = nullptr;
        if (launch.active) { resume_launch(); }
    }
    // With the launch's sizes; what an earlier one left is no part of the state.
    if (launch.active) { archive& state_.warps.scoreboard& state_.warps.map.rows(); }
    extensions_.fields(archive);
    archive& state_.wheel;
    for (const auto& scheduler : schedulers_) { scheduler->fields(archive); }
    memory_->fields(archive, launch.active ? std::span(std::as_const(state_.kernel->kernel().code))
                                           : std::span<const isa::Instruction>());
}

/// What follows from a launch that is under way, and what its beginning prepares.
void StreamingMultiprocessor::resume_launch() {
    set_up_launch();
    state_.warps.begin_launch(state_.kernel->scoreboard_words(), state_.kernel->kernel().registers);
    memory_->begin_launch(launch_on_sm());
    extensions_.for_each([](IssueExtension& extension) { extension.begin_launch(); });
}

void StreamingMultiprocessor::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name(), "sm", state_.counters);
    visit(visitor, name() + ".l1i", "read_only_cache", fetch_.cache_counters());
    visit(visitor, name() + ".constant_cache", "read_only_cache", state_.constants.counters());
    for (std::size_t i = 0; i < issue_.counters().size(); ++i) {
        const std::string scheduler = name() + ".scheduler" + std::to_string(i);
        visit(visitor, scheduler, "sm_scheduler", issue_.counters()[i]);
        schedulers_[i]->visit_statistics(visitor, scheduler);
    }
    extensions_.for_each([&](const IssueExtension& extension) { extension.visit_statistics(visitor, name()); });
    memory_->visit_statistics(visitor);
}

}  // namespace lookahead::gpu
