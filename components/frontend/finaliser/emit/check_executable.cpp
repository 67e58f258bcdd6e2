#include "components/frontend/finaliser/emit/emit.h"

#include <algorithm>

#include "components/frontend/finaliser/emit/print.h"
#include "components/isa/handlers.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

using isa::Operation;

namespace {

/// Emulator and SMs execute control, memory and special registers themselves.
bool needs_handler(Operation operation) {
    switch (operation) {
        case Operation::nop:
        case Operation::read_special:
        case Operation::bra:
        case Operation::exit:
        case Operation::trap:
        case Operation::barrier:
        case Operation::membar:
        case Operation::warp_sync:
        case Operation::texture:
        case Operation::enqueue:
        case Operation::dequeue:
            return false;
        default:
            return !isa::is_memory(operation);
    }
}

std::string text_of_line(const ptx::Function& function, std::uint32_t line) {
    const auto found = std::ranges::find(function.instructions, line, &ptx::Instruction::line);
    return found == function.instructions.end() ? std::string() : found->text;
}

}  // namespace

void check_executable(const ptx::Function& function, const isa::Kernel& kernel) {
    for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
        const isa::Instruction& instruction = kernel.code[i];
        if (!needs_handler(instruction.operation) || isa::select_handler(instruction) != nullptr) { continue; }
        throw InputError("{}:{}: `{}`: the machine cannot execute {} with these types and modifiers",
                         kernel.source_file, instruction.line, text_of_line(function, instruction.line),
                         print(kernel, i));
    }
}

}  // namespace lookahead::finaliser
