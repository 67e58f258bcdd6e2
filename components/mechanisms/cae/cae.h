#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "components/mechanisms/cae/cae_counters.h"
#include "components/mechanisms/cae/cae_parameters.h"
#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::cae {

/// What an operand is for the threads of a warp.
enum class Kind : std::uint8_t {
    scalar,  ///< the same number
    affine,  ///< base + thread * offset, modulo 2 to the operand's width
    vector,  ///< not known to be either
};

/// Compact affine execution (Kim et al., ISCA 2013), as Wang and Lin (ISCA 2017, section 5.1) provision it: registers
/// are marked at run time if their values are tuples (base, offset), and an instruction on tuples that all threads of
/// its warp execute goes to an affine unit of its scheduler's own instead of the lanes. Its issue takes one cycle,
/// whatever sm.issue_interval is. What is computed, and when it may be used, stays.
class Cae final : public gpu::IssueExtension {
  public:
    using Parameters = CaeParameters;

    Cae(const CaeParameters& parameters, const gpu::IssueExtensionArguments& arguments);

    void begin_launch() override;
    void warp_started(unsigned context) override;
    bool classify(unsigned context) override;
    void before_execution(unsigned context, Cycle now) override;
    Cycle enters_own_unit(unsigned context, Cycle now) override;
    void supplied(unsigned context, std::uint32_t pc, isa::LaneMask lanes) override;

    const CaeCounters& counters() const { return counters_; }

    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override;
    void fields(StateArchive& archive) override;

  private:
    /// What the affine unit wrote last for a warp, to be compared.
    struct Written {
        std::uint16_t first = 0;
        std::uint8_t rows = 0;

        void fields(StateArchive& archive) { archive& first& rows; }
    };

    bool is_tuple(unsigned context, unsigned number) const { return tuples_[context * registers_ + number] != 0; }
    void mark(unsigned context, const isa::Instruction& instruction, bool tuple);
    std::uint64_t value(unsigned context, const isa::Operand& operand, unsigned lane) const;
    Kind kind_of(unsigned context, const isa::Operand& operand, isa::LaneMask lanes,
                 isa::Type widened_from = isa::Type::none) const;
    bool special_is_tuple(unsigned context, const isa::Instruction& instruction, isa::LaneMask lanes) const;
    Kind worst_kind(unsigned context, const gpu::DecodedInstruction& decoded, isa::LaneMask lanes) const;
    bool takes_tuples(unsigned context, const gpu::DecodedInstruction& decoded, isa::LaneMask lanes) const;
    bool is_affine(unsigned context) const;
    void written(unsigned context, const isa::Instruction& instruction, isa::LaneMask lanes, bool tuple);
    void compare(unsigned context);

    CaeParameters parameters_;
    gpu::IssueStage& issue_;
    gpu::ExecuteStage& execute_;
    unsigned registers_ = 0;            ///< of a warp, in this launch
    std::vector<std::uint8_t> tuples_;  ///< by context and register number: its values are a tuple
    std::array<Written, gpu::kMaximumContexts> last_{};
    bool own_ = false;  ///< the instruction that issues goes to the affine unit; within its issue
    CaeCounters counters_;
};

}  // namespace lookahead::cae
