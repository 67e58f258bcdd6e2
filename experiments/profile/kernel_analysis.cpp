#include "experiments/profile/kernel_analysis.h"

#include "experiments/profile/address_sources.h"
#include "experiments/profile/innermost_loops.h"

namespace lookahead::profile {

KernelAnalysis::KernelAnalysis(const isa::Kernel& kernel) {
    if (kernel.code.empty()) { return; }
    const std::vector<isa::Instruction> code(kernel.code.begin(), kernel.code.begin() + kernel.own_size());
    const finaliser::MachineCfg cfg = finaliser::machine_cfg(code);
    const std::vector<std::uint32_t> loop_of_block = innermost_loops(cfg.graph);
    for (const std::uint32_t block : cfg.block_of) { loop_of.push_back(loop_of_block[block]); }
    const ReachingDefinitions definitions(code, cfg);
    roles = roles_of(code, definitions);
    address_loads = profile::address_loads(code, loop_of, definitions);
}

}  // namespace lookahead::profile
