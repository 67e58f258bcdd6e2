#include "components/sm/pipeline/pipeline_state.h"

#include <algorithm>

#include "components/sm/pipeline/operand_collectors.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {
namespace {

Cycle longest_delay(const SmParameters& sm, const TimingParameters& timing) {
    const Cycle wait = sm.operand_collectors
                           ? OperandCollectors(sm).longest_wait(longest(timing, &ClassTiming::initiation))
                           : Cycle{0};
    // Each outstanding result, at most one per stage of all units, may delay an instruction by a cycle.
    Cycle units = 0;
    for (unsigned unit = 0; unit < kPipelinedUnits; ++unit) { units += sm.*kUnits[unit].pipelines; }
    const Cycle buses = sm.result_buses > 0 ? units * longest(timing, &ClassTiming::latency) : 0;
    const Cycle reads = sm.dependences == "control_words" ? longest_read_latency(timing) : Cycle{0};
    return std::max({reads, wait + buses + longest(timing, &ClassTiming::latency), sm.fetch_latency, sm.branch_latency,
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
      profile(static_cast<unsigned>(sm.max_warps)),
      memory_waits(static_cast<unsigned>(sm.max_warps), static_cast<unsigned>(sm.schedulers), counters),
      dependences(static_cast<unsigned>(sm.max_warps)),
      recorded(static_cast<unsigned>(sm.max_warps)) {
    if (sm.dependences == "control_words" && (sm.operand_collectors || sm.result_buses > 0)) {
        throw ConfigurationError(
            "sm.dependences = control_words does not go with sm.operand_collectors or sm.result_buses, which add to "
            "latencies that the code relies on; set sm.operand_collectors = false and sm.result_buses = 0");
    }
}

MemoryWaits::MemoryWaits(unsigned contexts, unsigned schedulers, SmCounters& counters)
    : counters_(counters), waits_(contexts), counted_(schedulers, 0) {
    for (unsigned context = 0; context < contexts; ++context) {
        scheduler_of_.push_back(static_cast<std::uint8_t>(context % schedulers));
    }
}

unsigned MemoryWaits::under_way() const {
    return static_cast<unsigned>(std::ranges::count_if(waits_, [](const Wait& wait) { return wait.begin != kNone; }));
}

void MemoryWaits::count(unsigned context) {
    const unsigned scheduler = scheduler_of_[context];
    std::uint64_t from = waits_[context].charged;
    std::uint64_t& counted = counted_[scheduler];
    if (from > counted && LOOKAHEAD_RULE(older_waits_reach_further_back)) {
        for (std::size_t other = scheduler; other < waits_.size(); other += counted_.size()) {
            if (waits_[other].begin != kNone && is_long(waits_[other])) {
                from = std::min(from, waits_[other].charged);
            }
        }
    }
    from = std::max(from, counted);
    counted = memory_wait_cycles(scheduler);
    counters_.long_latency += counted - from;
}

/// Archives only the waits under way, usually few.
void MemoryWaits::fields(StateArchive& archive) {
    std::vector<std::uint64_t> open;
    for (std::uint64_t context = 0; context < waits_.size(); ++context) {
        if (waits_[context].begin != kNone) {
            open.insert(open.end(), {context, waits_[context].begin, waits_[context].charged});
        }
    }
    archive& open& counted_;
    if (archive.loading()) {
        std::ranges::fill(waits_, Wait{});
        for (std::size_t i = 0; i + 2 < open.size(); i += 3) { waits_.at(open[i]) = {open[i + 1], open[i + 2]}; }
    }
}

}  // namespace lookahead::gpu
