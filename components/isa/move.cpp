#include <functional>

#include "components/isa/handler_groups.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {
namespace {

template <unsigned kRows>
void pick(OperandRows& rows, LaneMask active, const InstructionForm&) {
    // Both rows are computed before either is written: the low destination may be a high source.
    alignas(32) std::uint32_t picked[kRows][kWarpSize];
    for (unsigned i = 0; i < kRows; ++i) {
        blend_rows(picked[i], rows.source_predicate, rows.source[0][i], rows.source[1][i]);
    }
    for (unsigned i = 0; i < kRows; ++i) { blend_rows(rows.destination[i], active, picked[i], rows.destination[i]); }
}

}  // namespace

AluHandler select_move(const InstructionForm& instruction) {
    const bool wide = type_rows(instruction.type) == 2;
    switch (instruction.operation) {
        case Operation::mov:
            return wide ? run_lanewise<std::identity{}, std::uint64_t, std::uint64_t>
                        : run_lanewise<std::identity{}, std::uint32_t, std::uint32_t>;
        case Operation::select:
            return wide ? pick<2> : pick<1>;
        default:
            return nullptr;
    }
}

}  // namespace lookahead::isa
