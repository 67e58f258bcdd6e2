#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "components/mechanisms/vecmem/linear_form.h"

namespace lookahead::vecmem {

/// Why an access stays as it is.
enum class Reason : std::uint8_t {
    none,
    guard,       ///< its own predicate masks some lanes
    width,       ///< its elements are not 32 bits wide, or it is a vector already
    space,       ///< its mnemonic names neither global nor shared memory
    order,       ///< volatile, ordered, or an atomic
    loop_code,   ///< its loop has barriers, fences, atomics, instructions that lanes execute together, clocks or vector
                 ///< memory
    control,     ///< its loop cannot be made one block that ends in its only branch
    induction,   ///< its loop has no counter
    trip_count,  ///< its loop is known to have too few rounds
    alone,       ///< too few accesses have equally spaced addresses, or one base with indices
    address,     ///< one register cannot hold its base or its stride
    alias,       ///< an access between it and the others may be to the same place
    dependence,  ///< it needs the result of another of them
    registers,   ///< its loop would need more registers than there are
    kind,        ///< vectors are not wanted for its memory space
    effort,      ///< its kernel's trials reached their limit before a plan was found
    count
};
std::string_view name_of(Reason reason);

/// An access of a block.
struct Access {
    std::uint32_t index = 0;  ///< in the block
    bool loads = false;
    bool writes = false;
    isa::Space space = isa::Space::none;
    unsigned bytes = 0;
    bool has_address = true;      ///< whether `address` is set; atomics have one too
    Reason stays = Reason::none;  ///< why it can never be in a vector
    Form address;
};

/// Why an instruction can never be in a vector, whatever surrounds it; none for a candidate.
Reason fixed_reason(const VirtualInstruction& instruction);

/// The accesses of a block in their order, without vector memory instructions.
std::vector<Access> accesses_of(const VirtualKernel& kernel, std::uint32_t block, const Forms& forms);

/// Whether the accesses have no byte in common.
bool are_disjoint(const Access& a, const Access& b);
/// Whether the accesses' state spaces may have a byte in common.
bool may_share_space(const Access& a, const Access& b);

}  // namespace lookahead::vecmem
