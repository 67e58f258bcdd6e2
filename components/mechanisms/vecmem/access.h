#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "components/mechanisms/vecmem/linear_form.h"

namespace lookahead::vecmem {

/// Why an access stays as it is.
enum class Reason : std::uint8_t {
    none,
    guard,       ///< some lanes are masked by its own predicate
    width,       ///< its elements are not 32 bits wide, or it is a vector already
    space,       ///< not in global or shared memory by its own mnemonic
    order,       ///< volatile or ordered
    loop_code,   ///< its loop has barriers, fences, atomics, instructions that lanes execute together, clocks or vector
                 ///< memory
    control,     ///< its loop is not one block that ends in its only branch
    induction,   ///< nothing counts its loop's rounds
    trip_count,  ///< its loop is known to have too few rounds
    alone,       ///< too few accesses have addresses at one distance, or from one base by indices
    address,     ///< its base or its stride is nothing that one register can hold
    alias,       ///< between it and the others stands an access that may be to the same place
    dependence,  ///< it needs what another of them gives
    registers,   ///< its loop would need more registers than there are
    kind,        ///< of a memory of which no vectors are wanted
    effort,      ///< its kernel has been packed in as many ways as are tried
};
std::string_view name_of(Reason reason);

/// Accesses of one block, in its order.
struct Access {
    std::uint32_t index = 0;  ///< in the block
    bool loads = false;
    bool writes = false;
    isa::Space space = isa::Space::none;
    unsigned bytes = 0;
    bool has_address = true;      ///< its address is a form; atomics' are too
    Reason stays = Reason::none;  ///< why it can be in no vector
    Form address;
};

/// What can never be in a vector, whatever stands around it: none for a candidate.
Reason fixed_reason(const VirtualInstruction& instruction);

std::vector<Access> accesses_of(const VirtualKernel& kernel, std::uint32_t block, const Forms& forms);

/// Whether no byte of the one is one of the other.
bool are_disjoint(const Access& a, const Access& b);
/// Whether their state spaces may have a byte in common.
bool may_share_space(const Access& a, const Access& b);

}  // namespace lookahead::vecmem
