#include "components/mechanisms/vecmem/vector_base.h"

namespace lookahead::vecmem {

namespace {

/// Whether a literal factor of a 32-bit product is the coefficient: with two rows it is extended like the word.
bool fits_factor(std::uint64_t coefficient, const Term& term, unsigned rows) {
    if (rows == 1) { return true; }
    if (term.extension == Extension::zero) { return coefficient == static_cast<std::uint32_t>(coefficient); }
    return static_cast<std::int64_t>(coefficient) == static_cast<std::int32_t>(coefficient);
}

}  // namespace

std::vector<Term> VectorBase::terms() const {
    std::vector<Term> all;
    if (whole) { all.push_back(*whole); }
    if (scaled) { all.push_back(*scaled); }
    return all;
}

std::optional<VectorBase> vector_base(const Form& form) {
    VectorBase base;
    base.rows = form.rows();
    for (const auto& [term, coefficient] : form.terms()) {
        const bool is_whole = form.rows() == 1 || term.high != kNoValue;
        if (!base.whole && is_whole && coefficient == 1) {
            base.whole = term;
        } else if (!base.scaled && term.high == kNoValue && fits_factor(coefficient, term, form.rows())) {
            base.scaled = term;
            base.coefficient = static_cast<std::uint32_t>(coefficient);
        } else {
            return std::nullopt;
        }
    }
    const std::int64_t constant = form.signed_constant();
    if (base.whole && constant != static_cast<std::int32_t>(constant)) { return std::nullopt; }
    if (base.whole) {
        base.offset = static_cast<std::int32_t>(constant);
    } else {
        base.constant = form.constant();
    }
    return base;
}

}  // namespace lookahead::vecmem
