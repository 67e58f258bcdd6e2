#pragma once

#include <bit>
#include <concepts>
#include <iterator>

namespace lookahead {

/// The set bits of a word, from the lowest on: `for (const unsigned bit : SetBits(word))`.
template <std::unsigned_integral Word>
class SetBits {
  public:
    explicit constexpr SetBits(Word word) : left_(word) {}

    constexpr SetBits begin() const { return *this; }
    static constexpr std::default_sentinel_t end() { return {}; }

    constexpr unsigned operator*() const { return static_cast<unsigned>(std::countr_zero(left_)); }
    constexpr SetBits& operator++() {
        left_ &= static_cast<Word>(left_ - 1);
        return *this;
    }
    constexpr bool operator==(std::default_sentinel_t) const { return left_ == 0; }

  private:
    Word left_;
};

}  // namespace lookahead
