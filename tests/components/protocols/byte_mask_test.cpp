#include "components/protocols/byte_mask.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

namespace lookahead::gpu {
namespace {

using Line = std::array<std::byte, kLineBytes>;

Line random_line(std::mt19937& random) {
    Line line;
    for (std::byte& byte : line) { byte = static_cast<std::byte>(random()); }
    return line;
}

ByteMask random_mask(std::mt19937& random) {
    ByteMask mask;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned first = random() % kLineBytes;
        mask.set(first, 1 + random() % (kLineBytes - first));
        if (random() % 2 == 0) { mask = ~mask; }
    }
    return mask;
}

TEST_CASE("a range has the bytes that it names") {
    for (unsigned first = 0; first < kLineBytes; ++first) {
        for (unsigned count = 1; first + count <= kLineBytes; ++count) {
            ByteMask expected;
            expected.set(first, count);
            REQUIRE(byte_range(first, count) == expected);
        }
    }
}

TEST_CASE("a mask covers another if it has all its bytes") {
    CHECK(covers(byte_range(3, 70), byte_range(4, 60)));
    CHECK(covers(byte_range(3, 70), byte_range(3, 70)));
    CHECK_FALSE(covers(byte_range(3, 70), byte_range(2, 1)));
    CHECK_FALSE(covers(byte_range(3, 70), byte_range(73, 1)));
    CHECK(covers(ByteMask{}, ByteMask{}));
}

TEST_CASE("copying and writing by mask change the bytes of the mask and no others") {
    const unsigned seed = 3;
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int i = 0; i < 3000; ++i) {
        const Line before = random_line(random);
        const Line from = random_line(random);
        const ByteMask mask = i == 0 ? byte_range(0, kLineBytes) : random_mask(random);
        Line copied = before;
        copy_bytes(copied.data(), from.data(), mask);
        std::vector<std::byte> words;
        for (unsigned word = 0; word < kLineWords; ++word) {
            if ((byte_range(4 * word, 4) & mask).any()) {
                words.insert(words.end(), from.begin() + 4 * word, from.begin() + 4 * word + 4);
            }
        }
        Line written = before;
        write_words(written.data(), mask, words.data());
        for (unsigned byte = 0; byte < kLineBytes; ++byte) {
            REQUIRE(copied[byte] == (mask.test(byte) ? from : before)[byte]);
            REQUIRE(written[byte] == copied[byte]);
        }
    }
}

}  // namespace
}  // namespace lookahead::gpu
