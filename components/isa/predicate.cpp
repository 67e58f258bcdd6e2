#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

template <Operation kOperation>
LaneMask result(LaneMask a, LaneMask b) {
    switch (kOperation) {
        case Operation::pred_and:
            return a & b;
        case Operation::pred_or:
            return a | b;
        case Operation::pred_xor:
            return a ^ b;
        case Operation::pred_not:
            return ~a;
        default:
            return a;
    }
}

template <Operation kOperation>
void combine(OperandRows& rows, LaneMask active, const Instruction&) {
    const LaneMask value = result<kOperation>(rows.source_predicate, rows.source_predicate2);
    rows.destination_predicate = merge_lanes(rows.destination_predicate, value, active);
}

}  // namespace

AluHandler select_predicate(const InstructionForm& instruction) {
    return handler_in({{Operation::pred_and, combine<Operation::pred_and>},
                       {Operation::pred_or, combine<Operation::pred_or>},
                       {Operation::pred_xor, combine<Operation::pred_xor>},
                       {Operation::pred_not, combine<Operation::pred_not>},
                       {Operation::pred_mov, combine<Operation::pred_mov>}},
                      instruction.operation);
}

}  // namespace lookahead::isa
