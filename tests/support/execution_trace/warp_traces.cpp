#include "tests/support/execution_trace/warp_traces.h"
#include "components/isa/instruction.h"

namespace lookahead::test {

const WarpTrace* EmulatedTraces::find(const WarpName& name) const {
    const auto found = traces_.find(name);
    return found == traces_.end() ? nullptr : &found->second;
}

/// The last instruction's results are in the warp's registers only now: a barrier's result comes when it opens.
void EmulatedTraces::executing(const ExecutionPlace& place, isa::LaneMask active, const std::uint32_t* registers,
                               const isa::LaneMask* predicates) {
    WarpTrace& trace = traces_[{launch_, place.ctaid.x, place.ctaid.y, place.ctaid.z, place.first_thread}];
    if (trace.size() > 0) {
        const WarpTrace::Step& last = trace[trace.size() - 1];
        const isa::Instruction& instruction = place.kernel.code[last.pc];
        const auto row = [&](unsigned i) { return registers + (instruction.destination + i) * isa::kWarpSize; };
        append_written(instruction, last.active, predicates, row, trace.words());
    }
    trace.begin({place.pc, active});
}

}  // namespace lookahead::test
