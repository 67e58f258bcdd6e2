#include "components/frontend/finaliser/analysis/single_writes.h"

#include "components/frontend/finaliser/analysis/flow.h"

namespace lookahead::finaliser {

SingleWrites::SingleWrites(const VirtualKernel& kernel)
    : kernel_(kernel),
      dominators_(ptx::immediate_dominators(flow_of(kernel))),
      count_(kernel.rows(), 0),
      place_(kernel.rows()) {
    for_each_place(kernel, [this](const VirtualInstruction& instruction, Place place) {
        for (std::uint32_t i = 0; i < instruction.destination_rows; ++i) {
            ++count_[instruction.destination + i];
            place_[instruction.destination + i] = place;
        }
    });
}

std::optional<Place> SingleWrites::place(std::uint32_t row) const {
    if (count_[row] != 1) { return std::nullopt; }
    return place_[row];
}

bool SingleWrites::before(Place a, Place b) const {
    return a.block == b.block ? a.index < b.index : dominators_.dominates(a.block, b.block);
}

bool SingleWrites::is_stable(const VirtualOperand& operand, Place write) const {
    if (operand.kind == isa::Operand::Kind::constant) { return true; }
    for (std::uint32_t i = 0; i < operand.rows; ++i) {
        const auto source = place(operand.index + i);
        if (!source || !before(*source, write)) { return false; }
    }
    return true;
}

}  // namespace lookahead::finaliser
