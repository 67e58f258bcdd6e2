#include <functional>

#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

/// The result is `kFunction` of the sources.
template <auto kFunction>
void combine(OperandRows& rows, LaneMask active, const InstructionForm&) {
    const LaneMask value = kFunction(rows.source_predicate, rows.source_predicate2);
    rows.destination_predicate = merge_lanes(rows.destination_predicate, value, active);
}

}  // namespace

AluHandler select_predicate(const InstructionForm& instruction) {
    return handler_in({{Operation::pred_and, combine<std::bit_and<LaneMask>{}>},
                       {Operation::pred_or, combine<std::bit_or<LaneMask>{}>},
                       {Operation::pred_xor, combine<std::bit_xor<LaneMask>{}>},
                       {Operation::pred_not, combine<[](LaneMask a, LaneMask) { return ~a; }>},
                       {Operation::pred_mov, combine<[](LaneMask a, LaneMask) { return a; }>}},
                      instruction.operation);
}

}  // namespace lookahead::isa
