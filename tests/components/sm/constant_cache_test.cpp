#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

#include "components/isa/address_space.h"
#include "components/isa/module_image.h"
#include "components/sm/constant/constant_cache.h"
#include "tests/support/with.h"

namespace lookahead::test {
namespace {

using gpu::ConstantCache;
using Answer = ConstantCache::Answer;

using Parameters = gpu::ConstantCacheParameters;

Parameters cache_of(unsigned sets, unsigned ways, unsigned mshrs = 2, unsigned merges = 32) {
    return with(Parameters{}, &Parameters::sets, sets, &Parameters::ways, ways, &Parameters::mshrs, mshrs,
                &Parameters::merges, merges);
}

constexpr std::uint64_t variable(unsigned line) {
    return isa::kConstantBase + std::uint64_t{line} * ConstantCache::kBytes;
}

using Bytes = std::array<std::byte, ConstantCache::kBytes>;
Bytes filled_with(unsigned value) {
    Bytes bytes;
    bytes.fill(static_cast<std::byte>(value));
    return bytes;
}

/// Brings the line of a request; returns the loads that waited.
std::vector<unsigned> come(ConstantCache& cache, std::uint32_t reader, unsigned value = 0) {
    std::vector<unsigned> loads;
    cache.fill(reader, filled_with(value).data(),
               [&](const ConstantCache::Waiter& each) { loads.push_back(each.token); });
    return loads;
}

void bring(ConstantCache& cache, unsigned line, unsigned value = 0) {
    REQUIRE(cache.load(variable(line), {1, 1}, true) == Answer::missed);
    come(cache, cache.request().reader, value);
}
void bring_parameters(ConstantCache& cache, std::uint64_t lines) {
    REQUIRE(!cache.hold(lines));
    cache.want(lines, 0);
    while (cache.can_ask()) { come(cache, cache.ask().reader); }
    cache.take_waiting();
    cache.all_looked();
}

TEST_CASE("a pass that misses asks for the line's sectors, later ones join it, and all are served with its bytes") {
    ConstantCache cache(cache_of(4, 2));
    cache.begin_kernel();
    CHECK(cache.load(variable(3), {7, 1}, true) == Answer::missed);
    const ConstantCache::Request request = cache.request();
    CHECK(request.line == isa::kConstantBase + 128);
    CHECK(request.sectors == 0b1100);
    CHECK(cache.load(variable(3), {8, 2}, false) == Answer::merged);
    CHECK(come(cache, request.reader, 5) == std::vector<unsigned>{7, 8});
    CHECK(std::memcmp(cache.bytes(), filled_with(5).data(), ConstantCache::kBytes) == 0);
    CHECK(cache.load(variable(3), {9, 1}, false) == Answer::hit);
    CHECK(cache.counters().hits == 1);
    CHECK(cache.counters().misses == 1);
    CHECK(cache.counters().merges == 1);
}

TEST_CASE("a pass is refused where no miss can be awaited, the line's waiters are full or nothing can be sent") {
    ConstantCache cache(cache_of(4, 2, 2, 2));
    cache.begin_kernel();
    CHECK(cache.load(variable(0), {1, 1}, false) == Answer::refused);
    CHECK(cache.load(variable(0), {1, 1}, true) == Answer::missed);
    const std::uint32_t first = cache.request().reader;
    CHECK(cache.load(variable(0), {2, 1}, true) == Answer::merged);
    CHECK(cache.load(variable(0), {3, 1}, true) == Answer::refused);
    CHECK(cache.load(variable(1), {3, 1}, true) == Answer::missed);
    CHECK(cache.load(variable(2), {4, 1}, true) == Answer::refused);
    CHECK(come(cache, first) == std::vector<unsigned>{1, 2});
    CHECK(cache.load(variable(2), {4, 1}, true) == Answer::missed);
}

TEST_CASE("each place has its own line's bytes, and the line that was used longest ago makes room") {
    ConstantCache cache(cache_of(1, 2));
    cache.begin_kernel();
    bring(cache, 0, 10);
    bring(cache, 1, 11);
    REQUIRE(cache.load(variable(0), {1, 1}, true) == Answer::hit);
    CHECK(cache.bytes()[0] == std::byte{10});
    bring(cache, 2, 12);
    REQUIRE(cache.load(variable(0), {1, 1}, true) == Answer::hit);
    CHECK(cache.bytes()[63] == std::byte{10});
    CHECK(cache.load(variable(1), {1, 1}, true) == Answer::missed);
}

TEST_CASE("a kernel's start empties the cache, of variables and of parameters") {
    ConstantCache cache(cache_of(64, 2));
    cache.begin_kernel();
    bring(cache, 0);
    bring_parameters(cache, 0b11);
    CHECK(cache.hold(0b11));
    cache.begin_kernel();
    CHECK(!cache.hold(0b01));
    CHECK(!cache.hold(0b10));
    CHECK(cache.load(variable(0), {1, 1}, true) == Answer::missed);
}

TEST_CASE("parameters and variables share the cache: whichever was used longest ago makes room") {
    ConstantCache cache(cache_of(1, 2));
    cache.begin_kernel();
    bring_parameters(cache, 0b1);
    bring(cache, 0);
    SUBCASE("an operand's use of parameters counts") {
        CHECK(cache.hold(0b1));
        bring(cache, 1);
        CHECK(cache.hold(0b1));
        CHECK(cache.load(variable(0), {1, 1}, false) == Answer::refused);
    }
    SUBCASE("without it they go, and are asked for again") {
        bring(cache, 1);
        CHECK(cache.load(variable(0), {1, 1}, false) == Answer::hit);
        CHECK(!cache.hold(0b1));
        cache.want(0b1, 3);
        CHECK(cache.can_ask());
    }
}

TEST_CASE("an instruction gets all its lines of parameters, even if the cache holds only one") {
    ConstantCache cache(cache_of(1, 1));
    cache.begin_kernel();
    cache.want(0b101, 4);
    come(cache, cache.ask().reader);
    CHECK(cache.take_waiting() == gpu::context_bit(4));
    CHECK(!cache.hold(0b101));
    cache.want(0b101, 4);
    cache.all_looked();
    REQUIRE(cache.can_ask());
    come(cache, cache.ask().reader);
    CHECK(cache.take_waiting() == gpu::context_bit(4));
    CHECK(cache.hold(0b101));
    cache.all_looked();
    CHECK(!cache.hold(0b001));
    CHECK(cache.hold(0b100));
}

TEST_CASE("parameters wait for a miss that loads hold") {
    ConstantCache cache(cache_of(4, 2, 1));
    cache.begin_kernel();
    REQUIRE(cache.load(variable(0), {1, 1}, true) == Answer::missed);
    const std::uint32_t reader = cache.request().reader;
    cache.want(0b1, 0);
    CHECK(!cache.can_ask());
    come(cache, reader);
    CHECK(cache.can_ask());
}

TEST_CASE("an access is inside a .const variable with its first and last byte, or not at all") {
    isa::ModuleImage image;
    image.push_back({.name = "g", .address = isa::kModuleBase, .bytes = 64, .contents = {}});
    image.push_back({.name = "a", .address = isa::kConstantBase, .bytes = 8, .is_constant = true, .contents = {}});
    image.push_back({.name = "b", .address = isa::kConstantBase + 16, .bytes = 4, .is_constant = true, .contents = {}});
    const auto inside = [&](std::uint64_t address) { return isa::is_in_constant(image, address, 4); };
    CHECK_FALSE(inside(isa::kModuleBase));
    CHECK_FALSE(inside(isa::kModuleBase - 1));
    CHECK_FALSE(inside(isa::kConstantBase - 1));
    CHECK(inside(isa::kConstantBase));
    CHECK(inside(isa::kConstantBase + 4));
    CHECK_FALSE(inside(isa::kConstantBase + 5));
    CHECK_FALSE(inside(isa::kConstantBase + 8));
    CHECK(inside(isa::kConstantBase + 16));
    CHECK_FALSE(inside(isa::kConstantBase + 17));
    CHECK_FALSE(inside(isa::kConstantBase + 20));
}

TEST_CASE("without a constant cache parameters are always there") {
    ConstantCache cache(with(Parameters{}, &Parameters::enabled, false));
    cache.begin_kernel();
    CHECK(cache.hold(~std::uint64_t{0}));
}

}  // namespace
}  // namespace lookahead::test
