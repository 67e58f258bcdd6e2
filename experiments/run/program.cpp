#include "experiments/run/program.h"

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/sm/parameters.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"
#include "experiments/run/program_language.h"

namespace lookahead {

LOOKAHEAD_REGISTER_PARAMETERS(finaliser::FinaliserOptions, "finaliser", "The compilation from PTX to the machine ISA.")
LOOKAHEAD_REGISTER_PARAMETERS(finaliser::IsaOptions, "isa",
                              "Properties of the machine ISA that differ between machines.")

finaliser::FinaliserOptions finaliser_options(const Configuration& configuration) {
    auto options = configuration.read<finaliser::FinaliserOptions>("finaliser");
    options.isa = configuration.read<finaliser::IsaOptions>("isa");
    const auto sm = configuration.read<gpu::SmParameters>("sm");
    options.registers_per_sm = static_cast<unsigned>(sm.registers);
    options.register_unit = static_cast<unsigned>(sm.register_unit);
    options.transform = finaliser::configured_transform(configuration);
    return options;
}

ProgramCode ptx_of(const Workload& workload) {
    const ProgramCode code = workload.code();
    if (code.language != "ptx") {
        throw ConfigurationError("the program's code is in the language {}; this needs PTX", code.language);
    }
    return code;
}

ptx::Module load_module(const Workload& workload) {
    const ProgramCode code = ptx_of(workload);
    ptx::Module module = ptx::parse_module(code.text, std::string(code.file), ptx::Refusal::of_kernel);
    for (ptx::Function& function : module.functions) {
        ptx::LaunchBounds& bounds = function.bounds;
        const std::uint32_t threads = workload.most_threads(function.name);
        if (threads != 0 && !bounds.max_threads && !bounds.required_threads) { bounds.max_threads = {threads, 1, 1}; }
    }
    return module;
}

namespace {

class PtxLanguage final : public ProgramLanguage {
  public:
    isa::KernelTable kernels(const Workload& workload, const Configuration& configuration,
                             const std::function<void(const std::string& step)>& tell) const override {
        finaliser::FinaliserOptions options = finaliser_options(configuration);
        options.tell = tell;
        return finaliser::finalise_module(load_module(workload), options);
    }
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(ProgramLanguage, PtxLanguage, "ptx", "PTX, which the finaliser compiles.",
                           "NVIDIA, Parallel Thread Execution ISA")

isa::KernelTable load_kernels(const Workload& workload, const Configuration& configuration,
                              const std::function<void(const std::string& step)>& tell) {
    const std::string language(workload.code().language);
    return make_variant<ProgramLanguage>(language, configuration)->kernels(workload, configuration, tell);
}

}  // namespace lookahead
