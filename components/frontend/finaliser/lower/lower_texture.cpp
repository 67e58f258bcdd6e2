#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/texture.h"

namespace lookahead::finaliser {

namespace {

/// Textures have one level, so .level and its operand are ignored.
void lower_fetch(LoweringContext& context) {
    const ptx::Operand& access = context.instruction().sources()[0];
    VirtualInstruction fetch = new_instruction(Operation::texture, context.modifiers().types[0]);
    fetch.machine.source_type = context.modifiers().types[1];
    fetch.machine.mode = context.instruction().opcode == Opcode::tld4 ? isa::gather_mode(context.modifiers().component)
                                                                      : isa::texture_mode(context.modifiers().geometry);
    fetch.source[0] = context.source(access.elements[0]);
    // Elements after the coordinates pad them to four.
    const unsigned coordinates = isa::coordinates_of(isa::geometry_of(fetch.machine));
    fetch.source[1] = context.side_by_side(std::span(access.elements).subspan(1, coordinates));
    fetch.set_destination(context.kernel.new_rows(4), 4);
    context.emit(fetch);
    context.emit_to_elements(context.destination().elements, fetch.destination);
}

constexpr Lowering kFetches[] = {{Opcode::tex, lower_fetch}, {Opcode::tld4, lower_fetch}};

}  // namespace

constinit const std::span<const Lowering> kTextureLowerings = kFetches;

}  // namespace lookahead::finaliser
