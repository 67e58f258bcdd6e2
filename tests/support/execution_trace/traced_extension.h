#pragma once

#include <memory>
#include <string>
#include <vector>

#include "components/mechanisms/pmode/pmode_parameters.h"
#include "components/sm/context_states.h"
#include "components/sm/pipeline/issue_extension.h"
#include "tests/support/execution_trace/warp_traces.h"

namespace lookahead::test {

/// Passes everything on to an issue extension, or to none, and tells the current TraceChecker what warps execute by
/// themselves or get from the extension as executed. It changes nothing of what it passes on; checkpoints do not hold
/// what it knows. Its variants of "sm.issue_extension" are "traced", a plain SM, and "traced_pmode", whose parameters are
/// "traced_pmode.*"; a further mechanism adds one.
class TracedExtension : public gpu::IssueExtension {
  public:
    TracedExtension(const gpu::IssueExtensionArguments& arguments, std::unique_ptr<gpu::IssueExtension> inner);

    gpu::IssueExtension* inner() { return inner_.get(); }

    void begin_launch() override;
    void warp_started(unsigned context) override;
    void warp_exited(unsigned context) override;
    void begin_cycle(Cycle now) override;
    bool classify(unsigned context) override;
    bool supply(unsigned context, Cycle now) override;
    void before_execution(unsigned context, Cycle now) override;
    void collecting(unsigned context, const std::uint16_t* rows, unsigned count, Cycle collected, Cycle now) override;
    void transferred(unsigned context) override;
    void written_back(unsigned context, std::uint32_t pc) override;
    gpu::ContextMask wants_fetch() const override;
    std::uint32_t fetch_pc(unsigned context) const override;
    void fetch_begun(unsigned context, unsigned instructions, Cycle now) override;
    gpu::ContextMask extended() const override;
    bool issue(unsigned scheduler, Cycle now) override;
    Cycle next_issue(Cycle now) const override;
    void event(unsigned context, std::uint32_t detail, Cycle now) override;
    void load_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) override;
    void constants_came() override;
    void audit(Audit& audit, const std::string& sm) const override;
    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override;
    void fields(StateArchive& archive) override;

  private:
    /// An instruction that has issued and is not told as written.
    struct Step {
        std::size_t number;
        std::uint32_t pc;
        isa::LaneMask active;
    };
    struct Warp {
        WarpName name{};
        std::vector<Step> steps;  ///< at most one that is no load
    };
    /// While it lives the extension sees its own PipelineState::attended; else every context is attended.
    class Turn;

    /// Whether the extension wants to hear of the context.
    bool attends(unsigned context) const;
    bool awaits_memory(const Step& step) const;
    Step issued(unsigned context, std::uint32_t pc, isa::LaneMask active);
    void written(unsigned context, const Step& step);
    void finish_last(unsigned context);

    gpu::PipelineState& state_;
    gpu::ExecuteStage& execute_;
    std::unique_ptr<gpu::IssueExtension> inner_;
    gpu::ContextMask attended_ = 0;
    unsigned depth_ = 0;
    std::vector<Warp> warps_;
    std::vector<std::uint32_t> words_;
};

class TracedPmode final : public TracedExtension {
  public:
    using Parameters = gpu::PmodeParameters;
    TracedPmode(const Parameters& parameters, const gpu::IssueExtensionArguments& arguments);
};

class TracedBaseline final : public TracedExtension {
  public:
    explicit TracedBaseline(const gpu::IssueExtensionArguments& arguments) : TracedExtension(arguments, nullptr) {}
};

}  // namespace lookahead::test
