#include "components/emulator/grid_runner.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead {

namespace {

/// Instructions that a warp runs in one turn while one CTA is under way.
constexpr std::uint64_t kStretch = 1 << 16;
/// The same among CTAs that wait for one another, most of which only wait, and among warps that sleep while they wait.
constexpr std::uint64_t kShortStretch = 1 << 8;

/// Instructions of each warp of a CTA, without a sign of progress, after which the CTA seems to wait: a few rounds of
/// the loops in which real programs wait, with all their paths. They may include barriers of the CTA.
constexpr std::uint64_t kWaitsSince = 1 << 14;
/// The same if it keeps changing memory, as a loop does that counts its rounds there.
constexpr std::uint64_t kLongRun = 1 << 20;
/// Instructions without a sign of progress after which to look for a livelock.
constexpr std::uint64_t kLongQuiet = 1 << 20;

/// The machine ISA has a nop for a sleep.
bool sleeps(const isa::Kernel& kernel) {
    return std::ranges::any_of(
        kernel.code, [](const isa::Instruction& instruction) { return instruction.operation == isa::Operation::nop; });
}

bool has_waiting_loops(const isa::Kernel& kernel) {
    return std::ranges::any_of(kernel.code, [](const isa::Instruction& instruction) { return instruction.yields; });
}

}  // namespace

GridRunner::GridRunner(LaunchState& launch, const FlatMemory& memory, const Allocator& allocator,
                       AccessObserver* observer)
    : launch_(launch),
      memory_(memory),
      allocator_(allocator),
      observer_(observer),
      ctas_(launch.configuration.grid.count()),
      may_wait_(has_waiting_loops(*launch.kernel)),
      sleeps_(sleeps(*launch.kernel)),
      together_(launch.kernel->synchronises_grid ? ctas_ : 1),
      long_run_(kLongRun),
      long_quiet_(kLongQuiet) {}

void GridRunner::run() {
    for (begin_ctas(); !running_.empty(); end_ctas()) {
        const std::uint64_t stretch = running_.size() == 1 && !sleeps_ ? kStretch : kShortStretch;
        for (RunningCta& cta : running_) { cta.runner.run_round(stretch, may_wait_ ? kStretch : kLongQuiet); }
        consider_waiting();
    }
}

void GridRunner::begin_next(CtaRunner& runner) {
    runner.begin(isa::cta_position(launch_.configuration.grid, begun_++));
}

void GridRunner::begin_ctas() {
    while (running_.size() < together_ && begun_ < ctas_) {
        begin_next(running_.emplace_back(launch_, memory_, allocator_, observer_).runner);
    }
}

/// Ended CTAs make room for others, as on a GPU.
void GridRunner::end_ctas() {
    for (RunningCta& cta : running_) {
        if (cta.runner.done() && begun_ < ctas_) { begin_next(cta.runner); }
    }
    while (!running_.empty() && running_.front().runner.done()) { running_.pop_front(); }
    while (!running_.empty() && running_.back().runner.done()) { running_.pop_back(); }
}

void GridRunner::consider_waiting() {
    const auto all = [this](auto condition) {
        return std::ranges::all_of(running_,
                                   [&](const RunningCta& cta) { return cta.runner.done() || condition(cta.runner); });
    };
    if (std::ranges::all_of(running_, [](const RunningCta& cta) { return cta.runner.done(); })) { return; }
    if (may_wait_ && begun_ < ctas_) {
        const bool waiting = all([](const CtaRunner& cta) { return cta.quiet() >= kWaitsSince; });
        const bool long_run = all([this](const CtaRunner& cta) { return cta.uninterrupted() >= long_run_; });
        if (waiting || long_run) { widen(); }
        if (long_run) { long_run_ *= 2; }
    } else if (all([this](const CtaRunner& cta) { return cta.quiet() >= long_quiet_; })) {
        look_for_livelock();
    }
}

void GridRunner::widen() {
    together_ *= 2;
    for (RunningCta& cta : running_) { cta.runner.restart_patience(); }
    begin_ctas();
}

void GridRunner::look_for_livelock() {
    std::string livelock;
    for (RunningCta& cta : running_) {
        if (cta.runner.done()) { continue; }
        const std::optional<std::string> spinning = cta.runner.find_livelock();
        if (!spinning) {
            long_quiet_ *= 2;
            return;
        }
        if (livelock.empty()) { livelock = *spinning; }
    }
    if (begun_ == ctas_) { throw ProgramError(livelock); }
    widen();
}

}  // namespace lookahead
