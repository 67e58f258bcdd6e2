#include "components/isa/launch.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/error/error.h"
#include "tests/support/kernel_builder.h"

namespace lookahead::isa {
namespace {

Kernel kernel_with_parameters() {
    test::KernelBuilder builder("k", {8, 4});
    builder.literal(0xabcd);
    return builder.finish();
}

std::vector<std::byte> twelve_bytes() {
    std::vector<std::byte> bytes(12);
    for (std::size_t i = 0; i < bytes.size(); ++i) { bytes[i] = std::byte(i + 1); }
    return bytes;
}

TEST_CASE("constant rows hold the launch's shape, the parameters' words and the literals, alike in all lanes") {
    const auto rows = make_constant_rows(kernel_with_parameters(), {3, 4, 5}, {16, 8, 2}, 640, twelve_bytes());
    const std::vector<std::uint32_t> expected = {16, 8, 2, 3, 4, 5, 640, 0, 0x04030201, 0x08070605, 0x0c0b0a09, 0xabcd};
    REQUIRE(rows.size() == expected.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(
            std::all_of(std::begin(rows[i].lanes), std::end(rows[i].lanes), [&](auto w) { return w == expected[i]; }));
        CHECK(reinterpret_cast<std::uintptr_t>(rows[i].lanes) % 128 == 0);
    }
}

TEST_CASE("too few or too many parameter bytes are refused") {
    const Kernel kernel = kernel_with_parameters();
    auto bytes = twelve_bytes();
    bytes.pop_back();
    CHECK_THROWS_AS(make_constant_rows(kernel, {}, {}, 0, bytes), ProgramError);
    bytes.resize(13);
    CHECK_THROWS_AS(make_constant_rows(kernel, {}, {}, 0, bytes), ProgramError);
}

TEST_CASE("launches outside CUDA's limits are refused, those at the limits are not") {
    Kernel kernel = kernel_with_parameters();
    CHECK_NOTHROW(check_launch(kernel, {0x7fffffff, 65535, 65535}, {1024, 1, 1}));
    CHECK_NOTHROW(check_launch(kernel, {1, 1, 1}, {16, 1, 64}));
    CHECK_THROWS_AS(check_launch(kernel, {1, 1, 1}, {1025, 1, 1}), ProgramError);
    CHECK_THROWS_AS(check_launch(kernel, {1, 1, 1}, {1, 1, 65}), ProgramError);
    CHECK_THROWS_AS(check_launch(kernel, {1, 1, 1}, {32, 33, 1}), ProgramError);
    CHECK_THROWS_AS(check_launch(kernel, {0x80000000u, 1, 1}, {1, 1, 1}), ProgramError);
    CHECK_THROWS_AS(check_launch(kernel, {1, 65536, 1}, {1, 1, 1}), ProgramError);
    CHECK_THROWS_AS(check_launch(kernel, {0, 1, 1}, {1, 1, 1}), ProgramError);
    CHECK_THROWS_AS(check_launch(kernel, {1, 1, 1}, {1, 0, 1}), ProgramError);
    kernel.max_threads_per_cta = 128;
    CHECK_NOTHROW(check_launch(kernel, {1, 1, 1}, {128, 1, 1}));
    CHECK_THROWS_AS(check_launch(kernel, {1, 1, 1}, {129, 1, 1}), ProgramError);
}

TEST_CASE("the last warp of a CTA has only the lanes that there are threads for") {
    CHECK(initial_mask(32, 0) == kFullMask);
    CHECK(initial_mask(33, 32) == 1);
    CHECK(initial_mask(63, 32) == 0x7fffffff);
    CHECK(initial_mask(1, 0) == 1);
    CHECK(warps_per_cta({32, 1, 1}) == 1);
    CHECK(warps_per_cta({33, 1, 1}) == 2);
    CHECK(warps_per_cta({3, 5, 7}) == 4);
}

TEST_CASE("CTA numbers run along x, then y, then z") {
    const Dim3 grid{3, 4, 5};
    std::uint64_t number = 0;
    for (std::uint32_t z = 0; z < grid.z; ++z) {
        for (std::uint32_t y = 0; y < grid.y; ++y) {
            for (std::uint32_t x = 0; x < grid.x; ++x) { CHECK(cta_position(grid, number++) == Dim3{x, y, z}); }
        }
    }
}

TEST_CASE("tid of every thread of odd blocks is its place in the block") {
    for (const Dim3 block : {Dim3{5, 7, 3}, Dim3{64, 2, 1}, Dim3{1, 1, 40}, Dim3{33, 1, 1}}) {
        WarpIdentity warp;
        warp.block = block;
        for (warp.first_thread = 0; warp.first_thread < block.count(); warp.first_thread += kWarpSize) {
            Row x, y, z;
            read_special(SpecialRegister::tid_x, warp, x.lanes, nullptr);
            read_special(SpecialRegister::tid_y, warp, y.lanes, nullptr);
            read_special(SpecialRegister::tid_z, warp, z.lanes, nullptr);
            for (unsigned lane = 0; lane < kWarpSize && warp.first_thread + lane < block.count(); ++lane) {
                CHECK(x.lanes[lane] < block.x);
                CHECK(y.lanes[lane] < block.y);
                CHECK((z.lanes[lane] * block.y + y.lanes[lane]) * block.x + x.lanes[lane] == warp.first_thread + lane);
            }
        }
    }
}

TEST_CASE("special registers tell the warp's identity") {
    WarpIdentity warp;
    warp.ctaid = {7, 8, 9};
    warp.warp_slot = 3;
    warp.warp_slots = 48;
    warp.sm = 14;
    warp.sms = 15;
    warp.clock = 0x123456789abull;
    warp.nanoseconds = 0xfedcba98765ull;
    warp.launch = 0x1'0000'0002ull;
    const auto value = [&warp](SpecialRegister which) {
        Row low{}, high{};
        read_special(which, warp, low.lanes, high.lanes);
        return low.lanes[31] | std::uint64_t{high.lanes[31]} << 32;
    };
    CHECK(value(SpecialRegister::ctaid_x) == 7);
    CHECK(value(SpecialRegister::ctaid_y) == 8);
    CHECK(value(SpecialRegister::ctaid_z) == 9);
    CHECK(value(SpecialRegister::laneid) == 31);
    CHECK(value(SpecialRegister::warpid) == 3);
    CHECK(value(SpecialRegister::nwarpid) == 48);
    CHECK(value(SpecialRegister::smid) == 14);
    CHECK(value(SpecialRegister::nsmid) == 15);
    CHECK(value(SpecialRegister::clock) == 0x456789ab);
    CHECK(value(SpecialRegister::clock64) == 0x123456789abull);
    CHECK(value(SpecialRegister::globaltimer) == 0xfedcba98765ull);
    CHECK(value(SpecialRegister::gridid) == 0x1'0000'0002ull);
}

TEST_CASE("lane masks order the lanes") {
    const WarpIdentity warp;
    Row eq, le, lt, ge, gt;
    read_special(SpecialRegister::lanemask_eq, warp, eq.lanes, nullptr);
    read_special(SpecialRegister::lanemask_le, warp, le.lanes, nullptr);
    read_special(SpecialRegister::lanemask_lt, warp, lt.lanes, nullptr);
    read_special(SpecialRegister::lanemask_ge, warp, ge.lanes, nullptr);
    read_special(SpecialRegister::lanemask_gt, warp, gt.lanes, nullptr);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        for (unsigned other = 0; other < kWarpSize; ++other) {
            CHECK((eq.lanes[lane] >> other & 1) == (other == lane));
            CHECK((le.lanes[lane] >> other & 1) == (other <= lane));
            CHECK((lt.lanes[lane] >> other & 1) == (other < lane));
            CHECK((ge.lanes[lane] >> other & 1) == (other >= lane));
            CHECK((gt.lanes[lane] >> other & 1) == (other > lane));
        }
    }
}

}  // namespace
}  // namespace lookahead::isa
