#include "core/bits/bits_128.h"

#include <doctest/doctest.h>

#include <bitset>
#include <random>

#include "core/state/archives.h"
#include "tests/support/seed.h"

namespace lookahead {
namespace {

using Model = std::bitset<Bits128::kSize>;

bool same(Bits128 bits, const Model& model) {
    const Model lower(bits.low()), upper(bits.high());
    return (upper << 64 | lower) == model;
}

TEST_CASE("a set of one number, and that of all from a number on, are what they say for every number") {
    for (unsigned number = 0; number < Bits128::kSize; ++number) {
        CAPTURE(number);
        CHECK(same(Bits128::of(number), Model(1) << number));
        CHECK(same(Bits128::from(number), ~Model() << number));
        CHECK(Bits128::of(number).first() == number);
        CHECK(Bits128::of(number).has(number));
        CHECK(!(~Bits128::of(number)).has(number));
        CHECK(Bits128::from(number).first() == number);
        CHECK(Bits128::from(number).count() == Bits128::kSize - number);
    }
    CHECK(Bits128::from(Bits128::kSize).empty());
}

TEST_CASE("sets are joined, cut, compared, counted and walked through as a bitset is") {
    std::mt19937_64 random(test::random_seed());
    // Sets of several densities, with an empty half now and then.
    const auto word = [&] {
        return random() % 4 == 0 ? 0 : random() % 2 == 0 ? random() : random() & random() & random();
    };
    for (int i = 0; i < 2000; ++i) {
        const Bits128 a(word(), word()), b(word(), word());
        const Model model_a = Model(a.high()) << 64 | Model(a.low()), model_b = Model(b.high()) << 64 | Model(b.low());
        REQUIRE(same(a & b, model_a & model_b));
        REQUIRE(same(a | b, model_a | model_b));
        REQUIRE(same(~a, ~model_a));
        REQUIRE((a == b) == (model_a == model_b));
        REQUIRE(a == Bits128(a.low(), a.high()));
        REQUIRE((a != 0) == model_a.any());
        REQUIRE(a.intersects(b) == (model_a & model_b).any());
        REQUIRE(a.empty() == model_a.none());
        REQUIRE(a.count() == model_a.count());
        Model walked;
        unsigned last = 0;
        for (const unsigned number : a) {
            REQUIRE((walked.none() || number > last));
            walked.set(last = number);
        }
        REQUIRE(walked == model_a);
        a.for_each([&](unsigned number) {
            REQUIRE((walked == model_a || number > last));
            walked.reset(last = number);
        });
        REQUIRE(walked.none());
    }
}

TEST_CASE("members from 64 on change the hash") {
    CHECK(hash_of_state(Bits128(5, 1)) != hash_of_state(Bits128(5)));
    CHECK(hash_of_state(Bits128(5, 1)) != hash_of_state(Bits128(5, 2)));
}

}  // namespace
}  // namespace lookahead
