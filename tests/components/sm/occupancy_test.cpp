#include <doctest/doctest.h>

#include "components/sm/occupancy.h"

#include "components/isa/kernel.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

isa::Kernel kernel_with(std::uint32_t registers, std::uint32_t shared_bytes) {
    isa::Kernel kernel;
    kernel.name = "k";
    kernel.registers = registers;
    kernel.static_shared_bytes = shared_bytes;
    return kernel;
}

TEST_CASE("the CTA limit bounds small CTAs") {
    const Occupancy occupancy = occupancy_of({}, kernel_with(10, 0), {32, 1, 1}, 0);
    CHECK(occupancy.ctas == 8);
    CHECK(occupancy.bound == OccupancyBound::ctas);
}

TEST_CASE("threads bound large CTAs, and a partial CTA does not fit") {
    CHECK(ctas_per_sm({}, kernel_with(10, 0), {512, 1, 1}, 0) == 3);
    CHECK(ctas_per_sm({}, kernel_with(10, 0), {513, 1, 1}, 0) == 2);
    CHECK(occupancy_of({}, kernel_with(10, 0), {768, 1, 1}, 0).bound == OccupancyBound::threads);
}

TEST_CASE("warps bound CTAs whose last warp is partial") {
    // 33 threads are 2 warps: 48 warps hold 24 CTAs, though 1536 threads would hold 46.
    OccupancyLimits limits{.max_ctas = 64};
    const Occupancy occupancy = occupancy_of(limits, kernel_with(4, 0), {33, 1, 1}, 0);
    CHECK(occupancy.ctas == 24);
    CHECK(occupancy.bound == OccupancyBound::warps);
}

TEST_CASE("registers bound CTAs, in units of 64 for each warp") {
    // 21 registers x 32 lanes = 672, rounded up to 704; 8 warps take 5632 of 32768: 5 CTAs. With 20 (640) it is 6.
    CHECK(ctas_per_sm({}, kernel_with(21, 0), {256, 1, 1}, 0) == 5);
    CHECK(ctas_per_sm({}, kernel_with(20, 0), {256, 1, 1}, 0) == 6);
    CHECK(occupancy_of({}, kernel_with(21, 0), {256, 1, 1}, 0).bound == OccupancyBound::registers);
    CHECK(occupancy_of({}, kernel_with(21, 0), {256, 1, 1}, 0).rows_per_warp == 22);
}

TEST_CASE("occupancy_registers stands in for the kernel's registers, but each warp has rows for what it names") {
    OccupancyLimits limits{.occupancy_registers = 60};
    // 60 x 32 = 1920 per warp, 15360 per CTA: two CTAs; with 64, 16384: two; with 65, 2112 and 16896: one.
    CHECK(ctas_per_sm(limits, kernel_with(10, 0), {256, 1, 1}, 0) == 2);
    limits.occupancy_registers = 65;
    CHECK(ctas_per_sm(limits, kernel_with(10, 0), {256, 1, 1}, 0) == 1);
    limits.occupancy_registers = 10;
    const Occupancy fewer = occupancy_of(limits, kernel_with(40, 0), {256, 1, 1}, 0);
    CHECK(fewer.ctas == 6);
    CHECK(fewer.rows_per_warp == 40);
}

TEST_CASE("shared memory bounds CTAs, static and dynamic together, in units of 128 bytes") {
    const Occupancy four = occupancy_of({}, kernel_with(4, 8192), {64, 1, 1}, 4096);
    CHECK(four.ctas == 4);
    CHECK(four.bound == OccupancyBound::shared_memory);
    CHECK(four.shared_bytes_per_cta == 12288);
    const Occupancy three = occupancy_of({}, kernel_with(4, 8192), {64, 1, 1}, 4097);
    CHECK(three.ctas == 3);
    CHECK(three.shared_bytes_per_cta == 12288 + 128);
}

TEST_CASE("what is reserved of each CTA's shared memory bounds CTAs, and is no part of the program's") {
    OccupancyLimits limits{.shared_bytes = 5 * 9216, .shared_reserved = 1024};
    const Occupancy five = occupancy_of(limits, kernel_with(4, 8192), {64, 1, 1}, 0);
    CHECK(five.ctas == 5);
    CHECK(five.shared_bytes_per_cta == 8192);
    CHECK(five.shared_bytes == 5 * 9216);
    --limits.shared_bytes;
    CHECK(ctas_per_sm(limits, kernel_with(4, 8192), {64, 1, 1}, 0) == 4);
    const Occupancy none = occupancy_of(limits, kernel_with(4, 0), {64, 1, 1}, 0);
    CHECK(none.ctas == 8);
    CHECK(none.shared_bytes == 8 * 1024);
    limits.shared_bytes = 1023;
    CHECK(occupancy_of(limits, kernel_with(4, 0), {64, 1, 1}, 0).bound == OccupancyBound::shared_memory);
}

TEST_CASE("a CTA that does not fit at all is refused by kernel, resource, need and limit") {
    const isa::Kernel kernel = kernel_with(4, 49153);
    const Occupancy none = occupancy_of({}, kernel, {64, 1, 1}, 0);
    CHECK(none.ctas == 0);
    CHECK_THROWS_WITH_AS(require_occupancy(none, {}, kernel, {64, 1, 1}, 0),
                         "launch of k: one CTA of 64 threads needs 49280 bytes of shared memory; an SM has 49152",
                         ProgramError);
    CHECK(ctas_per_sm({}, kernel_with(4, 49152), {64, 1, 1}, 0) == 1);
}

}  // namespace
}  // namespace lookahead::gpu
