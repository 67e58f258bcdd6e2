#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/access.h"

namespace lookahead::vecmem {

/// Accesses that one vector memory instruction can stand for (Crago et al., TACO 2018, section 4.2): element k's
/// address is base + 4 x k x stride, or base + 4 x index k.
struct Pattern {
    bool strided = false;
    std::vector<std::uint32_t> members;  ///< accesses, by number in the block's list, element by element
    std::optional<std::int32_t> stride;  ///< strided: a number of elements,
    Term stride_term;                    ///< or this,
    std::uint32_t stride_times = 1;      ///< so often
    Form base;                           ///< indirect
    std::vector<Term> indices;           ///< indirect: of each element, a word
};

/// What is still free; `same` tells accesses apart that no instruction can have together.
struct PatternSearch {
    const std::vector<Access>& accesses;
    std::vector<std::uint32_t> free;  ///< numbers of accesses that are alike but for their addresses, ascending
    unsigned length = 4;
    /// In which order loads by indices take them: by what it gives for an index.
    std::function<std::pair<std::uint32_t, std::uint32_t>(const Term&)> place_of_index;
};

/// Calls `take` for patterns of accesses that are free, in the order of the first one's number; what it accepts is free
/// no longer.
void find_strided(PatternSearch& search, const std::function<bool(const Pattern&)>& take);
void find_indirect(PatternSearch& search, const std::function<bool(const Pattern&)>& take);

}  // namespace lookahead::vecmem
