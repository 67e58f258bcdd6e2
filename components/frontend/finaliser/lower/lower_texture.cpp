#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/texture.h"

namespace lookahead::finaliser {

namespace {

/// Textures have one level, so .level and its operand are ignored.
void lower_fetch(LoweringContext& context, std::uint8_t mode) {
    const ptx::Instruction& instruction = context.instruction();
    const ptx::Operand& access = instruction.sources()[0];
    VirtualInstruction fetch;
    fetch.machine.operation = Operation::texture;
    fetch.machine.type = instruction.modifiers.types[0];
    fetch.machine.source_type = instruction.modifiers.types[1];
    fetch.machine.mode = mode;
    fetch.source[0] = context.source(access.elements[0]);
    // Elements after the coordinates pad them to four.
    const unsigned coordinates = isa::coordinates_of(isa::geometry_of(fetch.machine));
    fetch.source[1] = context.side_by_side(std::span(access.elements).subspan(1, coordinates));
    fetch.destination = context.kernel.new_rows(4);
    fetch.destination_rows = 4;
    context.emit(fetch);
    context.emit_to_elements(instruction.destinations()[0].elements, fetch.destination);
}

}  // namespace

bool lower_texture(LoweringContext& context) {
    switch (context.instruction().opcode) {
        case Opcode::tex:
            lower_fetch(context, isa::texture_mode(context.instruction().modifiers.geometry));
            return true;
        case Opcode::tld4:
            lower_fetch(context, isa::gather_mode(context.instruction().modifiers.component));
            return true;
        default:
            return false;
    }
}

}  // namespace lookahead::finaliser
