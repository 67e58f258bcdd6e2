#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/param/parameters.h"
#include "core/stats/statistics.h"

namespace lookahead::cae {

struct CaeParameters {
    static constexpr std::string_view kPaper = "Kim et al., ISCA 2013, as in Wang and Lin, ISCA 2017, section 5.1";

    LOOKAHEAD_PARAMETER(
        bool, check, false,
        {.help = "Compares what an affine unit has written with the lanes' values: they must be a tuple. For tests.",
         .source = "no property of a machine"});
    LOOKAHEAD_ALL_DECLARED;
};

struct CaeCounters {
    LOOKAHEAD_COUNTER(instructions, "instruction", "Instructions of warps that the affine units executed.");
    LOOKAHEAD_COUNTER(of_scalars, "instruction",
                      "Part of instructions: those whose operands were the same for all threads.");
    LOOKAHEAD_COUNTER(multiplications, "instruction", "Part of instructions: products, with or without a sum.");
    LOOKAHEAD_COUNTER(threads, "thread instruction",
                      "Threads for which the affine units executed: lanes and registers that were spared.");
    LOOKAHEAD_COUNTER(
        expansions, "tuple",
        "Tuples that were expanded on the SIMT lanes because only some of a warp's threads write their register.");
    LOOKAHEAD_COUNTER(
        divergent, "instruction",
        "Instructions on tuples that the lanes executed because some of the warp's threads did not take part.");
    LOOKAHEAD_ALL_DECLARED;
};

/// What an operand is over the threads of a warp.
enum class Kind : std::uint8_t {
    scalar,  ///< one number
    affine,  ///< base + thread * offset, modulo 2 to the operand's width
    vector,  ///< not known to be either
};

/// Compact affine execution (Kim et al., ISCA 2013), provisioned as by Wang and Lin (ISCA 2017, section 5.1). At run
/// time it marks the registers whose values are tuples (base, offset). An instruction on tuples that all threads of its
/// warp execute goes to its scheduler's affine unit instead of to the lanes; its issue takes one cycle, whatever
/// sm.issue_interval is. Values and latencies do not change.
class Cae final : public gpu::IssueExtension, private gpu::OwnUnit {
  public:
    using Parameters = CaeParameters;

    Cae(const CaeParameters& parameters, const gpu::IssueExtensionArguments& arguments);

    void begin_launch() override;
    void warp_started(unsigned context) override;
    bool classify(unsigned context) override;
    void before_execution(unsigned context, Cycle now) override;
    gpu::OwnUnit* own_unit() override { return this; }
    Cycle enters(unsigned context, Cycle now) override;
    void supplied(unsigned context, std::uint32_t pc, isa::LaneMask lanes) override;

    const CaeCounters& counters() const { return counters_; }

    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override {
        visit(visitor, sm, "cae", counters_);
    }
    void fields(StateArchive& archive) override;

  private:
    /// The rows that the affine unit wrote last for a warp, kept for comparison.
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
    unsigned registers_ = 0;            ///< registers of a warp in this launch
    std::vector<std::uint8_t> tuples_;  ///< by context and register number: whether the value is a tuple
    std::array<Written, gpu::kMaximumContexts> last_{};
    bool own_ = false;  ///< the instruction being issued goes to the affine unit; set during its issue only
    CaeCounters counters_;
};

}  // namespace lookahead::cae
