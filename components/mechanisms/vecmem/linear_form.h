#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// How a 32-bit value is extended in a 64-bit sum.
enum class Extension : std::uint8_t { none, sign, zero };

/// An atom of a sum: one or two rows of a value or of the launch's constants.
struct Term {
    bool constant = false;
    Extension extension = Extension::none;
    std::uint32_t low = 0;   ///< ValueId of the low word, or constant row
    std::uint32_t high = 0;  ///< the same of the high word; finaliser::kNoValue if there is none
    auto operator<=>(const Term&) const = default;
};

/// constant + sum of coefficient x term, modulo 2^32 with one row, modulo 2^64 with two. Equal forms are equal values.
class Form {
  public:
    Form() = default;
    explicit Form(unsigned rows, std::uint64_t constant = 0) : rows_(rows), constant_(wrapped(constant)) {}

    unsigned rows() const { return rows_; }
    std::uint64_t constant() const { return constant_; }
    /// The constant as a signed number of rows() words.
    std::int64_t signed_constant() const;
    bool is_constant() const { return terms_.empty(); }
    /// In ascending order; no coefficient is 0.
    const std::vector<std::pair<Term, std::uint64_t>>& terms() const { return terms_; }
    /// The term, if the form is just that term.
    std::optional<Term> single() const;

    void add(const Term& term, std::uint64_t coefficient);
    void add(std::uint64_t constant) { constant_ = wrapped(constant_ + constant); }
    /// Adds `times` x `other`, which has as many rows.
    void add(const Form& other, std::uint64_t times = 1);

    friend Form operator-(Form a, const Form& b) {
        a.add(b, ~std::uint64_t{0});
        return a;
    }
    auto operator<=>(const Form&) const = default;

  private:
    std::uint64_t wrapped(std::uint64_t value) const { return rows_ == 1 ? static_cast<std::uint32_t>(value) : value; }

    unsigned rows_ = 1;
    std::uint64_t constant_ = 0;
    std::vector<std::pair<Term, std::uint64_t>> terms_;
};

/// A loop's 32-bit row for which row, row + step, ... row + most x step are known not to wrap, where `row` is its value
/// at the head of `block`: the loop's own test or a guard ensures it.
struct ExactRecurrence {
    std::uint32_t block = 0;
    std::uint32_t row = 0;
    VirtualOperand step;  ///< one row, not written in the block; added as a signed number
    std::uint64_t most = 0;
    bool as_signed = false;    ///< as signed numbers
    bool as_unsigned = false;  ///< as unsigned numbers
};

/// The linear forms of integer values.
class Forms {
  public:
    Forms(const VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Values& values,
          const std::vector<ExactRecurrence>& exact = {});

    /// The form of a source of one or two rows.
    Form source(Position at, unsigned index) const;
    /// The form of a value of one word (`high` = kNoValue) or two.
    Form value(ValueId low, ValueId high) const;
    /// The form of a memory access's address, offset included.
    Form address(Position at) const;
    /// Like address(), but pairs from outside the block are atoms, whatever they sum: comparisons are shorter so.
    Form address_in_parts(Position at) const;
    /// A value in the address's sum that equals `wanted` up to a constant, and that constant: its holder is available
    /// wherever the address is.
    std::optional<std::pair<Term, std::int64_t>> part_of_address(Position at, const Form& wanted) const;

  private:
    using Words = std::pair<ValueId, ValueId>;
    std::optional<std::pair<Term, std::int64_t>> part_of(Position at, unsigned source, const Form& wanted,
                                                         unsigned depth) const;
    /// A recurrence with its forms.
    struct Known {
        ValueId join = finaliser::kNoValue;
        std::optional<Term> step;  ///< a word; nothing: `literal`
        std::uint64_t literal = 0;
        const ExactRecurrence* rule = nullptr;
    };

    std::optional<Form> computed(Position at) const;
    std::optional<Form> product(Position at) const;
    std::optional<Form> converted(Position at) const;
    std::optional<std::uint64_t> literal(Position at, unsigned index) const;
    Form extended(const Form& form, const Term& whole, Extension extension) const;
    Form of_word(const Term& term) const;
    Form extended_source(Position at, unsigned index, isa::Type type) const;
    void learn(const finaliser::Flow& flow, const std::vector<ExactRecurrence>& exact);

    const VirtualKernel& kernel_;
    const finaliser::Values& values_;
    std::map<Words, Form> known_;
    std::vector<Known> exact_;
};

}  // namespace lookahead::vecmem
