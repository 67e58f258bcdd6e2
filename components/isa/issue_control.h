#pragma once

#include <cstdint>

namespace lookahead::isa {

/// What native code's compiler tells the SM about the issue of an instruction: when the warp's next instruction may
/// issue, and which of the warp's six dependence counters ("barriers" SB0 to SB5 in the code) it moves and waits for.
struct IssueControl {
    static constexpr unsigned kBarriers = 6;
    static constexpr std::uint8_t kNoBarrier = 7;

    std::uint8_t stall = 0;  ///< cycles from its issue to the earliest issue of the warp's next instruction, 0 as 1
    bool yields = false;     ///< the warp does not issue in the next cycle
    std::uint8_t write_barrier = kNoBarrier;  ///< counts the instruction from its issue until its result is written
    std::uint8_t read_barrier = kNoBarrier;   ///< counts it from its issue until its operands are read
    std::uint8_t waits = 0;                   ///< it issues when these counters, a bit each, are 0
    std::uint8_t reuse = 0;                   ///< the operands that stay in the register file's cache, a bit each

    /// Cycles from its issue to the earliest issue of the warp's next instruction.
    unsigned issue_distance() const { return stall > 1 ? stall : yields ? 2U : 1U; }
};

}  // namespace lookahead::isa
