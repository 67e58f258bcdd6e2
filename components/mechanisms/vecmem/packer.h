#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/kept_values.h"
#include "components/mechanisms/vecmem/linear_form.h"

namespace lookahead::vecmem {

/// An address as an instruction's source and offset: whole (or `constant` without it) + coefficient x scaled + offset.
struct VectorBase {
    unsigned rows = 1;
    std::optional<Term> whole;
    std::uint64_t constant = 0;
    std::optional<Term> scaled;  ///< a word, which one further instruction adds
    std::uint32_t coefficient = 0;
    std::int32_t offset = 0;

    std::vector<Term> terms() const;
};

/// The form as an address; nothing if it would need more than one additional instruction.
std::optional<VectorBase> vector_base(const Form& form);

/// Accesses that one vector memory instruction can replace (Crago et al., TACO 2018, section 4.2). The address of
/// element k is base + 4 x k x stride, or base + 4 x index k.
struct Pattern {
    bool strided = false;
    std::vector<std::uint32_t> members;  ///< numbers in the block's list of accesses, element by element
    std::optional<std::int32_t> stride;  ///< strided: a number of elements,
    Term stride_term;                    ///< or this term,
    std::uint32_t stride_times = 1;      ///< times this
    Form base;                           ///< indirect
    std::vector<Term> indices;           ///< indirect: a word for each element
};

/// The accesses to search.
struct PatternSearch {
    const std::vector<Access>& accesses;
    std::vector<std::uint32_t> free;  ///< numbers of accesses that differ in their addresses only, ascending
    unsigned length = 4;
    /// The sort key of an index: indirect loads take their elements in this order.
    std::function<std::pair<std::uint32_t, std::uint32_t>(const Term&)> place_of_index;
};

/// Calls `take` with patterns of free accesses, in the order of their first access; accepted accesses are free no more.
void find_strided(PatternSearch& search, const std::function<bool(const Pattern&)>& take);
void find_indirect(PatternSearch& search, const std::function<bool(const Pattern&)>& take);

/// Two accesses that were exchanged although they may be to one place. The block is right if they do not overlap;
/// `distance` is the address of the second in program order minus that of the first.
struct Assumption {
    Form distance;
    unsigned first_bytes = 0;
    unsigned second_bytes = 0;
};

/// A block with its accesses packed.
struct PackedBlock {
    bool changed = false;
    std::uint32_t vectors = 0;             ///< vector memory instructions
    std::uint32_t elements = 0;            ///< accesses that they replace
    std::uint32_t longest = 0;             ///< elements of the longest vector
    std::uint32_t strided = 0;             ///< accesses in strided vectors
    std::map<std::uint32_t, Reason> left;  ///< by instruction of the original block
    std::vector<Assumption> assumptions;
    std::vector<VirtualInstruction> code;
    std::vector<std::uint32_t> behind;  ///< by original instruction: the place in `code` where its results are written
    std::vector<WordCopy> copies;       ///< into other blocks
};

/// Which vectors are wanted.
struct VectorKinds {
    bool global = true, shared = true;
    bool strided = true, indirect = true;
};

struct PackOptions {
    std::vector<unsigned> lengths;  ///< allowed lengths, preferred ones first
    /// Whether a distance can be checked before the block is entered; null: it cannot.
    std::function<bool(const Form& distance)> can_check;
    /// If `rounds` > 1, the block begins with so many rounds of `round_size` instructions, to be mixed: each
    /// instruction of all rounds before the next one, to shorten live ranges.
    unsigned rounds = 1;
    std::uint32_t round_size = 0;
    VectorKinds kinds = {};
};

/// Packs the accesses of a block into vector memory instructions; apart from new rows the kernel does not change.
PackedBlock pack_block(VirtualKernel& kernel, const Forms& forms, KeptValues& kept, std::uint32_t block,
                       const PackOptions& options);

}  // namespace lookahead::vecmem
