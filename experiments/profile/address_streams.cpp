#include "experiments/profile/address_streams.h"

#include "components/isa/instruction.h"
#include "components/isa/lane_mask.h"
#include "components/isa/launch.h"
#include "components/isa/memory_access.h"
#include "experiments/profile/address_sources.h"
#include "experiments/profile/innermost_loops.h"

namespace lookahead::profile {
namespace {

using isa::for_each_lane;
using isa::Instruction;
using isa::kWarpSize;
using isa::LaneMask;
using isa::Operation;
using isa::Space;

bool is_watched(const Instruction& instruction) {
    return instruction.operation == Operation::load || instruction.operation == Operation::store;
}

/// CUDA's limits: 2^31 CTAs in x, 2^16 in y and z.
std::uint64_t number_of(const isa::Dim3& ctaid) {
    return ctaid.x | std::uint64_t{ctaid.y} << 32 | std::uint64_t{ctaid.z} << 48;
}

bool is_shared(const Instruction& instruction, std::uint64_t address) {
    return instruction.space == Space::shared ||
           (instruction.space == Space::generic && address - isa::kSharedWindowBase < isa::kSharedWindowBytes);
}

}  // namespace

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

void StreamStatistics::count_steps(std::int64_t stride, std::uint64_t times) {
    steps += times;
    moves |= times != 0 && stride != 0;
    if (const auto at = strides.find(stride); at != strides.end()) {
        at->second += times;
    } else if (times != 0 && strides.size() < kMostStrides) {
        strides.emplace(stride, times);
    }
}

AddressStreams::AddressStreams(std::span<const isa::Kernel> kernels) {
    watched_.reserve(kernels.size());
    for (const isa::Kernel& kernel : kernels) {
        number_of_.emplace(kernel.name, watched_.size());
        Kernel& watched = watched_.emplace_back(Kernel{KernelAnalysis(kernel), {}, {}});
        std::uint32_t streams = 0;
        for (std::uint32_t i = 0; i < watched.analysis.loop_of.size(); ++i) {
            const bool follows = watched.analysis.loop_of[i] != kNoLoop && is_watched(kernel.code[i]);
            watched.stream_of.push_back(follows ? streams++ : kUnwatched);
        }
        watched.statistics.resize(streams);
    }
}

const StreamStatistics& AddressStreams::statistics(std::size_t kernel, std::uint32_t instruction) const {
    static const StreamStatistics kNone;
    const std::uint32_t stream = watched_[kernel].stream_of[instruction];
    return stream == kUnwatched ? kNone : watched_[kernel].statistics[stream];
}

void AddressStreams::begin_launch(std::uint64_t) {
    ctas_.clear();
    last_kernel_ = nullptr;
    last_cta_ = nullptr;
}

AddressStreams::Kernel& AddressStreams::watched(const isa::Kernel& kernel) {
    if (last_kernel_ != &kernel) {
        last_kernel_ = &kernel;
        last_watched_ = &watched_[number_of_.at(kernel.name)];
    }
    return *last_watched_;
}

AddressStreams::Cta& AddressStreams::cta_at(const ExecutionPlace& place, const Kernel& kernel) {
    const std::uint64_t number = number_of(place.ctaid);
    if (last_cta_ != nullptr && last_number_ == number) { return *last_cta_; }
    const auto [at, is_new] = ctas_.try_emplace(number);
    Cta& cta = at->second;
    if (is_new) {
        cta.warps.resize(isa::warps_per_cta(place.block));
        cta.living_warps = static_cast<std::uint32_t>(cta.warps.size());
        for (std::uint32_t i = 0; i < cta.warps.size(); ++i) {
            cta.warps[i].living = isa::initial_mask(place.block.count(), i * kWarpSize);
            cta.warps[i].loop.fill(kNoLoop);
            cta.warps[i].streams.resize(kernel.statistics.size() * kWarpSize);
        }
    }
    last_number_ = number;
    last_cta_ = &cta;
    return cta;
}

void AddressStreams::executing(const ExecutionPlace& place, LaneMask active, const std::uint32_t* registers,
                               const LaneMask*) {
    Kernel& kernel = watched(place.kernel);
    if (kernel.statistics.empty()) { return; }
    Cta& cta = cta_at(place, kernel);
    Warp& warp = cta.warps[place.first_thread / kWarpSize];
    ++warp.time;
    enter(warp, active, kernel.analysis.loop_of[place.pc]);
    if (kernel.stream_of[place.pc] != kUnwatched) { access(warp, kernel, place, active, registers); }
    if (place.kernel.code[place.pc].operation == Operation::exit) { leave(cta, warp, active); }
}

/// Between two entries of a loop a lane executes an instruction of an outer loop. It is seen unless guards disable all
/// of these, and then nothing has changed for the lane.
void AddressStreams::enter(Warp& warp, LaneMask active, std::uint32_t loop) {
    for_each_lane(active, [&](unsigned lane) {
        if (warp.loop[lane] == loop) { return; }
        warp.loop[lane] = loop;
        if (loop != kNoLoop) { ++warp.visit[lane]; }
    });
}

void AddressStreams::access(Warp& warp, Kernel& kernel, const ExecutionPlace& place, LaneMask active,
                            const std::uint32_t* registers) {
    const Instruction& instruction = place.kernel.code[place.pc];
    const std::uint32_t number = kernel.stream_of[place.pc];
    StreamStatistics& statistics = kernel.statistics[number];
    const isa::Operand& operand = instruction.source[0];
    const bool is_register = operand.kind == isa::Operand::Kind::reg;
    const std::size_t row = operand.index + (is_register ? 0 : place.kernel.registers);
    const std::uint32_t* const low = registers + row * kWarpSize;
    std::uint64_t addresses[kWarpSize];
    isa::compute_addresses(instruction, low, operand.rows > 1 ? low + kWarpSize : low, isa::kFullMask, addresses);
    std::int64_t run_stride = 0;  // for consecutive lanes, usually all
    std::uint64_t run = 0;
    for_each_lane(active, [&](unsigned lane) {
        Stream& stream = warp.streams[number * kWarpSize + lane];
        const std::uint64_t address = addresses[lane];
        ++statistics.accesses;
        statistics.shared_accesses += is_shared(instruction, address);
        if (stream.visit == warp.visit[lane]) {
            const auto stride = static_cast<std::int64_t>(address - stream.address);
            if (stride != run_stride) {
                statistics.count_steps(run_stride, run);
                run_stride = stride;
                run = 0;
            }
            ++run;
            statistics.distance += warp.time - stream.time;
            if (stream.has_stride && stride != stream.stride) { ++statistics.broken_steps; }
            if (!stream.has_stride) { stream.stride = stride; }
            stream.has_stride = true;
        } else {
            stream.visit = warp.visit[lane];
            stream.has_stride = false;
        }
        stream.address = address;
        stream.time = warp.time;
    });
    statistics.count_steps(run_stride, run);
}

void AddressStreams::leave(Cta& cta, Warp& warp, LaneMask active) {
    warp.living &= ~active;
    if (warp.living != 0 || active == 0 || --cta.living_warps != 0) { return; }
    ctas_.erase(last_number_);
    last_cta_ = nullptr;
}

}  // namespace lookahead::profile
