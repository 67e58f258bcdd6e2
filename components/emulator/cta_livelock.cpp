// Finds CTAs whose warps repeat themselves for ever.
//
// A CTA is a deterministic machine while nothing else changes memory. If every warp that can run returns to an earlier
// state, and on the way no byte of memory changes and no clock is read, it will do so again and again.
#include <fmt/core.h>

#include "components/emulator/cta.h"
#include "core/state/archives.h"

namespace lookahead {

using isa::LaneMask;

namespace {

/// Instructions within which a spinning warp must return to a state: a loop's, with all its paths in turn.
constexpr unsigned kLongestCycle = 1 << 14;

}  // namespace

std::uint64_t CtaRunner::state_of(Warp& warp) const {
    StateHasher hasher;
    hasher.add_bytes(warp.frame, launch_.kernel->registers * sizeof(isa::Row));
    for (unsigned i = 0; i < isa::kPredicateRegisters; ++i) { hasher.add(warp.predicates[i]); }
    HashingArchive archive(hasher);
    warp.simt.path_fields(archive);
    return hasher.value();
}

/// Runs the warp until it returns to its present state; false if it does not.
bool CtaRunner::repeats(Warp& warp) {
    const std::uint64_t state = state_of(warp);
    const std::uint32_t pc = warp.simt.pc();
    for (unsigned i = 0; i < kLongestCycle; ++i) {
        if (launch_.executed == launch_.instruction_limit) { return false; }
        step(warp);
        if (warp.simt.done() || warp.waits()) { return false; }
        if (warp.simt.pc() == pc && state_of(warp) == state) { return true; }
    }
    return false;
}

std::optional<std::string> CtaRunner::find_livelock() {
    memory_.watch();
    clock_read_ = false;
    std::string spinning;
    for (Warp& warp : warps_) {
        if (warp.simt.done() || warp.waits()) { continue; }
        const std::uint32_t pc = warp.simt.pc();
        const LaneMask lanes = warp.simt.active();
        if (!repeats(warp)) { return std::nullopt; }
        spinning +=
            fmt::format("{}warp {} with lanes {:#010x} repeats what it does at {}", spinning.empty() ? "" : "; ",
                        warp.first_thread / isa::kWarpSize, lanes, describe_pc(pc));
        const LaneMask others = warp.simt.alive() & ~lanes;
        if (others != 0 && warp.simt.model() == isa::SimtModel::stack) {
            spinning += fmt::format(
                ", so its lanes {:#010x} never run; on a reconvergence stack they cannot (sm.simt=convergence_barrier "
                "runs them)",
                others);
        }
    }
    if (memory_.changed() || clock_read_) { return std::nullopt; }
    return fmt::format("{}: livelock: {}", describe_cta(), spinning);
}

}  // namespace lookahead
