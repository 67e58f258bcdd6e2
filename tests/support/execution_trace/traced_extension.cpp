#include "tests/support/execution_trace/traced_extension.h"

#include <algorithm>

#include "components/sm/pipeline/execute_stage.h"
#include "tests/support/execution_trace/trace_checker.h"

namespace lookahead::test {

using gpu::DecodedInstruction;

LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, TracedExtension, "traced", "Tells what warps execute.", "tests")

TracedExtension::TracedExtension(const gpu::IssueExtensionArguments& arguments)
    : IssueExtension(arguments), execute_(arguments.execute), warps_(arguments.state.warps.size()) {}

/// Whether the result comes with the write-back; all others are in the registers when the warp continues.
bool TracedExtension::awaits_memory(const Step& step) const {
    const DecodedInstruction& decoded = (*state_.kernel)[step.pc];
    return decoded.action == gpu::Action::memory && decoded.writes && step.active != 0;
}

TracedExtension::Step TracedExtension::issued(unsigned context, std::uint32_t pc, isa::LaneMask active) {
    TraceChecker* checker = TraceChecker::current();
    return {checker == nullptr ? 0 : checker->issued(warps_[context].name, state_.kernel->kernel(), pc, active),
            pc,
            active,
            {}};
}

/// Elements recorded earlier have their values on arrival; the others are in the registers.
void TracedExtension::written(unsigned context, const Step& step) {
    if (TraceChecker* checker = TraceChecker::current()) {
        const isa::Kernel& kernel = state_.kernel->kernel();
        const isa::Instruction& instruction = kernel.code[step.pc];
        const std::uint16_t* map = state_.warps.map.of(context);
        words_.clear();
        append_written(
            instruction, step.active, state_.warps.streams[context].predicates,
            [&](unsigned i) {
                const auto kept = step.rows.find(i);
                return kept != step.rows.end() ? kept->second.data()
                                               : state_.registers.row(map[instruction.destination + i]);
            },
            words_);
        checker->written(warps_[context].name, kernel, step.number, words_);
    }
}

/// The warp continues, so its last instruction's results are written, unless it is a load.
void TracedExtension::finish_last(unsigned context) {
    std::vector<Step>& steps = warps_[context].steps;
    if (!steps.empty() && !awaits_memory(steps.back())) {
        written(context, steps.back());
        steps.pop_back();
    }
}

void TracedExtension::warp_started(unsigned context) {
    attend(context, true);
    Warp& warp = warps_[context];
    warp.steps.clear();
    warp.name[0] = state_.launch.fields.launch;
    warp.name[4] = state_.warps.streams[context].first_thread;
    for (unsigned i = 0; i < 3; ++i) {
        isa::Instruction instruction;
        instruction.special =
            static_cast<isa::SpecialRegister>(static_cast<unsigned>(isa::SpecialRegister::ctaid_x) + i);
        isa::Row values[2];
        execute_.read_special(context, instruction, state_.now, values);
        warp.name[1 + i] = values[0].lanes[0];
    }
}

/// Called before the extensions named after it: the results of the warp's last instruction are still unchanged.
bool TracedExtension::supply(unsigned context, Cycle) {
    finish_last(context);
    return false;
}

void TracedExtension::supplied(unsigned context, std::uint32_t pc, isa::LaneMask lanes) {
    written(context, issued(context, pc, lanes));
}

void TracedExtension::before_execution(unsigned context, Cycle) {
    const gpu::Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    const isa::LaneMask active = (*state_.kernel)[pc].guarded_lanes(stream.stack.active(), stream.predicates);
    warps_[context].steps.push_back(issued(context, pc, active));
}

void TracedExtension::written_back(unsigned context, std::uint32_t pc, bool all) {
    std::vector<Step>& steps = warps_[context].steps;
    const auto load = std::find_if(steps.begin(), steps.end(),
                                   [&](const Step& step) { return step.pc == pc && awaits_memory(step); });
    if (load == steps.end()) { return; }
    if (all) {
        written(context, *load);
        steps.erase(load);
        return;
    }
    const isa::Instruction& instruction = state_.kernel->kernel().code[pc];
    for (unsigned i = 0; i < instruction.destination_rows; ++i) {
        const unsigned number = instruction.destination + i;
        if (!state_.warps.scoreboard.is_pending(context, number) && !load->rows.contains(i)) {
            const std::uint32_t* row = state_.registers.row(state_.warps.map.of(context)[number]);
            load->rows[i] = std::vector(row, row + isa::kWarpSize);
        }
    }
}

}  // namespace lookahead::test
