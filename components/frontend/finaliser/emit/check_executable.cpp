#include "components/frontend/finaliser/emit/emit.h"

#include <algorithm>

#include "components/frontend/finaliser/emit/print.h"
#include "components/isa/decoded_instruction.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

std::string text_of_line(const ptx::Function& function, std::uint32_t line) {
    const auto found = std::ranges::find(function.instructions, line, &ptx::Instruction::line);
    return found == function.instructions.end() ? std::string() : found->text;
}

}  // namespace

void check_executable(const ptx::Function& function, const isa::Kernel& kernel) {
    for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
        const isa::Instruction& instruction = kernel.code[i];
        if (!isa::lacks_handler(isa::decode(instruction, isa::SimtModel::stack))) { continue; }
        throw InputError("{}:{}: `{}`: the machine cannot execute {} with these types and modifiers",
                         kernel.source_file, instruction.line, text_of_line(function, instruction.line),
                         print(kernel, i));
    }
}

}  // namespace lookahead::finaliser
