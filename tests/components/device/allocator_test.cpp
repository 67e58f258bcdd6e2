#include "components/device/allocator.h"
#include "tests/support/seed.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

namespace lookahead {
namespace {

TEST_CASE("allocations begin at the base, are 256-byte aligned and do not overlap") {
    Allocator allocator;
    CHECK(allocator.allocate(1) == isa::kGlobalBase);
    CHECK(allocator.allocate(256) == isa::kGlobalBase + 256);
    CHECK(allocator.allocate(257) == isa::kGlobalBase + 512);
    CHECK(allocator.allocate(1) == isa::kGlobalBase + 1024);
}

TEST_CASE("a released gap is used again by what fits, from the lowest") {
    Allocator allocator;
    const DeviceAddress a = allocator.allocate(512), b = allocator.allocate(256), c = allocator.allocate(1024);
    allocator.allocate(1);
    CHECK(allocator.release(a) == 512);
    CHECK(allocator.release(c) == 1024);
    CHECK(allocator.allocate(768) == c);
    CHECK(allocator.allocate(512) == a);
    CHECK(allocator.release(b) == 256);
    CHECK(allocator.allocate(200) == b);
}

TEST_CASE("contains, find and nearest know the allocations to the byte") {
    Allocator allocator;
    CHECK(allocator.nearest(5) == nullptr);
    const DeviceAddress a = allocator.allocate(100), b = allocator.allocate(100);
    CHECK(allocator.contains(a, 100));
    CHECK_FALSE(allocator.contains(a, 101));
    CHECK(allocator.contains(a + 99, 1));
    CHECK_FALSE(allocator.contains(a + 100, 1));
    CHECK_FALSE(allocator.contains(a - 1, 1));
    CHECK(allocator.find(b)->address == b);
    CHECK(allocator.find(b - 1) == nullptr);
    CHECK(allocator.nearest(a + 120)->address == a);
    CHECK(allocator.nearest(b - 20)->address == b);
    CHECK(allocator.nearest(0)->address == a);
    CHECK(allocator.nearest(UINT64_MAX)->address == b);
}

TEST_CASE("with pages, kernels may access all of each page of 2 MiB that holds an allocation, and the one before all") {
    constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
    Allocator allocator;
    const DeviceAddress small = allocator.allocate(100);
    CHECK(allocator.is_mapped(small + 96, 4));
    CHECK(!allocator.is_mapped(small + 100, 4));
    CHECK(!allocator.is_mapped(small - 4, 4));
    CHECK(!allocator.needed_pages());
    CHECK(allocator.mapped() == std::vector<Allocator::Block>{{small, 100}});
    allocator.use_pages();
    CHECK(allocator.is_mapped(small + 96, 4));
    CHECK(!allocator.is_mapped(small + kPage, 4));
    CHECK(!allocator.needed_pages());
    CHECK(allocator.is_mapped(small + 100, 4));
    CHECK(allocator.needed_pages());
    CHECK(allocator.is_mapped(small + kPage - 4, 4));
    CHECK(allocator.is_mapped(small - 4, 4));
    CHECK(allocator.is_mapped(small - kPage, 4));
    CHECK(!allocator.is_mapped(small - kPage - 4, 4));
    CHECK(!allocator.is_mapped(small + kPage, 4));
    CHECK(!allocator.contains(small + 100, 4));
    const DeviceAddress large = allocator.allocate(2 * kPage);
    CHECK(allocator.is_mapped(small + 3 * kPage - 4, 4));
    CHECK(allocator.mapped() == std::vector<Allocator::Block>{{small - kPage, 4 * kPage}});
    allocator.place(small + 10 * kPage + 4, 8);
    CHECK(allocator.is_mapped(small + 10 * kPage, 4));
    CHECK(allocator.mapped().size() == 2);
    allocator.release(large);
    CHECK(!allocator.is_mapped(small + kPage, 4));
    allocator.release(small);
    CHECK(!allocator.is_mapped(small, 4));
}

TEST_CASE("nothing, too much, and releases of what is not allocated are refused") {
    Allocator allocator;
    CHECK_THROWS_AS(allocator.allocate(0), ProgramError);
    CHECK_THROWS_AS(allocator.allocate(isa::kGlobalBytes + 1), ProgramError);
    CHECK_THROWS_AS(allocator.allocate(UINT64_MAX), ProgramError);
    const DeviceAddress all = allocator.allocate(isa::kGlobalBytes);
    CHECK_THROWS_AS(allocator.allocate(1), ProgramError);
    CHECK_THROWS_AS(allocator.release(all + 256), ProgramError);
    allocator.release(all);
    CHECK_THROWS_AS(allocator.release(all), ProgramError);
}

TEST_CASE("random allocations and releases never overlap and depend on nothing but their order") {
    std::mt19937_64 random(lookahead::test::random_seed());
    Allocator allocator, twin;
    std::map<DeviceAddress, std::uint64_t> live;
    for (int i = 0; i < 3000; ++i) {
        if (live.size() < 20 || random() % 2 != 0) {
            const std::uint64_t bytes = 1 + random() % 5000;
            const DeviceAddress address = allocator.allocate(bytes);
            REQUIRE(twin.allocate(bytes) == address);
            REQUIRE(address % isa::kAllocationAlignment == 0);
            const auto above = live.lower_bound(address);
            REQUIRE((above == live.end() || address + bytes <= above->first));
            REQUIRE((above == live.begin() || std::prev(above)->first + std::prev(above)->second <= address));
            live[address] = bytes;
        } else {
            auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
            REQUIRE(allocator.release(victim->first) == victim->second);
            twin.release(victim->first);
            live.erase(victim);
        }
    }
    CHECK(allocator.blocks().size() == live.size());
}

}  // namespace
}  // namespace lookahead
