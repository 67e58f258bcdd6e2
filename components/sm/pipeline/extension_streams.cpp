#include "components/sm/pipeline/extension_streams.h"

#include <algorithm>
#include <utility>

#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

ExtensionStreams::ExtensionStreams(const IssueExtensionArguments& arguments, StreamPolicy& policy, Shape shape)
    : state_(arguments.state),
      issue_(arguments.issue),
      policy_(policy),
      shape_(std::move(shape)),
      set_(shape_.count),
      number_(static_cast<std::uint8_t>(arguments.state.extension_streams.size())),
      generations_(shape_.count, 0),
      last_(shape_.of_scheduler.size(), 0) {
    LOOKAHEAD_ASSERT(shape_.of_scheduler.size() == issue_.schedulers(), "streams for other schedulers than there are");
    state_.extension_streams.push_back(this);
    issue_.add_source(*this);
}

Cycle ExtensionStreams::longest_delay(const PipelineState& state, Cycle hold) {
    return std::max({Cycle{state.parameters.fetch_latency}, Cycle{state.parameters.branch_latency}, hold});
}

void ExtensionStreams::begin_launch() {
    set_.begin_launch(state_.kernel->scoreboard_words(), state_.kernel->first_predicate_bit());
    std::fill(last_.begin(), last_.end(), 0);
}

Stream& ExtensionStreams::start(unsigned stream) {
    generations_[stream] = (generations_[stream] + 1) % kGenerations;
    under_way_ &= ~context_bit(stream);
    set_.streams[stream].buffered = 0;
    hold(stream);
    return set_.streams[stream];
}

void ExtensionStreams::stop(unsigned stream) {
    under_way_ &= ~context_bit(stream);
    set_.streams[stream].buffered = 0;
    set_.states.set(stream, ContextState::vacant);
}

void ExtensionStreams::resume_after(unsigned stream, Cycle cycles, Cycle now) {
    if (cycles == 0) { return resume(stream); }
    const PipelineEvent event{PipelineEvent::Kind::stream_resumed, static_cast<std::uint16_t>(stream),
                              generations_[stream], number_};
    state_.wheel.schedule(now, now + cycles, event.packed());
}

void ExtensionStreams::renew(unsigned stream) {
    switch (set_.states.of(stream)) {
        case ContextState::vacant:
        case ContextState::held:
        case ContextState::branching:
            return;
        default:
            set_.states.set(stream,
                            set_.streams[stream].buffered == 0 ? ContextState::fetching : policy_.judge(stream));
    }
}

void ExtensionStreams::renew_waiting() {
    const ContextMask waiting = in(ContextState::blocked_by_memory) | in(ContextState::blocked_by_constants) |
                                in(ContextState::blocked_by_pipeline);
    for (const unsigned stream : waiting) { renew(stream); }
}

/// Call it when the stack has left `pc`: drops the buffer unless the next instruction follows. False: no lane is left.
bool ExtensionStreams::left(unsigned stream, std::uint32_t pc) {
    Stream& of = set_.streams[stream];
    --of.buffered;
    if (of.stack.pc() != pc + 1) {
        of.buffered = 0;
        policy_.jumped(stream);
    }
    return of.stack.runs();
}

bool ExtensionStreams::advance(unsigned stream) {
    isa::SimtState& stack = set_.streams[stream].stack;
    const std::uint32_t pc = stack.pc();
    stack.advance();
    if (!left(stream, pc)) { return false; }
    renew(stream);
    return true;
}

bool ExtensionStreams::branch(unsigned stream, isa::LaneMask taken, const isa::Instruction& instruction) {
    isa::SimtState& stack = set_.streams[stream].stack;
    const std::uint32_t pc = stack.pc();
    stack.branch(taken, instruction);
    return left(stream, pc);
}

void ExtensionStreams::go_to(unsigned stream, std::uint32_t pc, bool issued) {
    Stream& of = set_.streams[stream];
    const std::uint32_t from = of.stack.pc();
    of.stack.start(of.stack.model(), pc, of.stack.active());
    if (!issued && pc == from) { return; }
    if (issued && pc == from + 1) {
        --of.buffered;
        return renew(stream);
    }
    // A fetch under way is for another place. While a branch resolves there is no fetch, and the event that ends the
    // branch is still awaited.
    if (set_.states.of(stream) != ContextState::branching) {
        generations_[stream] = (generations_[stream] + 1) % kGenerations;
        under_way_ &= ~context_bit(stream);
    }
    of.buffered = 0;
    policy_.jumped(stream);
    renew(stream);
}

void ExtensionStreams::await_branch(unsigned stream, Cycle now, Cycle longer) {
    set_.states.set(stream, ContextState::branching);
    resume_after(stream, state_.parameters.branch_latency + longer, now);
}

bool ExtensionStreams::issue(unsigned scheduler, Cycle now) {
    if (running() == 0 || !policy_.may_issue()) { return false; }
    ContextMask ready = issue_.candidates(set_.states, shape_.of_scheduler[scheduler], scheduler, now);
    while (ready != 0) {
        const unsigned stream = next_in_turn(ready, last_[scheduler]);
        if (policy_.accepts(stream)) {
            last_[scheduler] = stream;
            policy_.issue(scheduler, stream, now);
            return true;
        }
        ready &= ~context_bit(stream);
    }
    return false;
}

Cycle ExtensionStreams::next_issue(Cycle now) const {
    return set_.states.ready() != 0 && policy_.may_issue() ? issue_.next_of_ready(set_.states, shape_.of_scheduler, now)
                                                           : kNever;
}

void ExtensionStreams::fetch_begun(unsigned stream, unsigned instructions, Cycle now) {
    under_way_ |= context_bit(stream);
    const PipelineEvent event{PipelineEvent::Kind::stream_fetched, static_cast<std::uint16_t>(stream),
                              generations_[stream] << kCountBits | instructions, number_};
    state_.wheel.schedule(now, now + state_.parameters.fetch_latency, event.packed());
}

void ExtensionStreams::fetched(unsigned stream, std::uint32_t detail) {
    if (is_current(stream, detail >> kCountBits)) {
        under_way_ &= ~context_bit(stream);
        set_.streams[stream].buffered = static_cast<std::uint8_t>(detail);
        renew(stream);
    }
}

void ExtensionStreams::resumed(unsigned stream, std::uint32_t generation) {
    if (is_current(stream, generation)) { resume(stream); }
}

void ExtensionStreams::fields(StateArchive& archive) {
    archive& set_.streams& set_.states& generations_& under_way_& refused_& last_;
    // Sized for the launch; values of an earlier launch are no state.
    if (state_.launch.active) { archive& set_.scoreboard& set_.map.rows(); }
}

}  // namespace lookahead::gpu
