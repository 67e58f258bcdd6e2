#include "experiments/run/program.h"

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/param/parameter_registry.h"

namespace lookahead {

LOOKAHEAD_REGISTER_PARAMETERS(finaliser::FinaliserOptions, "finaliser", "From PTX to the machine ISA.")
LOOKAHEAD_REGISTER_PARAMETERS(finaliser::IsaOptions, "isa", "What the machine ISA is like, where machines differ.")

finaliser::FinaliserOptions finaliser_options(const Configuration& configuration) {
    auto options = configuration.read<finaliser::FinaliserOptions>("finaliser");
    options.isa = configuration.read<finaliser::IsaOptions>("isa");
    return options;
}

isa::KernelTable load_kernels(const Workload& workload, const Configuration& configuration) {
    const ptx::Module module = ptx::parse_module(workload.ptx(), workload.ptx_file(), ptx::Refusal::of_kernel);
    return finaliser::finalise_module(module, finaliser_options(configuration));
}

}  // namespace lookahead
