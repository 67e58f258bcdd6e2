#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// How a 32-bit value stands in a sum of 64 bits.
enum class Extension : std::uint8_t { none, sign, zero };

/// What a sum does not look into: one or two rows of a value, or of the launch's constants.
struct Term {
    bool constant = false;
    Extension extension = Extension::none;
    std::uint32_t low = 0;   ///< ValueId of the low word, or constant row
    std::uint32_t high = 0;  ///< likewise of the high word; finaliser::kNoValue where there is none
    auto operator<=>(const Term&) const = default;
};

/// constant + sum of coefficient x term, modulo 2^32 with one row, modulo 2^64 with two. Equal forms are equal values.
class Form {
  public:
    Form() = default;
    explicit Form(unsigned rows, std::uint64_t constant = 0) : rows_(rows), constant_(wrapped(constant)) {}

    unsigned rows() const { return rows_; }
    std::uint64_t constant() const { return constant_; }
    /// As a signed number of rows() words.
    std::int64_t signed_constant() const;
    bool is_constant() const { return terms_.empty(); }
    /// In ascending order; no coefficient is 0.
    const std::vector<std::pair<Term, std::uint64_t>>& terms() const { return terms_; }
    /// The term, if the form is nothing else.
    std::optional<Term> single() const;

    void add(const Term& term, std::uint64_t coefficient);
    void add(std::uint64_t constant) { constant_ = wrapped(constant_ + constant); }
    /// Adds `times` x other, which has as many rows.
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

/// A loop's 32-bit row of which it is known that row, row + step, ... row + most x step are numbers that do not wrap,
/// as the row is at the head of `block`: the loop's own test or a guard says so.
struct ExactRecurrence {
    std::uint32_t block = 0;
    std::uint32_t row = 0;
    VirtualOperand step;  ///< of one row, not written in the block; added as a signed number
    std::uint64_t most = 0;
    bool as_signed = false;    ///< as signed numbers
    bool as_unsigned = false;  ///< as unsigned numbers
};

/// What integer values are as linear forms.
class Forms {
  public:
    Forms(const VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Values& values,
          const std::vector<ExactRecurrence>& exact = {});

    /// What a source of one or two rows holds.
    Form source(Position at, unsigned index) const;
    /// What a value is, of one word (`high`: kNoValue) or two.
    Form value(ValueId low, ValueId high) const;
    /// A memory access's address, its offset included.
    Form address(Position at) const;
    /// The same, where a pair from outside of the block that the sum is made of stands for itself, whatever it is a sum
    /// of: for comparisons, which are shorter so.
    Form address_in_parts(Position at) const;
    /// A value that the address's sum is made of and that is `wanted` but for a number: what holds it is at hand
    /// wherever the address is. With the number that is missing.
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
