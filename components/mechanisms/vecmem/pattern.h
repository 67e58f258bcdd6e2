#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
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

/// Nothing if more than one additional instruction would be needed.
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

}  // namespace lookahead::vecmem
