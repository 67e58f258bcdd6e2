#include "components/isa/warp_exchange.h"

#include <algorithm>
#include <bit>

#include "components/isa/instruction.h"
#include "components/isa/kernel.h"
#include "components/isa/lanes.h"

namespace lookahead::isa {

namespace {

LaneMask named_by(const std::uint32_t* masks, LaneMask active) {
    LaneMask named = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) { named |= (active >> lane & 1) ? masks[lane] : 0; }
    return named;
}

bool ends_lanes(const Instruction& instruction) {
    return instruction.operation == Operation::exit && instruction.guard == kTruePredicate &&
           !instruction.guard_negated;
}

}  // namespace

Members members_of(const std::uint32_t* masks, LaneMask active, LaneMask alive) {
    if ((named_by(masks, active) & alive & ~active) == 0) { return {active, 0}; }
    for (LaneMask left = active; left != 0; left &= left - 1) {
        const LaneMask mask = masks[std::countr_zero(left)];
        if ((mask & alive & ~active) == 0) { continue; }
        LaneMask same = 0;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) { same |= LaneMask{masks[lane] == mask} << lane; }
        return {same & active, mask};
    }
    return {active, 0};
}

LaneMask missing_members(const std::uint32_t* masks, LaneMask active, const SimtState& simt, const Kernel& kernel) {
    const LaneMask others = simt.alive() & ~active;
    if (others == 0) { return 0; }
    LaneMask missing = named_by(masks, active) & others;
    if (missing == 0) { return 0; }
    simt.for_each_later([&](std::uint32_t pc, LaneMask lanes) {
        if (ends_lanes(kernel.code[pc])) { missing &= ~lanes; }
    });
    return missing;
}

std::uint64_t meeting_key(const Instruction& instruction) {
    return static_cast<std::uint64_t>(instruction.operation) | std::uint64_t{instruction.mode} << 8 |
           static_cast<std::uint64_t>(instruction.atomic) << 16 | static_cast<std::uint64_t>(instruction.type) << 24;
}

void WarpExchange::put(const OperandRows& rows, const Instruction& instruction, LaneMask lanes) {
    const auto put_row = [&](unsigned place, const std::uint32_t* row) {
        blend_rows(sources_[place].lanes, lanes, row, sources_[place].lanes);
    };
    for (unsigned i = 0; i < 3; ++i) {
        if (instruction.source[i].kind == Operand::Kind::none) { continue; }
        put_row(i == 0 ? 0 : i + 1, rows.source[i][0]);
        if (i == 0 && instruction.source[0].rows == 2) { put_row(1, rows.source[0][1]); }
    }
    predicates_ = merge_lanes(predicates_, rows.source_predicate, lanes);
}

void WarpExchange::execute(AluHandler handler, const Instruction& instruction, LaneMask lanes) {
    if (handler == nullptr) { return; }
    OperandRows rows{};
    rows.destination[0] = rows.destination[1] = result_.lanes;
    rows.source[0][0] = sources_[0].lanes;
    rows.source[0][1] = sources_[1].lanes;
    for (unsigned i = 1; i < 3; ++i) { rows.source[i][0] = rows.source[i][1] = sources_[i + 1].lanes; }
    rows.source_predicate = predicates_;
    rows.destination_predicate = result_predicates_;
    handler(rows, lanes, instruction);
    result_predicates_ = rows.destination_predicate;
}

void WarpExchange::take(OperandRows& rows, const Instruction& instruction, LaneMask lanes) const {
    if (instruction.destination_rows > 0) {
        blend_rows(rows.destination[0], lanes, result_.lanes, rows.destination[0]);
    }
    rows.destination_predicate = merge_lanes(rows.destination_predicate, result_predicates_, lanes);
}

void WarpExchange::set_result(std::uint32_t value, bool predicate) {
    std::ranges::fill(result_.lanes, value);
    result_predicates_ = predicate ? kFullMask : 0;
}

}  // namespace lookahead::isa
