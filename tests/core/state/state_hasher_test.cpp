#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "core/state/state_hasher.h"

namespace lookahead {
namespace {

std::uint64_t hash_of_words(const std::vector<std::uint64_t>& words) {
    StateHasher hasher;
    for (const auto word : words) { hasher.add(word); }
    return hasher.value();
}

std::uint64_t hash_of(const std::string& bytes) {
    StateHasher hasher;
    hasher.add_bytes(bytes.data(), bytes.size());
    return hasher.value();
}

TEST_CASE("the hash of a fixed sequence never changes between hosts and versions") {
    CHECK(hash_of_words(std::vector<std::uint64_t>{}) == 0x9e91d0449c6268e5u);
    CHECK(hash_of_words({1, 2, 3}) == 0x6a1e720382201222u);
    CHECK(hash_of(std::string("The quick brown fox jumps over the lazy dog, twice.")) == 0xdfa285dee9a189fau);
}

TEST_CASE("the order and the number of words count") {
    CHECK(hash_of_words({1, 2}) != hash_of_words({2, 1}));
    CHECK(hash_of_words({0}) != hash_of_words({0, 0}));
    CHECK(hash_of_words(std::vector<std::uint64_t>{}) != hash_of_words({0}));
}

TEST_CASE("sequences that differ in one bit of one word differ in their hash") {
    std::set<std::uint64_t> seen;
    seen.insert(hash_of_words({0, 0, 0}));
    for (int word = 0; word < 3; ++word) {
        for (int bit = 0; bit < 64; ++bit) {
            std::vector<std::uint64_t> words(3);
            words[static_cast<std::size_t>(word)] = std::uint64_t{1} << bit;
            CHECK(seen.insert(hash_of_words(words)).second);
        }
    }
}

TEST_CASE("byte strings of every length up to 200 differ from those with one byte changed or dropped") {
    std::string bytes;
    std::set<std::uint64_t> seen;
    for (int length = 0; length < 200; ++length) {
        CHECK(seen.insert(hash_of(bytes)).second);
        for (std::size_t at = 0; at < bytes.size(); at += 7) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ 0x10);
            CHECK(seen.insert(hash_of(changed)).second);
        }
        bytes += static_cast<char>(length);
    }
}

TEST_CASE("where a byte string lies in memory does not count") {
    const std::string text = "a string that is longer than one block of the four lanes, by far";
    for (std::size_t shift = 0; shift < 8; ++shift) {
        const std::string shifted = std::string(shift, 'x') + text;
        StateHasher hasher;
        hasher.add_bytes(shifted.data() + shift, text.size());
        CHECK(hasher.value() == hash_of(text));
    }
}

}  // namespace
}  // namespace lookahead
