#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "components/isa/kernel.h"
#include "components/isa/modes.h"
#include "components/mechanisms/dac/affine_cta.h"

namespace lookahead::dac {

/// An enqueue's part for one warp.
struct Record {
    std::uint32_t origin = 0;  ///< of the instruction and of its dequeue
    isa::QueueMode mode = isa::QueueMode::address;
    isa::LaneMask active = 0;
    isa::LaneMask holds = 0;                              ///< for a predicate: lanes of `active` for which it holds
    std::array<std::uint64_t, isa::kWarpSize> address{};  ///< other modes: the access's, by lane of `active`
};

/// By warp of a CTA, in the order of dequeueing.
struct WarpQueues {
    std::deque<Record> addresses;
    std::deque<Record> predicates;
};

/// Executes an affine stream for one CTA in a plain way: the reference for the timing model's affine warp. One stack
/// serves the whole CTA (section 4.5), in the order of a warp's own: lanes that fall through go first.
class AffineInterpreter {
  public:
    /// `constants`: the launch's constant rows, as isa::make_constant_rows lays them out for `kernel`. `checked`:
    /// compares each new tuple, thread by thread, with the instruction's result on plain numbers. Throws InternalError
    /// if a tuple cannot be made or is wrong, contrary to the analysis.
    AffineInterpreter(const isa::Kernel& kernel, const isa::Program& program, const isa::Dim3& block,
                      std::vector<std::uint32_t> constants, const isa::Dim3& ctaid, bool checked);

    /// Runs to the end (true), or until it needs a warp's report on a branch.
    bool run();
    /// Lanes of the warp reach a branch with a predicate that holds for `holds`. Compares `lanes`, if given, with the
    /// affine stream's there.
    void report(unsigned warp, std::uint32_t origin, std::optional<isa::LaneMask> lanes, isa::LaneMask holds) {
        reports_[warp].push_back({origin, lanes, holds});
    }
    std::vector<WarpQueues>& queues() { return queues_; }

    /// The most tuples that the active threads had in one operand.
    std::size_t most_tuples() const { return cta_.most_tuples(); }

  private:
    struct Path {
        std::uint32_t pc = 0;
        std::uint32_t join = isa::kNoTarget;
        Threads threads{};
    };

    struct Report {
        std::uint32_t origin = 0;
        std::optional<isa::LaneMask> lanes;
        isa::LaneMask holds = 0;
    };

    bool step();
    bool take_reports(const isa::Instruction& instruction, std::uint32_t origin, const Threads& active);
    void branch(const isa::Instruction& instruction, const Threads& taken);
    void advance();
    void leave(const Threads& threads);
    void enqueue(std::uint32_t pc, const Threads& active);
    const isa::Kernel& kernel_;
    AffineLaunch launch_;
    AffineCta cta_;
    AffineRegister addresses_;
    std::vector<Path> paths_;  ///< the last one runs
    std::vector<WarpQueues> queues_;
    std::vector<std::deque<Report>> reports_;  ///< by warp
};

}  // namespace lookahead::dac
