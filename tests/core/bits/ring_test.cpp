#include "core/bits/ring.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/state/archives.h"
#include "tests/core/error/error_of.h"

namespace lookahead {
namespace {

struct Numbers {
    explicit Numbers(std::size_t capacity) : ring(capacity) {}

    void fields(StateArchive& archive) {
        ring.fields(archive, [&](int& number) { archive& number; });
    }

    Ring<int> ring;
};

TEST_CASE("a ring is restored with what it held, and no further than it has room") {
    Numbers numbers(4);
    for (const int number : {1, 2, 3}) { numbers.ring.push() = number; }
    const std::string bytes = saved_state(numbers);
    Numbers same(3);
    load_state(same, bytes);
    CHECK(same.ring.full());
    CHECK(same.ring[2] == 3);
    Numbers smaller(2);
    CHECK(test::error_of<InputError>([&] { load_state(smaller, bytes, "a ring"); }) ==
          "a ring cannot be restored: a length in it is impossible");
}

TEST_CASE("a length that is far beyond what was saved takes no memory for it") {
    const std::vector<std::uint64_t> words(10'000, 7);
    struct Words {
        std::vector<std::uint64_t> words;
        void fields(StateArchive& archive) { archive& words; }
    };
    std::string bytes = saved_state(Words{words});
    Words loaded;
    load_state(loaded, bytes);
    CHECK(loaded.words == words);
    bytes[3] = 16;  // 2^28 words more
    CHECK_THROWS_AS(load_state(loaded, bytes), InputError);
    CHECK(loaded.words.capacity() < 100'000);
}

}  // namespace
}  // namespace lookahead
