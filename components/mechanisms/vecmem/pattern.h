#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/access.h"

namespace lookahead::vecmem {

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
