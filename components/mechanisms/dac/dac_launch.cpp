#include "components/mechanisms/dac/dac_launch.h"

#include "components/mechanisms/dac/plan.h"
#include "components/mechanisms/dac/streams.h"
#include "components/mechanisms/dac/warp_record.h"
#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/error/error.h"

namespace lookahead::dac {

void DacLaunch::begin(const gpu::IssueExtensionArguments& sm, bool checked) {
    const gpu::PipelineState& state = sm.state;
    const isa::Kernel& kernel = state.kernel->kernel();
    affine_.kernel = &kernel;
    affine_.program = affine_program(kernel);
    affine_.block = state.launch.fields.block;
    affine_.checked = checked;
    affine_.take_constants(state.launch.constants);
    if (decouples() && state.simt != isa::SimtModel::stack) {
        throw ConfigurationError(
            "{}: kernel {} has an affine stream, for which sm.simt must be stack: the stream runs the paths of a warp "
            "in the order of a reconvergence stack, and so must the warps that dequeue; kernel.transform = none leaves "
            "the kernel whole",
            kernel.source_file, kernel.name);
    }
    ctas_ = state.launch.occupancy.ctas;
    warps_per_cta_ = state.launch.occupancy.warps_per_cta;
    first_warp_ = sm.execute.identity().index * static_cast<std::uint64_t>(state.parameters.max_warps);
    row_starts_.clear();
    for (unsigned warp = 0; warp < warps_per_cta_; ++warp) { row_starts_.push_back(row_starts(warp, affine_.block.x)); }
    name_pairs();
}

void DacLaunch::name_pairs() {
    takes_.assign(kernel().code.size(), 0);
    marker_.assign(kernel().code.size(), 0);
    pair_.assign(kernel().code.size(), 0);
    if (!decouples()) { return; }
    const auto is_marker = [](const isa::Instruction& instruction) {
        return instruction.operation == isa::Operation::barrier || instruction.operation == isa::Operation::membar;
    };
    for (std::uint32_t pc = 0; pc < kernel().own_size(); ++pc) {
        const isa::Instruction& own = kernel().code[pc];
        takes_[pc] = own.dequeues || own.operation == isa::Operation::dequeue || is_report(own);
        // Loads and stores of its spilled operands have the same origin.
        const bool stops = stops_expansion(own);
        for (std::uint32_t other = affine_.program->entry; other < affine_.program->end; ++other) {
            if (same_origin(other, pc)) {
                pair_[other] = takes_[pc] != 0 ? pc : pair_[other];
                marker_[pc] |= static_cast<std::uint8_t>(stops && is_marker(kernel().code[other]));
            }
        }
    }
}

}  // namespace lookahead::dac
