#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "core/state/state_archive.h"

namespace lookahead {

/// A set of numbers below 128 in one vector register. Union, intersection and the test for emptiness take as many
/// instructions as on a word of 64 bits. `for (unsigned number : set)` visits the members in ascending order.
class Bits128 {
  public:
    static constexpr unsigned kSize = 128;

    Bits128() : bits_(_mm_setzero_si128()) {}
    /// The members below 64, one bit each.
    Bits128(std::uint64_t low) : bits_(_mm_set_epi64x(0, static_cast<long long>(low))) {}
    Bits128(std::uint64_t low, std::uint64_t high)
        : bits_(_mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low))) {}

    /// The set of one number below 128.
    static Bits128 of(unsigned number) {
        return Bits128(_mm_load_si128(reinterpret_cast<const __m128i*>(kSingle[number].data())));
    }
    /// All numbers from `first` (at most 128) on.
    static Bits128 from(unsigned first) {
        // Saturated: the upper word keeps all its members unless `first` is one of them.
        const __m128i counts = _mm_subs_epu16(_mm_set1_epi64x(static_cast<long long>(first)), _mm_set_epi64x(kWord, 0));
        return Bits128(_mm_sllv_epi64(_mm_set1_epi64x(-1), counts));
    }

    friend Bits128 operator&(Bits128 a, Bits128 b) { return Bits128(_mm_and_si128(a.bits_, b.bits_)); }
    friend Bits128 operator|(Bits128 a, Bits128 b) { return Bits128(_mm_or_si128(a.bits_, b.bits_)); }
    friend Bits128 operator~(Bits128 a) { return Bits128(_mm_xor_si128(a.bits_, _mm_set1_epi64x(-1))); }
    Bits128& operator&=(Bits128 other) { return *this = *this & other; }
    Bits128& operator|=(Bits128 other) { return *this = *this | other; }
    friend bool operator==(Bits128 a, Bits128 b) {
        const __m128i differing = _mm_xor_si128(a.bits_, b.bits_);
        return _mm_testz_si128(differing, differing) != 0;
    }

    bool has(unsigned number) const { return _mm_testz_si128(bits_, of(number).bits_) == 0; }
    bool intersects(Bits128 other) const { return _mm_testz_si128(bits_, other.bits_) == 0; }
    bool empty() const { return _mm_testz_si128(bits_, bits_) != 0; }
    unsigned count() const { return static_cast<unsigned>(std::popcount(low()) + std::popcount(high())); }
    /// The least member; the set must not be empty.
    unsigned first() const {
        const std::uint64_t lower = low();
        return static_cast<unsigned>(lower != 0 ? std::countr_zero(lower) : kWord + std::countr_zero(high()));
    }

    std::uint64_t low() const { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(bits_)); }
    std::uint64_t high() const { return static_cast<std::uint64_t>(_mm_extract_epi64(bits_, 1)); }

    class Iterator {
      public:
        using value_type = unsigned;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using reference = unsigned;
        using pointer = void;

        explicit Iterator(Bits128 bits) : bits_(bits.low()), next_(bits.high()) { skip_empty_word(); }
        unsigned operator*() const { return base_ + static_cast<unsigned>(std::countr_zero(bits_)); }
        Iterator& operator++() {
            bits_ &= bits_ - 1;
            skip_empty_word();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return bits_ == 0; }

      private:
        void skip_empty_word() {
            if (bits_ == 0) {
                bits_ = next_;
                next_ = 0;
                base_ = kWord;
            }
        }

        std::uint64_t bits_;
        std::uint64_t next_;
        unsigned base_ = 0;
    };
    Iterator begin() const { return Iterator(*this); }
    static std::default_sentinel_t end() { return {}; }
    /// Calls f(number) for each member in ascending order. Faster than a range-based loop, whose steps test for the end
    /// of a word.
    template <class F>
    void for_each(F&& f) const {
        for (std::uint64_t bits = low(); bits != 0; bits &= bits - 1) {
            f(static_cast<unsigned>(std::countr_zero(bits)));
        }
        for (std::uint64_t bits = high(); bits != 0; bits &= bits - 1) {
            f(kWord + static_cast<unsigned>(std::countr_zero(bits)));
        }
    }

    /// The upper word is listed only if it has members, so that a set of members below 64 hashes like its lower word.
    void fields(StateArchive& archive) {
        std::uint64_t lower = low(), upper = high();
        archive& lower& upper;
        *this = Bits128(lower, upper);
    }

  private:
    static constexpr int kWord = 64;
    using Words = std::array<std::uint64_t, 2>;
    static constexpr auto make_single() {
        std::array<Words, kSize> sets{};
        for (unsigned number = 0; number < kSize; ++number) {
            sets[number][number / kWord] = std::uint64_t{1} << number % kWord;
        }
        return sets;
    }
    /// Shifting a bit over both words would take four instructions.
    static const std::array<Words, kSize> kSingle;

    explicit Bits128(__m128i bits) : bits_(bits) {}

    __m128i bits_;
};

alignas(64) inline constexpr std::array<Bits128::Words, Bits128::kSize> Bits128::kSingle = Bits128::make_single();

}  // namespace lookahead
