#include "components/frontend/cudart/fat_binary.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <random>

#include "components/frontend/cudart/lz4_block.h"
#include "core/error/error.h"
#include "tests/components/frontend/cudart/fat_binaries.h"
#include "tests/core/error/error_of.h"
#include "tests/support/seed.h"

using namespace lookahead;
using namespace lookahead::cudart;
using namespace lookahead::cudart::test;

namespace {

const std::string kPtx =
    ".version 9.0\n.target sm_75\n.address_size 64\n// aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

Entry plain() {
    Entry entry;
    entry.payload = text_bytes(kPtx);
    return entry;
}

Entry zstd() {
    const Bytes text = text_bytes(kPtx);
    Entry entry;
    entry.payload.resize(ZSTD_compressBound(text.size()));
    entry.payload.resize(ZSTD_compress(entry.payload.data(), entry.payload.size(), text.data(), text.size(), 3));
    entry.flags = 0x8011;
    entry.compressed = static_cast<std::uint32_t>(entry.payload.size());
    entry.uncompressed = text.size();
    return entry;
}

/// "abcabcabcabcabcabcabcabcabcabc" by one match of 27 bytes that overlaps itself, then "end" and NUL.
Entry lz4() {
    Entry entry;
    const unsigned char block[] = {0x3F, 'a', 'b', 'c', 3, 0, 8, 0x40, 'e', 'n', 'd', 0};
    const auto bytes = std::as_bytes(std::span(block));
    entry.payload = {bytes.begin(), bytes.end()};
    entry.flags = 0x2011;
    entry.compressed = sizeof block;
    entry.uncompressed = 34;
    return entry;
}

std::string message_of(const Bytes& bytes) {
    return lookahead::test::error_of<InputError>([&] { extract_ptx(bytes, "app"); }, "");
}

}  // namespace

TEST_CASE("PTX is found beside machine code, plain and compressed in both ways") {
    Entry code = plain();
    code.kind = 2;
    const auto images = extract_ptx(fat_binary({code, plain(), zstd(), lz4()}), "app");
    REQUIRE(images.size() == 3);
    CHECK(images[0].text == kPtx);
    CHECK(images[0].architecture == 75);
    CHECK(images[1].text == kPtx);
    CHECK(images[2].text == "abcabcabcabcabcabcabcabcabcabcend");
    CHECK(extract_ptx(fat_binary(std::vector<Entry>{}), "app").empty());
}

TEST_CASE("Machine code is found beside PTX, plain and compressed") {
    Entry code = plain(), compressed = zstd();
    code.kind = compressed.kind = 2;
    code.architecture = 90;
    const auto images = extract_cubins(fat_binary({plain(), code, compressed}), "app");
    REQUIRE(images.size() == 2);
    CHECK(images[0].architecture == 90);
    CHECK(std::ranges::equal(std::span(images[0].bytes).first(code.payload.size()), code.payload));
    CHECK(images[1].architecture == 75);
    CHECK(images[1].bytes == text_bytes(kPtx));
    compressed.flags = 0x4011;
    const Bytes unknown = fat_binary({plain(), compressed});
    CHECK_THROWS_AS(extract_cubins(unknown, "app"), InputError);
    CHECK(extract_ptx(unknown, "app").size() == 1);
}

TEST_CASE("Long lengths of LZ4 go over several bytes") {
    // 300 literals, then a match of 4 + 15 + 255 + 1 bytes, then nothing.
    Bytes block{std::byte{0xFF}, std::byte{255}, std::byte{30}};
    for (int i = 0; i < 300; ++i) { block.push_back(static_cast<std::byte>(i)); }
    for (const int b : {44, 1, 255, 1, 0}) { block.push_back(static_cast<std::byte>(b)); }
    const Bytes output = decompress_lz4_block(block, 575);
    REQUIRE(output.size() == 575);
    for (std::size_t i = 0; i < output.size(); ++i) { CHECK(output[i] == static_cast<std::byte>(i % 300)); }
}

TEST_CASE("Every fault has its sentence") {
    Bytes bytes = fat_binary({plain()});
    put(bytes, 0, 1);
    CHECK(message_of(bytes) == "app: the magic number is 0x1 instead of 0xba55ed50");

    bytes = fat_binary({plain()});
    put(bytes, 8, std::uint64_t{1} << 60);
    CHECK(message_of(bytes).find("bytes are there") != std::string::npos);

    bytes = fat_binary({plain()});
    put(bytes, 16 + 8, ~std::uint64_t{0});
    CHECK(message_of(bytes).find("bytes are left") != std::string::npos);

    Entry entry = zstd();
    entry.uncompressed = kMostPtxBytes + 1;
    CHECK(message_of(fat_binary({entry})).find("uncompressed, more than") != std::string::npos);
    entry = zstd();
    ++entry.uncompressed;
    CHECK(message_of(fat_binary({entry})).find("where its header says") != std::string::npos);
    entry = zstd();
    entry.compressed = 100000;
    CHECK(message_of(fat_binary({entry})).find("compressed size") != std::string::npos);
    entry = zstd();
    entry.flags = 0x11;
    CHECK(message_of(fat_binary({entry})).find("neither Zstandard nor LZ4") != std::string::npos);
    entry = lz4();
    entry.payload[4] = std::byte{9};
    CHECK(message_of(fat_binary({entry})).find("before the start") != std::string::npos);
    entry = lz4();
    entry.uncompressed = 20;
    CHECK(message_of(fat_binary({entry})).find("more than its header says") != std::string::npos);
    entry = lz4();
    entry.uncompressed = 35;
    CHECK(message_of(fat_binary({entry})).find("ends early") != std::string::npos);
    entry = plain();
    entry.payload = Bytes(8);
    CHECK(message_of(fat_binary({entry})) == "app: an entry's PTX is empty");
}

TEST_CASE("Truncated and damaged fat binaries never do worse than an InputError") {
    const Bytes whole = fat_binary({plain(), zstd(), lz4()});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        // In a heap block of exactly this size a sanitizer detects the first byte read beyond it.
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(!message_of(cut).empty());
    }
    std::mt19937 random(lookahead::test::random_seed());
    int refused = 0;
    for (int round = 0; round < 20000; ++round) {
        Bytes damaged = whole;
        for (unsigned i = 0; i <= random() % 4; ++i) {
            damaged[random() % damaged.size()] = static_cast<std::byte>(random());
        }
        refused += !message_of(damaged).empty();
    }
    CHECK(refused > 2000);
    CHECK(refused < 20000);
}
