#pragma once

#include "components/sm/pipeline/issue_extension.h"
#include "tests/support/execution_trace/warp_traces.h"

namespace lookahead::test {

/// Reports to the current TraceChecker the instructions that warps execute themselves, or that another extension
/// executes for them: "sm.issue_extension" = "traced" on a plain SM, "traced+pmode" with P-mode. It changes nothing;
/// checkpoints do not contain its state.
class TracedExtension final : public gpu::IssueExtension {
  public:
    explicit TracedExtension(const gpu::IssueExtensionArguments& arguments);

    void warp_started(unsigned context) override;
    void warp_exited(unsigned context) override { finish_last(context); }
    bool supply(unsigned context, Cycle now) override;
    void supplied(unsigned context, std::uint32_t pc, isa::LaneMask lanes) override;
    void before_execution(unsigned context, Cycle now) override;
    void written_back(unsigned context, std::uint32_t pc, bool all) override;

  private:
    /// An instruction that has issued and has not been reported as written.
    struct Step {
        std::size_t number;
        std::uint32_t pc;
        isa::LaneMask active;
        std::map<unsigned, std::vector<std::uint32_t>> rows;  ///< a vector's elements that came before the last one
    };
    struct Warp {
        WarpName name{};
        std::vector<Step> steps;  ///< at most one is not a load
    };

    bool awaits_memory(const Step& step) const;
    Step issued(unsigned context, std::uint32_t pc, isa::LaneMask active);
    void written(unsigned context, const Step& step);
    void finish_last(unsigned context);

    gpu::ExecuteStage& execute_;
    std::vector<Warp> warps_;
    std::vector<std::uint32_t> words_;
};

}  // namespace lookahead::test
