#include "experiments/run/program.h"

#include <map>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/sm/parameters.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"
#include "experiments/run/native_code.h"
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

ProgramCode ptx_of(const Workload& workload, const Configuration& configuration) {
    ProgramCode code = workload.code();
    if (code.language != "ptx") {
        throw ConfigurationError("the program's code is in the language {}; this needs PTX", code.language);
    }
    if (configuration.read<ProgramParameters>("program").compiler == "period") {
        if (code.period_text.empty()) {
            throw ConfigurationError(
                "program.compiler = period: of {} there is no code as compilers of the papers' time made it; use "
                "program.compiler = nvcc13",
                code.file);
        }
        code.text = code.period_text;
        code.file = code.period_file;
    }
    return code;
}

ptx::Module load_module(const Workload& workload, const Configuration& configuration) {
    const ProgramCode code = ptx_of(workload, configuration);
    ptx::Module module = ptx::parse_module(code.text, std::string(code.file), ptx::Refusal::of_kernel);
    for (ptx::Function& function : module.functions) {
        ptx::LaunchBounds& bounds = function.bounds;
        const std::uint32_t threads = workload.most_threads(function.name);
        if (threads != 0 && !bounds.max_threads && !bounds.required_threads) { bounds.max_threads = {threads, 1, 1}; }
    }
    return module;
}

namespace {

std::map<std::string, KernelMaker, std::less<>>& languages() {
    static std::map<std::string, KernelMaker, std::less<>> map;
    return map;
}

isa::KernelTable kernels_of_ptx(const Workload& workload, const Configuration& configuration,
                                const std::function<void(const std::string& step)>& tell) {
    if (runs_native_code(configuration)) {
        const ProgramCode code = ptx_of(workload, configuration);
        if (tell) { tell("compiling to native code"); }
        return native_kernels(code, configuration);
    }
    finaliser::FinaliserOptions options = finaliser_options(configuration);
    options.tell = tell;
    return finaliser::finalise_module(load_module(workload, configuration), options);
}

}  // namespace

LOOKAHEAD_REGISTER_LANGUAGE(ptx, kernels_of_ptx)

bool add_program_language(std::string_view name, KernelMaker make_kernels) {
    if (!languages().emplace(name, make_kernels).second) {
        throw InternalError("the language {} of programs is registered twice", name);
    }
    return true;
}

isa::KernelTable load_kernels(const Workload& workload, const Configuration& configuration,
                              const std::function<void(const std::string& step)>& tell) {
    const auto language = languages().find(workload.code().language);
    LOOKAHEAD_ASSERT(language != languages().end(), "no language {} of programs is registered",
                     workload.code().language);
    return language->second(workload, configuration, tell);
}

}  // namespace lookahead
