// The workload `trace`: the copies and launches of a program that was traced on a GPU. Its values are not known, so
// that its outputs stay unchecked.
#include <algorithm>
#include <vector>

#include "components/cache/l1_companion.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/frontend/trace/trace.h"
#include "components/isa/address_space.h"
#include "components/sm/pipeline/issue_extension.h"
#include "core/error/error.h"
#include "experiments/run/native_code.h"
#include "experiments/run/program_language.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

struct TraceParameters {
    LOOKAHEAD_PARAMETER(
        std::string, file, {},
        {.help = "The list of the program's traces, kernelslist.g, or the trace of one launch: .traceg, "
                 ".traceg.xz or .tracez."});
    LOOKAHEAD_ALL_DECLARED;
};

namespace {

class TracedProgram : public Workload {
  public:
    using Parameters = TraceParameters;

    TracedProgram(const Parameters& parameters, const WorkloadContext&) : file_(parameters.file) {
        if (file_.empty()) {
            throw ConfigurationError("the workload trace needs a file: give --set file=kernelslist.g");
        }
        trace_ = trace::read_trace(file_);
    }

    ProgramCode code() const override { return {"", file_, "trace"}; }
    const isa::KernelTable& kernels() const { return trace_.kernels; }
    std::uint64_t launches() const override { return trace_.kernels.size(); }

    void run(Device& device) override {
        if (trace_.memory_bytes != 0) {
            const DeviceAddress memory = device.allocate(trace_.memory_bytes);
            LOOKAHEAD_ASSERT(memory == isa::kGlobalBase, "the first allocation is at {:#x}", memory);
        }
        for (const trace::TraceStep& step : trace_.steps) {
            if (step.kind == trace::TraceStep::Kind::launch) {
                device.launch(trace_.kernels[step.kernel].name, {step.grid, step.block, 0}, {});
            } else {
                device.copy_to_device(step.address, std::vector<std::byte>(step.bytes));
            }
        }
    }

    CheckReport check() const override { return {Outputs::unchecked, "a trace has no values"}; }

  private:
    std::string file_;
    trace::Trace trace_;
};

LOOKAHEAD_REGISTER_VARIANT(Workload, TracedProgram, "trace",
                           "A program that was traced on a GPU (accel-sim's format); outputs unchecked.", "")

/// Refuses what works on values or changes code.
void check_configuration(const Configuration& configuration) {
    const auto refuse = [](const std::string& key, const std::string& value, const char* reason) {
        throw ConfigurationError("a trace does not go with {} = {}, {}", key, value, reason);
    };
    if (const auto cubin = configuration.read<ProgramParameters>("program").cubin; !cubin.empty()) {
        refuse("program.cubin", cubin, "because it is the code");
    }
    if (finaliser::configured_transform(configuration) != nullptr) {
        refuse("kernel.transform", chosen_variant<finaliser::KernelTransform>(configuration), "which changes the code");
    }
    constexpr const char* kValues = "which computes with values that a trace does not have";
    if (const auto names = joined_variants<gpu::IssueExtension>(configuration); !names.empty()) {
        refuse("sm.issue_extension", names.front(), kValues);
    }
    if (const auto name = chosen_variant<gpu::L1Companion>(configuration); name != "none") {
        refuse("l1d.companion", name, kValues);
    }
}

isa::KernelTable kernels_of_trace(const Workload& workload, const Configuration& configuration,
                                  const std::function<void(const std::string& step)>&) {
    check_configuration(configuration);
    return dynamic_cast<const TracedProgram&>(workload).kernels();
}

}  // namespace

LOOKAHEAD_REGISTER_LANGUAGE(trace, kernels_of_trace)

}  // namespace lookahead
