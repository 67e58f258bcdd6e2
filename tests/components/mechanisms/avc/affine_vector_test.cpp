// The encoding and the decoding unit.
#include "components/mechanisms/avc/affine_vector.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/support/seed.h"

namespace lookahead::gpu {
namespace {

using Words = std::array<std::uint32_t, 32>;
constexpr std::uint32_t kAll = ~std::uint32_t{0};

Words affine(std::uint32_t base, std::uint32_t stride) {
    Words words;
    for (std::uint32_t lane = 0; lane < 32; ++lane) { words[lane] = base + lane * stride; }
    return words;
}
bool encodes(const Words& words, std::uint32_t mask = kAll) {
    return encode(words.data(), mask, 32).has_value();
}

TEST_CASE("equal words are a vector of stride 0, and a different one makes it generic") {
    Words words = affine(0xdeadbeef, 0);
    CHECK(encode(words.data(), kAll, 32) == AffineVector{0xdeadbeef, AffineVector::kUniform});
    words[31] ^= 1;
    CHECK_FALSE(encodes(words));
}

TEST_CASE("the strides are the powers of two up to 64, each of a base that is a multiple of it") {
    for (std::uint32_t log = 0; log <= 31; ++log) {
        CAPTURE(log);
        const std::uint32_t stride = std::uint32_t{1} << log;
        const auto encoded = encode(affine(stride * 5, stride).data(), kAll, 32);
        // Beyond 2^26 the lanes' words repeat, and no three-bit stride is that long.
        CHECK(encoded.has_value() == (log <= 6));
        if (encoded) { CHECK(*encoded == AffineVector{stride * 5, static_cast<std::uint8_t>(log)}); }
        if (log > 0 && log <= 6) { CHECK_FALSE(encodes(affine(stride * 5 + 1, stride))); }
    }
}

TEST_CASE("strides that are no power of two, and negative ones, are generic") {
    for (const std::uint32_t stride : {3u, 5u, 6u, 12u, 63u, 65u, ~0u, ~0u - 3}) {
        CAPTURE(stride);
        CHECK_FALSE(encodes(affine(stride * 64, stride)));
    }
}

TEST_CASE("the stride is the lowest bit in which the first pair differs: a carry may have changed more") {
    CHECK(encode(affine(7, 1).data(), kAll, 32) == AffineVector{7, 0});        // 7 xor 8 = 15
    CHECK(encode(affine(0xfc, 4).data(), kAll, 32) == AffineVector{0xfc, 2});  // fc xor 100
}

TEST_CASE("vectors may run over the end of 32 bits") {
    CHECK(encode(affine(0xffff'fff0, 8).data(), kAll, 32) == AffineVector{0xffff'fff0, 3});
}

TEST_CASE("inactive lanes do not count") {
    Words words = affine(64, 4);
    words[3] = words[17] = 99;
    CHECK_FALSE(encodes(words));
    CHECK_FALSE(encodes(words, kAll & ~(1u << 3)));
    CHECK(encodes(words, kAll & ~(1u << 3 | 1u << 17)));
    // The base is lane 0's even if lane 0 is inactive.
    CHECK(encode(words.data(), 0x0000fff0, 32) == AffineVector{64, 2});
}

TEST_CASE("the stride is that of a pair of lanes 2i and 2i + 1 which are both active, and of no other neighbours") {
    const Words words = affine(64, 4);
    CHECK(encodes(words, 0b1100));
    CHECK_FALSE(encodes(words, 0b0110));  // lanes 1 and 2 are not a pair
    CHECK_FALSE(encodes(words, 0x55555555));
    CHECK(encodes(affine(7, 0), 0x55555555));  // a uniform vector is found without a pair
    for (unsigned lane = 0; lane < 32; ++lane) {
        CHECK(encode(words.data(), 1u << lane, 32) == AffineVector{words[lane], AffineVector::kUniform});
    }
    CHECK_FALSE(encodes(words, 0));
}

TEST_CASE("half a warp is a vector of its own") {
    Words words = affine(64, 4);
    for (unsigned lane = 16; lane < 32; ++lane) { words[lane] = 1024 + (lane - 16) * 4; }
    CHECK_FALSE(encodes(words));
    CHECK(encode(words.data(), 0xffff, 16) == AffineVector{64, 2});
    CHECK(encode(words.data() + 16, 0xffff, 16) == AffineVector{1024, 2});
}

TEST_CASE(
    "what is encoded decodes to the same words under its mask, and what is not is no vector of the first pair's "
    "stride") {
    std::mt19937_64 random(lookahead::test::random_seed());
    unsigned found = 0;
    for (unsigned i = 0; i < 200'000; ++i) {
        const auto stride = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : 1u << random() % 8);
        Words words = affine(static_cast<std::uint32_t>(random()) & ~(stride == 0 ? 0 : stride - 1), stride);
        for (unsigned changes = random() % 3 == 0 ? random() % 3 : 0; changes > 0; --changes) {
            words[random() % 32] ^= 1u << random() % 32;
        }
        const auto mask = static_cast<std::uint32_t>(random() % 2 == 0 ? kAll : random() & random());
        const auto encoded = encode(words.data(), mask, 32);
        bool any = false;  // tries all strides with the first lane's base
        for (unsigned code = 0; code <= AffineVector::kUniform && mask != 0; ++code) {
            const auto first = static_cast<unsigned>(std::countr_zero(mask));
            AffineVector each{0, static_cast<std::uint8_t>(code)};
            each.base = words[first] - each.word(first);
            bool same = code == AffineVector::kUniform || each.base % (1u << code) == 0;
            for (unsigned lane = 0; lane < 32; ++lane) {
                same &= (mask >> lane & 1) == 0 || each.word(lane) == words[lane];
            }
            any |= same;
            if (encoded == each) { CHECK(same); }
        }
        if (encoded) {
            ++found;
            CHECK(any);
        } else if ((mask & mask >> 1 & 0x5555'5555u) != 0) {
            CHECK_FALSE(any);
        }
    }
    CHECK(found > 20'000);
}

}  // namespace
}  // namespace lookahead::gpu
