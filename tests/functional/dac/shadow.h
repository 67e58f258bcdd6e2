#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "components/emulator/decoded_kernel.h"
#include "components/emulator/instruction_observer.h"
#include "tests/functional/dac/affine_interpreter.h"

namespace lookahead::dac {

/// The shadow check: watches the original kernels run, and compares the address of every access and the lanes of every
/// predicate that the pass decouples with the affine stream's entries for that warp and instruction, instance by
/// instance. The original's lanes serve as the stream's branch reports. Throws InternalError, with the place, at the
/// first difference. The original kernels are finalised with the transform `test_marks`, which marks the selected
/// instructions to distinguish them from later insertions with the same origin.
class Shadow final : public InstructionObserver {
  public:
    /// `transformed`: the same kernels after the pass.
    Shadow(const isa::KernelTable& transformed, bool checked) : transformed_(transformed), checked_(checked) {}

    void begin_launch(std::uint64_t number) override;
    void executing(const ExecutionPlace& place, isa::LaneMask active, const std::uint32_t* registers,
                   const isa::LaneMask* predicates) override;
    /// Requires that all entries have been compared; call it after the last launch.
    void end();

    std::uint64_t compared() const { return compared_; }

  private:
    using LaneMask = isa::LaneMask;
    using Cta = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    using Key = std::tuple<Cta, std::uint32_t, std::uint32_t>;  ///< CTA, warp, origin
    /// Executed instances and entries by warp and instruction, first in, first out.
    struct Instances {
        std::deque<Record> enqueued;
        std::deque<Record> executed;
        std::string place;  ///< of the last executed one
    };
    void prepare(const ExecutionPlace& place, const std::uint32_t* registers);
    AffineInterpreter& begin_cta(const isa::Dim3& ctaid, const isa::Dim3& block);
    void go_on(const isa::Dim3& ctaid, AffineInterpreter& interpreter);
    Record executed(const ExecutionPlace& place, LaneMask active, const std::uint32_t* registers,
                    const LaneMask* predicates) const;
    void compare(Instances& instances);

    const isa::KernelTable& transformed_;
    bool checked_;
    const isa::Kernel* kernel_ = nullptr;    ///< transformed, of this launch
    std::vector<EmulatedInstruction> code_;  ///< of the original
    std::set<std::uint32_t> compared_origins_;
    std::vector<bool> compared_at_;          ///< by instruction of the original
    std::vector<bool> reports_at_;           ///< by instruction of the original: branches where the affine stream waits
    const isa::Program* program_ = nullptr;  ///< the affine stream
    std::vector<std::uint32_t> constants_;
    std::map<Cta, std::unique_ptr<AffineInterpreter>> ctas_;
    std::map<Key, Instances> instances_;
    std::uint64_t compared_ = 0;
};

}  // namespace lookahead::dac
