// Warp address records: the addresses of a warp that 65 bits can express, and those that they cannot.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "components/mechanisms/dac/warp_record.h"
#include "tests/support/seed.h"

namespace lookahead::dac {
namespace {

constexpr std::uint64_t kBase = 0x10000;

LaneAddresses addresses_of(const std::function<std::uint64_t(unsigned)>& address) {
    LaneAddresses addresses{};
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { addresses[lane] = address(lane); }
    return addresses;
}

/// The number of records for the addresses; checks that they read back unchanged.
unsigned records_of(const LaneAddresses& addresses, isa::LaneMask active = isa::kFullMask, unsigned bytes = 4,
                    unsigned most = 32, WarpRecords* out = nullptr, isa::LaneMask rows = 1) {
    WarpRecords records{};
    const unsigned count = compact(addresses, active, rows, bytes, most, records);
    LaneAddresses read{};
    RecordReader reader(active, rows, read);
    for (unsigned i = 0; i < count; ++i) { reader.take(records[i], i + 1 == count); }
    CHECK(reader.done() == (count > 0));
    for (unsigned lane = 0; count > 0 && lane < isa::kWarpSize; ++lane) {
        CHECK(read[lane] == ((active >> lane & 1) != 0 ? addresses[lane] : 0));
    }
    if (out != nullptr) { *out = records; }
    return count;
}

TEST_CASE("words side by side are one record, with all bits of its mask") {
    WarpRecords records;
    REQUIRE(records_of(addresses_of([](unsigned lane) { return kBase + 4 * lane; }), isa::kFullMask, 4, 32, &records) ==
            1);
    CHECK(records[0] == WarpRecord{kBase, 0xffffffff, 4, false, false});
}

TEST_CASE("every other word takes two lines, half of their bits") {
    WarpRecords records;
    REQUIRE(records_of(addresses_of([](unsigned lane) { return kBase + 8 * lane; }), isa::kFullMask, 4, 32, &records) ==
            2);
    CHECK(records[0].mask == 0x55555555);
    CHECK(records[1].mask == 0x55555555);
    CHECK(records[1].region == kBase + 128);
}

TEST_CASE("falling addresses have a direction, one for all lanes is a broadcast") {
    WarpRecords records;
    REQUIRE(records_of(addresses_of([](unsigned lane) { return kBase + 4 * (31 - lane); }), isa::kFullMask, 4, 32,
                       &records) == 1);
    CHECK(records[0].descends);
    REQUIRE(records_of(addresses_of([](unsigned) { return kBase + 12; }), isa::kFullMask, 4, 32, &records) == 1);
    CHECK(records[0] == WarpRecord{kBase, 8, 4, false, true});
}

TEST_CASE("a record's granule is a byte, half a word or a word; what is wider begins at a word") {
    for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
        CAPTURE(bytes);
        WarpRecords records;
        const unsigned lines = std::max(1u, 32 * bytes / 128);
        CHECK(records_of(addresses_of([&](unsigned lane) { return kBase + bytes * lane; }), isa::kFullMask, bytes, 32,
                         &records) == lines);
        CHECK(records[0].granule == std::min(bytes, 4u));
    }
}

TEST_CASE("inactive lanes are not in the mask") {
    WarpRecords records;
    REQUIRE(records_of(addresses_of([](unsigned lane) { return kBase + 4 * lane; }), 0x0f0, 4, 32, &records) == 1);
    CHECK(records[0].mask == 0x0f0);
    CHECK(records_of(addresses_of([](unsigned) { return kBase; }), 1) == 1);
}

TEST_CASE("what turns back within a line, or repeats a word beside others, has no record") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 * (lane % 16); })) == 0);
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 * (lane / 2); })) == 0);
    // A broadcast, except for one lane at another word.
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 31 ? 4 : 0); })) == 0);
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 0 ? 0 : 4); })) == 0);
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 31 ? 128 : 0); })) == 0);
    // Another line needs another record.
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 256 * (lane / 16) + 4 * (lane % 16); })) == 2);
}

/// The number of records for rows of `width` threads.
unsigned in_rows_of(unsigned width, const std::function<std::uint64_t(unsigned x, unsigned y)>& address,
                    isa::LaneMask active = isa::kFullMask, WarpRecords* out = nullptr) {
    return records_of(addresses_of([&](unsigned lane) { return address(lane % width, lane / width); }), active, 4, 32,
                      out, row_starts(0, width));
}

TEST_CASE("rows of a block begin where its width says") {
    CHECK(row_starts(0, 16) == 0x00010001);
    CHECK(row_starts(1, 16) == 0x00010001);
    CHECK(row_starts(0, 24) == 0x01000001);
    CHECK(row_starts(1, 24) == 0x00010001);  // threads 32 to 63: 48 begins a row
    CHECK(row_starts(0, 32) == 1);
    CHECK(row_starts(3, 64) == 1);
    CHECK(row_starts(0, 1) == isa::kFullMask);
}

TEST_CASE("rows that repeat the same words are a record each") {
    WarpRecords records;
    REQUIRE(in_rows_of(
                16, [](unsigned x, unsigned) { return kBase + 4 * x; }, isa::kFullMask, &records) == 2);
    CHECK(records[0] == WarpRecord{kBase, 0xffff, 4, false, false});
    CHECK(records[1] == records[0]);
    // They turn back in the middle of a row.
    CHECK(in_rows_of(32, [](unsigned x, unsigned) { return kBase + 4 * (x % 16); }) == 0);
}

TEST_CASE("rows with a word each stand on a bit each of one record") {
    WarpRecords records;
    REQUIRE(in_rows_of(
                8, [](unsigned, unsigned y) { return kBase + 12 * y; }, isa::kFullMask, &records) == 1);
    CHECK(records[0] == WarpRecord{kBase, 0b1001001001, 4, false, true});
    REQUIRE(in_rows_of(
                8, [](unsigned, unsigned y) { return kBase + 12 * (3 - y); }, isa::kFullMask, &records) == 1);
    CHECK(records[0] == WarpRecord{kBase, 0b1001001001, 4, true, true});
    // In lines of their own.
    REQUIRE(in_rows_of(
                16, [](unsigned, unsigned y) { return kBase + 256 * y; }, isa::kFullMask, &records) == 2);
    CHECK(records[0] == WarpRecord{kBase, 1, 4, false, true});
    CHECK(records[1] == WarpRecord{kBase + 256, 1, 4, false, true});
    // For any active threads of a row.
    CHECK(in_rows_of(
              16, [](unsigned, unsigned y) { return kBase + 4 * y; }, 0x10030) == 1);
    CHECK(in_rows_of(
              8, [](unsigned, unsigned y) { return kBase + 4 * y; }, 0xff00ff00) == 1);
}

TEST_CASE("one word for rows up to the last is a broadcast, with another behind it none") {
    CHECK(in_rows_of(8, [](unsigned, unsigned) { return kBase; }) == 1);
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + (y == 0 ? 0 : 4); }) == 1);
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + (y == 3 ? 4 : 0); }) == 0);
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + (y == 3 ? 256 : 0); }) == 0);
}

TEST_CASE("a broadcast ends with its row") {
    CHECK(in_rows_of(16, [](unsigned x, unsigned y) { return kBase + (y == 0 ? 0 : 128 + 4 * x); }) == 2);
    CHECK(in_rows_of(16, [](unsigned x, unsigned y) { return kBase + (y == 0 ? 4 * x : 128); }) == 2);
    CHECK(in_rows_of(32, [](unsigned x, unsigned) { return kBase + (x < 16 ? 0 : 128); }) == 0);
}

TEST_CASE("an access takes no more records than it may") {
    const LaneAddresses four = addresses_of([](unsigned lane) { return kBase + 16 * lane; });
    CHECK(records_of(four, isa::kFullMask, 4, 4) == 4);
    CHECK(records_of(four, isa::kFullMask, 4, 3) == 0);
}

TEST_CASE("an address that is no multiple of the access has no record") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 8 * lane; }), isa::kFullMask, 8) == 2);
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 + 8 * lane; }), isa::kFullMask, 8) == 0);
}

TEST_CASE("random linear addresses read back, whatever lanes are active") {
    std::mt19937_64 random(lookahead::test::random_seed());
    unsigned said = 0;
    for (unsigned turn = 0; turn < 2000; ++turn) {
        const unsigned bytes = 1u << random() % 5;
        const auto stride = static_cast<std::int64_t>(random() % 9) - 4;
        const std::uint64_t base = kBase + bytes * (random() % 100);
        const unsigned width = 1u << random() % 6;
        const std::uint64_t pitch = bytes * (random() % 64);
        const auto active = static_cast<isa::LaneMask>(random() | 1);
        said += records_of(
                    addresses_of([&](unsigned lane) {
                        return base +
                               static_cast<std::uint64_t>(stride * static_cast<std::int64_t>(bytes * (lane % width))) +
                               pitch * (lane / width);
                    }),
                    active, bytes, 1 + random() % 32, nullptr, row_starts(0, width)) > 0;
    }
    CHECK(said > 200);
    CHECK(said < 2000);
}

}  // namespace
}  // namespace lookahead::dac
