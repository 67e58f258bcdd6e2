#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "components/isa/kernel.h"
#include "tests/support/execution_trace/warp_traces.h"

namespace lookahead::test {

/// Holds what warps execute on SMs against the emulator's traces, instruction by instruction. TracedExtension feeds the
/// one that is current. SMs of one process only.
class TraceChecker {
  public:
    /// `expected` outlives it. It is current until it ends.
    explicit TraceChecker(const EmulatedTraces& expected);
    ~TraceChecker();
    TraceChecker(const TraceChecker&) = delete;
    TraceChecker& operator=(const TraceChecker&) = delete;
    /// Null if there is none.
    static TraceChecker* current() { return current_; }

    /// The warp issues its next instruction with those lanes for which its guard holds. Returns the step's number.
    std::size_t issued(const WarpName& name, const isa::Kernel& kernel, std::uint32_t pc, isa::LaneMask active);
    /// The values that the step wrote, once they are in the registers, in the order of append_written(); also if there
    /// are none.
    void written(const WarpName& name, const isa::Kernel& kernel, std::size_t step,
                 std::span<const std::uint32_t> words);

    /// At the end of the run: the first differences, a sentence each. A warp that has not executed or not written all
    /// that it should is one.
    const std::vector<std::string>& finish();
    std::uint64_t steps_compared() const { return steps_; }
    std::uint64_t words_compared() const { return words_; }

  private:
    /// How far a warp is.
    struct Progress {
        std::size_t issued = 0;
        std::size_t written = 0;
        bool lost = false;  ///< it took another path: later steps say nothing more
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
