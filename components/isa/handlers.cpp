#include "components/isa/handlers.h"

#include "components/isa/handler_groups.h"

namespace lookahead::isa {

AluHandler select_handler(const InstructionForm& instruction) {
    for (const auto group :
         {select_move, select_integer, select_float, select_approximate, select_half, select_logic, select_bit_field,
          select_compare, select_predicate, select_convert, select_warp, select_native}) {
        if (const AluHandler handler = group(instruction)) { return handler; }
    }
    return nullptr;
}

}  // namespace lookahead::isa
