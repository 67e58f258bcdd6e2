#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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

}  // namespace lookahead::vecmem
