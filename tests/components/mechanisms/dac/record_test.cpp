// Warp address records: the addresses of a warp that 65 bits can express, and those that they cannot.
#include <doctest/doctest.h>

#include <functional>

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

using Records = std::vector<WarpRecord>;

/// The records for the addresses; checks that they read back unchanged.
Records records_of(const LaneAddresses& addresses, isa::LaneMask active = isa::kFullMask, unsigned bytes = 4,
                   unsigned most = 32, isa::LaneMask rows = 1) {
    WarpRecords records{};
    const unsigned count = compact(addresses, active, rows, bytes, most, records);
    LaneAddresses read{};
    RecordReader reader(active, rows, read);
    for (unsigned i = 0; i < count; ++i) { reader.take(records[i], i + 1 == count); }
    CHECK(reader.done() == (count > 0));
    for (unsigned lane = 0; count > 0 && lane < isa::kWarpSize; ++lane) {
        CHECK(read[lane] == ((active >> lane & 1) != 0 ? addresses[lane] : 0));
    }
    return {records.begin(), records.begin() + count};
}

TEST_CASE("words side by side are one record, with all bits of its mask") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 * lane; })) ==
          Records{{kBase, 0xffffffff, 4, false, false}});
}

TEST_CASE("every other word takes two lines, half of their bits") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 8 * lane; })) ==
          Records{{kBase, 0x55555555, 4, false, false}, {kBase + 128, 0x55555555, 4, false, false}});
}

TEST_CASE("falling addresses have a direction, one for all lanes is a broadcast") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 * (31 - lane); })) ==
          Records{{kBase, 0xffffffff, 4, true, false}});
    CHECK(records_of(addresses_of([](unsigned) { return kBase + 12; })) == Records{{kBase, 8, 4, false, true}});
}

TEST_CASE("a record's granule is a byte, half a word or a word; what is wider begins at a word") {
    for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
        CAPTURE(bytes);
        const Records records =
            records_of(addresses_of([&](unsigned lane) { return kBase + bytes * lane; }), isa::kFullMask, bytes);
        REQUIRE(records.size() == std::max(1u, 32 * bytes / 128));
        CHECK(records[0].granule == std::min(bytes, 4u));
    }
}

TEST_CASE("inactive lanes are not in the mask") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 * lane; }), 0x0f0) ==
          Records{{kBase, 0x0f0, 4, false, false}});
    CHECK(records_of(addresses_of([](unsigned) { return kBase; }), 1).size() == 1);
}

TEST_CASE("what turns back within a line, or repeats a word beside others, has no record") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 * (lane % 16); })).empty());
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 * (lane / 2); })).empty());
    // A broadcast, except for one lane at another word.
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 31 ? 4 : 0); })).empty());
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 0 ? 0 : 4); })).empty());
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 31 ? 128 : 0); })).empty());
    // Another line needs another record.
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 256 * (lane / 16) + 4 * (lane % 16); })).size() ==
          2);
}

/// The records for rows of `width` threads.
Records in_rows_of(unsigned width, const std::function<std::uint64_t(unsigned x, unsigned y)>& address,
                   isa::LaneMask active = isa::kFullMask) {
    return records_of(addresses_of([&](unsigned lane) { return address(lane % width, lane / width); }), active, 4, 32,
                      row_starts(0, width));
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
    const WarpRecord row{kBase, 0xffff, 4, false, false};
    CHECK(in_rows_of(16, [](unsigned x, unsigned) { return kBase + 4 * x; }) == Records{row, row});
    // They turn back in the middle of a row.
    CHECK(in_rows_of(32, [](unsigned x, unsigned) { return kBase + 4 * (x % 16); }).empty());
}

TEST_CASE("rows with a word each stand on a bit each of one record") {
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + 12 * y; }) ==
          Records{{kBase, 0b1001001001, 4, false, true}});
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + 12 * (3 - y); }) ==
          Records{{kBase, 0b1001001001, 4, true, true}});
    // In lines of their own.
    CHECK(in_rows_of(16, [](unsigned, unsigned y) { return kBase + 256 * y; }) ==
          Records{{kBase, 1, 4, false, true}, {kBase + 256, 1, 4, false, true}});
    // For any active threads of a row.
    const auto by_row = [](unsigned, unsigned y) { return kBase + 4 * y; };
    CHECK(in_rows_of(16, by_row, 0x10030).size() == 1);
    CHECK(in_rows_of(8, by_row, 0xff00ff00).size() == 1);
}

TEST_CASE("one word for rows up to the last is a broadcast, with another behind it none") {
    CHECK(in_rows_of(8, [](unsigned, unsigned) { return kBase; }).size() == 1);
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + (y == 0 ? 0 : 4); }).size() == 1);
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + (y == 3 ? 4 : 0); }).empty());
    CHECK(in_rows_of(8, [](unsigned, unsigned y) { return kBase + (y == 3 ? 256 : 0); }).empty());
}

TEST_CASE("a broadcast ends with its row") {
    CHECK(in_rows_of(16, [](unsigned x, unsigned y) { return kBase + (y == 0 ? 0 : 128 + 4 * x); }).size() == 2);
    CHECK(in_rows_of(16, [](unsigned x, unsigned y) { return kBase + (y == 0 ? 4 * x : 128); }).size() == 2);
    CHECK(in_rows_of(32, [](unsigned x, unsigned) { return kBase + (x < 16 ? 0 : 128); }).empty());
}

TEST_CASE("an access takes no more records than it may") {
    const LaneAddresses four = addresses_of([](unsigned lane) { return kBase + 16 * lane; });
    CHECK(records_of(four, isa::kFullMask, 4, 4).size() == 4);
    CHECK(records_of(four, isa::kFullMask, 4, 3).empty());
}

TEST_CASE("an address that is no multiple of the access has no record") {
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 8 * lane; }), isa::kFullMask, 8).size() == 2);
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 4 + 8 * lane; }), isa::kFullMask, 8).empty());
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
        said += !records_of(
                     addresses_of([&](unsigned lane) {
                         return base +
                                static_cast<std::uint64_t>(stride * static_cast<std::int64_t>(bytes * (lane % width))) +
                                pitch * (lane / width);
                     }),
                     active, bytes, 1 + random() % 32, row_starts(0, width))
                     .empty();
    }
    CHECK(said > 200);
    CHECK(said < 2000);
}

}  // namespace
}  // namespace lookahead::dac
