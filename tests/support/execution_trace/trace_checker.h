#pragma once

#include <string>

#include "tests/support/execution_trace/warp_traces.h"

namespace lookahead::test {

/// Compares the execution of warps on SMs with the emulator's traces, instruction by instruction. TracedExtension
/// reports to the current checker. Supports SMs of one process only.
class TraceChecker {
  public:
    /// `expected` must outlive it. It is current until it is destroyed.
    explicit TraceChecker(const EmulatedTraces& expected);
    ~TraceChecker();
    TraceChecker(const TraceChecker&) = delete;
    TraceChecker& operator=(const TraceChecker&) = delete;
    /// Null if there is none.
    static TraceChecker* current() { return current_; }

    /// The warp issues its next instruction in the lanes for which its guard holds. Returns the step's number.
    std::size_t issued(const WarpName& name, const isa::Kernel& kernel, std::uint32_t pc, isa::LaneMask active);
    /// The values that the step wrote, once they are in the registers, in the order of append_written(). Call it even
    /// if there are none.
    void written(const WarpName& name, const isa::Kernel& kernel, std::size_t step,
                 std::span<const std::uint32_t> words);

    /// Call it at the end of the run: returns the first differences, one sentence each. A warp with missing
    /// instructions or writes is a difference.
    const std::vector<std::string>& finish();
    std::uint64_t steps_compared() const { return steps_; }
    std::uint64_t words_compared() const { return words_; }

  private:
    /// The progress of a warp.
    struct Progress {
        std::size_t issued = 0;
        std::size_t written = 0;
        bool lost = false;  ///< it took another path: later steps mean nothing
    };
    static constexpr std::size_t kDifferences = 8;

    void differ(const WarpName& name, const std::string& how);

    const EmulatedTraces& expected_;
    std::map<WarpName, Progress> warps_;
    std::vector<std::string> differences_;
    std::uint64_t steps_ = 0;
    std::uint64_t words_ = 0;
    static TraceChecker* current_;
};

}  // namespace lookahead::test
