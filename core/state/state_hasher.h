#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lookahead {

/// A 64-bit hash of a sequence of words and byte strings. The order counts; the host and the compiler do not.
/// Each word passes a bijection of the state (xor with an odd multiple, rotate, odd multiple), so that two
/// sequences that differ in one word cannot collide. Not meant to resist an adversary.
class StateHasher {
  public:
    void add(std::uint64_t word) { state_ = round(state_, word); }

    /// Adds the bytes and their number. Long byte strings go through four independent lanes.
    void add_bytes(const void* data, std::size_t size) {
        const auto* at = static_cast<const unsigned char*>(data);
        std::size_t left = size;
        if (left >= 4 * kWord) {
            std::uint64_t lanes[4] = {state_, state_ ^ kFirst, state_ ^ kSecond, ~state_};
            for (; left >= 4 * kWord; left -= 4 * kWord, at += 4 * kWord) {
                for (std::size_t lane = 0; lane < 4; ++lane) {
                    lanes[lane] = round(lanes[lane], load(at + lane * kWord, kWord));
                }
            }
            for (const std::uint64_t lane : lanes) { add(lane); }
        }
        for (; left >= kWord; left -= kWord, at += kWord) { add(load(at, kWord)); }
        if (left > 0) { add(load(at, left)); }
        add(size);
    }

    /// The hash of all that was added so far; more may be added afterwards.
    std::uint64_t value() const {
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 32)) * kFirst;
        mixed = (mixed ^ (mixed >> 29)) * kSecond;
        return mixed ^ (mixed >> 32);
    }

  private:
    static constexpr std::size_t kWord = 8;
    // Odd constants with well spread bits: 2^64 divided by the golden ratio and by the square root of 2.
    static constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15u;
    static constexpr std::uint64_t kSecond = 0xB504F333F9DE6485u;

    static std::uint64_t round(std::uint64_t state, std::uint64_t word) {
        return std::rotl(state ^ (word * kFirst), 31) * kSecond;
    }

    static std::uint64_t load(const unsigned char* at, std::size_t bytes) {
        static_assert(std::endian::native == std::endian::little, "bytes are read as little-endian words");
        std::uint64_t word = 0;
        std::memcpy(&word, at, bytes);
        return word;
    }

    std::uint64_t state_ = 0x4C6F6F6B61686561u;  // "Lookahea"
};

}  // namespace lookahead
