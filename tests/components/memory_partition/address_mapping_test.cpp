#include "components/memory_partition/address_mapping.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "components/isa/address_space.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

AddressMappingParameters with(std::int64_t channels, std::int64_t slices, std::string expression) {
    AddressMappingParameters parameters{
        .channels = channels, .slices_per_channel = slices, .expression = std::move(expression)};
    return parameters;
}

TEST_CASE("the GTX480 has twelve slices, sixteen banks, rows of 4 KiB and pieces of 256 bytes") {
    const AddressMapping mapping{AddressMappingParameters{}};
    CHECK(mapping.slices() == 12);
    CHECK(mapping.banks() == 16);
    CHECK(mapping.burst_bytes() == 64);
    CHECK(mapping.row_bytes() == 4096);
    CHECK(mapping.interleave_bytes() == 256);
}

TEST_CASE("consecutive pieces of 256 bytes go round the channels, then to the other slice of each") {
    const AddressMapping mapping{AddressMappingParameters{}};
    for (unsigned piece = 0; piece < 24; ++piece) {
        CAPTURE(piece);
        const unsigned slice = piece % 6 * 2 + piece / 6 % 2;
        CHECK(mapping.slice(piece * 256) == slice);
        CHECK(mapping.slice(piece * 256 + 255) == slice);
    }
}

TEST_CASE("the bits of a local address go where the expression says") {
    const AddressMapping mapping{AddressMappingParameters{}};
    CHECK(mapping.decode(0) == DramAddress{0, 0, 0});
    CHECK(mapping.decode(63) == DramAddress{0, 0, 0});
    CHECK(mapping.decode(1 << 6) == DramAddress{0, 1, 0});
    CHECK(mapping.decode(1 << 7) == DramAddress{0, 2, 0});
    CHECK(mapping.decode(1 << 8) == DramAddress{1, 0, 0});
    CHECK(mapping.decode(1 << 9) == DramAddress{0, 4, 0});
    CHECK(mapping.decode(1 << 12) == DramAddress{0, 32, 0});
    CHECK(mapping.decode(1 << 13) == DramAddress{2, 0, 0});
    CHECK(mapping.decode(1 << 15) == DramAddress{8, 0, 0});
    CHECK(mapping.decode(1 << 16) == DramAddress{0, 0, 1});
    CHECK(mapping.decode(1 << 27) == DramAddress{0, 0, 1 << 11});
    CHECK(mapping.decode(std::uint64_t{1} << 33) == DramAddress{0, 0, 1 << 17});
}

TEST_CASE("the mapping is a bijection for any number of channels and slices") {
    const unsigned seed = 20480;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const AddressMappingParameters& parameters :
         {AddressMappingParameters{}, with(1, 1, "RRRRRRRR BBBCCCCC CSSSSSSS"),
          with(8, 2, "RRRRRRRR BBCCCCCB BCSSSSSS"), with(7, 4, "RRRRRRRR RCCCCCBB BBCCSSSS S"),
          with(256, 1, "RBBBBCCC CCSSSSSS"), with(11, 16, "RRBBBBCC CCSSSSSSS")}) {
        CAPTURE(parameters.channels);
        CAPTURE(parameters.expression);
        const AddressMapping mapping(parameters);
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t address = random() >> (16 + random() % 40);
            const unsigned channel = mapping.channel(address);
            const std::uint64_t local = mapping.local_address(address);
            REQUIRE(channel == (address >> 8) % mapping.channels());
            REQUIRE(mapping.address(channel, local) == address);
            const DramAddress place = mapping.decode(local);
            REQUIRE(mapping.encode(place) == local / mapping.burst_bytes() * mapping.burst_bytes());
            REQUIRE(mapping.slice_in_channel(local) == place.bank % mapping.slices_per_channel());
            REQUIRE(mapping.slice(address) == channel * mapping.slices_per_channel() + mapping.slice_in_channel(local));
            const std::uint64_t run = address / mapping.interleave_bytes() * mapping.interleave_bytes();
            REQUIRE(mapping.slice(run) == mapping.slice(run + mapping.interleave_bytes() - 1));
        }
    }
}

TEST_CASE("a range's shares by channel, run by run, are its bytes, each once and in the order of local addresses") {
    const unsigned seed = 775;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const AddressMappingParameters& parameters :
         {AddressMappingParameters{}, with(1, 1, "RRRRRRRR BBBCCCCC CSSSSSSS"),
          with(32, 2, "RRRR RRRRRRRR RRBBBBCC BCCCSSSSS")}) {
        const AddressMapping mapping(parameters);
        for (int i = 0; i < 200; ++i) {
            const std::uint64_t address = isa::kGlobalBase + random() % 100'000;
            const std::uint64_t bytes = random() % (1 + (1u << random() % 17));
            CAPTURE(address);
            CAPTURE(bytes);
            std::vector<unsigned> covered(bytes, 0);
            std::vector<bool> met(mapping.channels(), false);
            mapping.for_each_share(address, bytes, [&](unsigned channel, std::uint64_t first, std::uint64_t share) {
                REQUIRE(mapping.channel(first) == channel);
                REQUIRE(!met[channel]);
                REQUIRE(share > 0);
                met[channel] = true;
                std::uint64_t counted = 0;
                mapping.for_each_run(first, share, [&](std::uint64_t at, std::uint64_t run, std::uint64_t before) {
                    REQUIRE(before == counted);
                    REQUIRE(mapping.local_address(at) == mapping.local_address(first) + before);
                    for (std::uint64_t byte = at; byte < at + run; ++byte) {
                        REQUIRE(mapping.channel(byte) == channel);
                        ++covered.at(byte - address);
                    }
                    counted += run;
                });
                REQUIRE(counted == share);
            });
            REQUIRE(std::ranges::all_of(covered, [](unsigned times) { return times == 1; }));
        }
    }
}

TEST_CASE("the lines of a slice are numbered without gaps") {
    const AddressMapping mapping{AddressMappingParameters{}};
    std::uint64_t expected[12] = {};
    for (std::uint64_t address = 0; address < (1 << 20); address += 128) {
        std::uint64_t& next = expected[mapping.slice(address)];
        REQUIRE(mapping.address_in_slice(mapping.local_address(address)) == next);
        next += 128;
    }
}

TEST_CASE("addresses of the global and local windows divide exactly") {
    const AddressMapping mapping{AddressMappingParameters{}};
    for (const std::uint64_t base : {isa::kGlobalBase, isa::kLocalWindowBase, (std::uint64_t{1} << 48) - 4096}) {
        for (std::uint64_t address = base; address < base + 4096; address += 64) {
            REQUIRE(mapping.channel(address) == (address >> 8) % 6);
            REQUIRE(mapping.local_address(address) == (address >> 8) / 6 * 256 + address % 256);
        }
    }
}

TEST_CASE("an expression that is no mapping is refused") {
    CHECK_THROWS_AS(AddressMapping(with(6, 2, "RRXX BBCC SSSSSS")), ConfigurationError);
    CHECK_THROWS_AS(AddressMapping(with(6, 2, "RRBBCCSSSC")), ConfigurationError);
    CHECK_THROWS_AS(AddressMapping(with(6, 2, "BBRRCCSSSSSSSS")), ConfigurationError);
    CHECK_THROWS_AS(AddressMapping(with(6, 4, "RRRRBCCCSSSSSS")), ConfigurationError);
    CHECK_THROWS_AS(AddressMapping(with(6, 3, "RRRRBBCCCSSSSSS")), ConfigurationError);
    CHECK_THROWS_AS(AddressMapping(with(6, 2, "RRRRCCCBSSSSSS")), ConfigurationError);
    CHECK_THROWS_AS(AddressMapping(with(6, 2, "")), ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu
