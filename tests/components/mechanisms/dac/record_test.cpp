// Warp address records: what 65 bits can say of a warp's addresses, and what they cannot.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>

#include "components/mechanisms/dac/warp_record.h"
#include "tests/support/seed.h"

namespace lookahead::dac {
namespace {

constexpr std::uint64_t kBase = 0x10000;

LaneAddresses addresses_of(const std::function<std::uint64_t(unsigned)>& address) {
    LaneAddresses addresses{};
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) addresses[lane] = address(lane);
    return addresses;
}

/// How many records the addresses take; that they read back as they were is checked.
unsigned records_of(const LaneAddresses& addresses, isa::LaneMask active = isa::kFullMask, unsigned bytes = 4,
                    unsigned most = 32, WarpRecords* out = nullptr) {
    WarpRecords records{};
    const unsigned count = compact(addresses, active, bytes, most, records);
    LaneAddresses read{};
    RecordReader reader(active, read);
    for (unsigned i = 0; i < count; ++i) reader.take(records[i]);
    CHECK(reader.done() == (count > 0));
    for (unsigned lane = 0; count > 0 && lane < isa::kWarpSize; ++lane)
        CHECK(read[lane] == ((active >> lane & 1) != 0 ? addresses[lane] : 0));
    if (out != nullptr) *out = records;
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
    // One more lane at another word than those of a broadcast.
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 31 ? 4 : 0); })) == 0);
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 0 ? 0 : 4); })) == 0);
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + (lane == 31 ? 128 : 0); })) == 0);
    // In another line they are another record.
    CHECK(records_of(addresses_of([](unsigned lane) { return kBase + 256 * (lane / 16) + 4 * (lane % 16); })) == 2);
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
    const std::uint64_t first = lookahead::test::random_seed();
    CAPTURE(first);
    std::mt19937_64 random(first);
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
                    active, bytes, 1 + random() % 32) > 0;
    }
    CHECK(said > 200);
    CHECK(said < 2000);
}

}  // namespace
}  // namespace lookahead::dac
