#include "components/sm/lsu/access_queue.h"

#include <cstring>

#include "components/sm/lsu/lane_spaces.h"
#include "components/sm/lsu/memory_fault.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::gpu {

unsigned ElementSequence::check(const MemoryInstruction& whole, const AllocationMap& allocations) {
    const isa::Instruction& instruction = *whole.instruction;
    LOOKAHEAD_DEBUG_ASSERT(
        (isa::is_load(instruction.operation) || isa::is_store(instruction.operation)) &&
            instruction.order == isa::Order::weak && isa::type_bytes(instruction.type) == 4 &&
            instruction.space != isa::Space::constant && whole.elements <= isa::kMostOperandRows,
        "elements with addresses of their own are up to 16 words of a weak load or store, not of a constant");
    unsigned unmapped = 0;
    for (unsigned number = 0; number < whole.elements; ++number) {
        try {
            unmapped += make(whole, number, allocations);
        } catch (const MemoryFault& fault) {
            number_ = kNone;
            throw MemoryFault(instruction, fault.lane, fault.address, fault.phrase, number);
        }
    }
    number_ = kNone;
    return unmapped;
}

bool ElementSequence::next(const MemoryInstruction& whole, const AllocationMap& allocations) {
    if (number_ + 1u == whole.elements) {
        number_ = kNone;
        return false;
    }
    make(whole, number_ + 1u, allocations);
    return true;
}

bool ElementSequence::more_left(const MemoryInstruction& whole, bool is_oldest, unsigned few) const {
    const bool has_begun = is_oldest && begun() && LOOKAHEAD_RULE(performed_elements_let_others_in);
    return whole.elements - (has_begun ? number() : 0) > few && LOOKAHEAD_RULE(elements_hold_the_unit);
}

unsigned ElementSequence::make(const MemoryInstruction& whole, unsigned number, const AllocationMap& allocations) {
    const bool loads = isa::is_load(whole.instruction->operation);
    number_ = static_cast<std::uint8_t>(number);
    shape_ = *whole.instruction;
    shape_.operation = loads ? isa::Operation::load : isa::Operation::store;
    shape_.vector = 1;
    shape_.destination_rows = loads ? 1 : 0;
    MemoryInstruction& memory = current_.memory;
    std::memcpy(static_cast<void*>(&memory), &whole, offsetof(MemoryInstruction, addresses));
    memory.instruction = &shape_;
    memory.elements = 1;
    memory.destination_rows = {};
    memory.destination_rows[0] = whole.destination_rows[number];
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        memory.addresses[lane] = whole.element_address(number, lane);
    }
    if (!loads) { std::memcpy(memory.data[0], whole.data[number], sizeof memory.data[0]); }
    return split_lanes(current_, allocations);
}

void ElementSequence::fields(StateArchive& archive, const MemoryInstruction* whole, const AllocationMap& allocations) {
    if (whole == nullptr) {
        if (archive.loading()) { number_ = kNone; }
        return;
    }
    archive& number_;
    if (!begun()) { return; }
    isa::LaneMask shared = current_.shared;
    isa::LaneMask global = current_.global;
    archive& shared& global;
    if (archive.loading()) {
        make(*whole, number_, allocations);
        current_.shared = shared;
        current_.global = global;
    }
}

}  // namespace lookahead::gpu
