#include "components/sm/pipeline/pipeline_state.h"

#include <algorithm>

#include "components/sm/pipeline/operand_collectors.h"

namespace lookahead::gpu {
namespace {

Cycle longest_delay(const SmParameters& sm, const TimingParameters& timing) {
    const Cycle wait =
        sm.operand_collectors ? OperandCollectors(sm).longest_wait(longest_initiation(timing)) : Cycle{0};
    // Each outstanding result, at most one per stage of all units, may delay an instruction by a cycle.
    Cycle units = 0;
    for (unsigned unit = 0; unit < kPipelinedUnits; ++unit) { units += sm.*kUnits[unit].pipelines; }
    const Cycle buses = sm.result_buses > 0 ? units * longest_latency(timing) : 0;
    return std::max({wait + buses + longest_latency(timing), sm.fetch_latency, sm.branch_latency,
                     sm.barrier_latency + sm.barrier_interval * sm.max_warps});
}

}  // namespace

PipelineState::PipelineState(const SmParameters& sm, const TimingParameters& timing_parameters,
                             isa::SimtModel simt_model, const ConstantCacheParameters& constant_cache)
    : parameters(sm),
      timing(timing_parameters),
      simt(simt_model),
      spin_limit(sm.spin_limit == 0 ? UINT32_MAX : static_cast<std::uint32_t>(sm.spin_limit)),
      warps(static_cast<unsigned>(sm.max_warps)),
      exchanges(simt_model == isa::SimtModel::stack ? 0 : warps.streams.size()),
      registers(static_cast<unsigned>(sm.registers / isa::kWarpSize)),
      wheel(longest_delay(sm, timing_parameters)),
      constants(constant_cache),
      memory_waits(static_cast<unsigned>(sm.max_warps), static_cast<unsigned>(sm.schedulers), counters) {}

}  // namespace lookahead::gpu
