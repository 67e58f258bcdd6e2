#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "components/isa/address_space.h"
#include "components/isa/kernel.h"
#include "components/protocols/send_launch.h"
#include "components/sm/lsu/launch_on_sm.h"
#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::gpu {

/// An SM's launches of kernels: puts the launch under way into PipelineState, and keeps the code of all kernels.
class Launches {
  public:
    /// `kernels` must outlive this object.
    Launches(PipelineState& state, const isa::KernelTable& kernels)
        : state_(state), kernels_(kernels), addresses_(isa::code_addresses(kernels)), decoded_(kernels.size()) {}

    /// Takes parameters that arrive before the message of their launch.
    void add_parameters(const MessageHeader& message) { parameters_.add(message); }
    /// Begins the launch of a KernelBegin. Throws ProgramError if no CTA of it fits on the SM.
    void begin(const MessageHeader& message) {
        LaunchState& launch = state_.launch;
        launch.active = true;
        launch.fields = message.as<KernelBegin>();
        launch.parameters = parameters_.take<KernelBegin>(message);
        launch.first_warp_instruction = state_.counters.warp_instructions;
        launch.first_thread_instruction = state_.counters.thread_instructions;
        ++state_.counters.launches;
        prepare();
    }
    /// Derives the state that follows from the launch's fields and parameters. Decodes a kernel at its first launch.
    void prepare() {
        LaunchState& launch = state_.launch;
        const LaunchFields& fields = launch.fields;
        const std::uint32_t shared_bytes = fields.dynamic_shared_bytes;
        const isa::Kernel& kernel = kernels_.at(fields.kernel);
        launch.occupancy = occupancy_of(state_.parameters, kernel, fields.block, shared_bytes);
        require_occupancy(launch.occupancy, state_.parameters, kernel, fields.block, shared_bytes);
        launch.code = addresses_[fields.kernel];
        launch.constants = isa::make_constant_rows(kernel, fields.grid, fields.block, shared_bytes, launch.parameters);
        auto& decoded = decoded_[fields.kernel];
        if (decoded == nullptr) {
            const bool has_queues = state_.extensions != nullptr && state_.extensions->queues() != nullptr;
            decoded = std::make_unique<DecodedKernel>(kernel, state_.timing,
                                                      decode_options(state_.parameters, state_.simt, has_queues));
        }
        state_.kernel = decoded.get();
        state_.profile.begin_launch(fields.kernel, decoded->size());
        const Occupancy& occupancy = launch.occupancy;
        state_.registers.grow(occupancy.ctas * occupancy.warps_per_cta * occupancy.rows_per_warp);
        state_.warps.begin_launch(decoded->scoreboard_words(), kernel.registers);
    }
    LaunchOnSm on_sm() const {
        const LaunchState& launch = state_.launch;
        return {state_.kernel->kernel(),        launch.fields.kernel, launch.occupancy.ctas,
                launch.occupancy.warps_per_cta, launch.fields.launch, launch.occupancy.shared_bytes};
    }
    /// The instructions that the SM has executed in the launch.
    SmDrained drained() const {
        const LaunchState& launch = state_.launch;
        return {launch.fields.launch, state_.counters.warp_instructions - launch.first_warp_instruction,
                state_.counters.thread_instructions - launch.first_thread_instruction};
    }
    void end() {
        state_.launch.active = state_.launch.ending = false;
        state_.kernel = nullptr;
    }

  private:
    PipelineState& state_;
    const isa::KernelTable& kernels_;
    std::vector<std::uint64_t> addresses_;                 ///< by kernel: where its code begins
    std::vector<std::unique_ptr<DecodedKernel>> decoded_;  ///< by kernel: null before its first launch
    ArrivingParameters parameters_;
};

}  // namespace lookahead::gpu
