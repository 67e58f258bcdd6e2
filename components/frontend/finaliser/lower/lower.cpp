#include "components/frontend/finaliser/lower/lower.h"

#include <algorithm>

#include "components/frontend/finaliser/calls/calls.h"
#include "components/frontend/ptx/cfg.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// A trap for a call of __assertfail, with its arguments as inline_calls leaves them (isa::TrapMode).
VirtualInstruction failed_assertion(LoweringContext& context) {
    VirtualInstruction trap = new_instruction(Operation::trap);
    trap.machine.mode = static_cast<std::uint8_t>(isa::TrapMode::assertion);
    const std::size_t places[2][2] = {{0, 1}, {3, 2}};
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint32_t rows = context.kernel.new_rows(4);
        std::uint32_t row = rows;
        for (const std::size_t place : places[i]) {
            const VirtualOperand value = context.source(place);
            for (unsigned word = 0; word < value.rows; ++word) { context.emit_copy(part(value, word), row++); }
        }
        trap.source[i] = {isa::Operand::Kind::reg, static_cast<std::uint8_t>(row - rows), rows};
    }
    return trap;
}

/// A plain trap, or one that inline_calls made, with operands: of a call of __assertfail, of an indirect call without a
/// function, or, with the ends of the frame and of the stack, of a call for which the stack is too small.
VirtualInstruction lower_trap(LoweringContext& context) {
    const std::size_t operands = context.instruction().sources().size();
    if (operands > 2) { return failed_assertion(context); }
    VirtualInstruction trap = new_instruction(Operation::trap);
    if (operands == 0) { return trap; }
    trap.machine.mode = static_cast<std::uint8_t>(operands == 2 ? isa::TrapMode::stack : isa::TrapMode::call);
    if (operands == 1) { trap.source[0] = context.source(0); }
    return trap;
}

/// bra, ret, exit, trap. In a kernel, ret ends the thread as exit does.
bool lower_control(LoweringContext& context, const ptx::Cfg& cfg) {
    const ptx::Instruction& instruction = context.instruction();
    switch (instruction.opcode) {
        case Opcode::bra: {
            VirtualInstruction branch = new_instruction(Operation::bra);
            const std::uint32_t target = instruction.sources()[0].target;
            const bool is_end = target == context.function().instructions.size();
            branch.target = is_end ? static_cast<std::uint32_t>(cfg.blocks.size()) : cfg.block_of[target];
            context.emit(branch);
            return true;
        }
        case Opcode::ret:
        case Opcode::exit:
            context.emit(new_instruction(Operation::exit));
            return true;
        case Opcode::trap:
            context.emit(lower_trap(context));
            return true;
        default:
            return false;
    }
}

void lower_instruction(LoweringContext& context, const ptx::Cfg& cfg) {
    bool done = lower_control(context, cfg);
    for (const auto& table : {kArithmeticLowerings, kBitLowerings, kComparisonLowerings, kMoveLowerings,
                              kMemoryLowerings, kTextureLowerings, kSurfaceLowerings, kWarpLowerings}) {
        const auto found = std::ranges::find(table, context.instruction().opcode, &Lowering::first);
        if (done || found == table.end()) { continue; }
        found->second(context);
        done = true;
    }
    if (!done) {
        context.refuse(
            fmt::format("{} is not supported by the machine ISA; integer and floating-point arithmetic, logic, "
                        "comparison, conversion, loads, stores and atomics in .global and .shared memory, bra, ret, "
                        "exit, trap, bar.sync, fences, shfl, vote and match are supported",
                        ptx::name_of(context.instruction().opcode)));
    }
}

}  // namespace

VirtualKernel lower(const ptx::Module& module, const ptx::Function& kernel, bool keep_cvta) {
    if (!kernel.is_kernel) {
        throw InputError("{}:{}: {} is a .func; only kernels (.entry) can be finalised", module.file_name, kernel.line,
                         kernel.name);
    }
    const bool whole = std::ranges::none_of(kernel.instructions, [](const ptx::Instruction& instruction) {
        return instruction.opcode == Opcode::call || instruction.opcode == Opcode::brx_idx;
    });
    const ptx::Function flat = whole ? ptx::Function() : inline_calls(module, kernel);
    const ptx::Function& inlined = whole ? kernel : flat;
    const bool addressed = takes_parameter_addresses(inlined);
    const PlacedParameters placed =
        addressed ? place_addressed_parameters(inlined, module.address_type()) : PlacedParameters();
    const ptx::Function& function = addressed ? placed.function : inlined;
    const ptx::Cfg cfg = ptx::build_cfg(function);
    LoweringContext context(module, function, keep_cvta);
    context.kernel.frame.addresses_parameters = placed.in_memory;
    context.kernel.blocks.resize(cfg.blocks.size() + 1);
    for (std::uint32_t block = 0; block < cfg.blocks.size(); ++block) {
        for (std::uint32_t i = cfg.blocks[block].first; i < cfg.blocks[block].end; ++i) {
            context.begin(function.instructions[i], block);
            lower_instruction(context, cfg);
        }
    }
    // Running off the end of a kernel is an exit too.
    VirtualInstruction& end = context.kernel.blocks.back().code.emplace_back(new_instruction(Operation::exit));
    end.origin = context.kernel.new_origin();
    return std::move(context.kernel);
}

}  // namespace lookahead::finaliser
