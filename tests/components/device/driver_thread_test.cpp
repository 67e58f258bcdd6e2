#include "components/device/driver_thread.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

namespace lookahead::gpu {
namespace {

TEST_CASE("a driver's calls come out one by one, and it sees their results") {
    std::vector<DeviceAddress> seen;
    DriverThread driver([&](Device& device) {
        seen.push_back(device.allocate(100));
        seen.push_back(device.allocate(200));
    });

    HostCall* call = driver.resume();
    REQUIRE(call != nullptr);
    CHECK(call->kind == HostCall::Kind::allocate);
    CHECK(call->bytes == 100);
    CHECK(seen.empty());
    call->allocated = 0x1000;

    call = driver.resume();
    REQUIRE(call != nullptr);
    CHECK(call->bytes == 200);
    CHECK(seen == std::vector<DeviceAddress>{0x1000});
    call->allocated = 0x2000;

    CHECK(driver.resume() == nullptr);
    CHECK(seen == std::vector<DeviceAddress>{0x1000, 0x2000});
}

TEST_CASE("a copy hands over the driver's own memory") {
    const std::vector<int> source{1, 2, 3};
    std::vector<int> destination(3);
    DriverThread driver([&](Device& device) {
        device.copy_to_device(64, std::as_bytes(std::span(source)));
        device.copy_from_device(std::as_writable_bytes(std::span(destination)), 64);
    });

    HostCall* call = driver.resume();
    REQUIRE(call->kind == HostCall::Kind::copy_to_device);
    CHECK(call->address == 64);
    CHECK(reinterpret_cast<const int*>(call->source.data()) == source.data());
    call = driver.resume();
    REQUIRE(call->kind == HostCall::Kind::copy_from_device);
    CHECK(reinterpret_cast<int*>(call->destination.data()) == destination.data());
    const ByteBuffer staging = call->staging.get();
    CHECK(std::vector(staging.data(), staging.data() + staging.size()) == std::vector(12, std::byte{0}));
    CHECK(driver.resume() == nullptr);
}

TEST_CASE("a driver's copy whose memory nobody asked for can be left where it stands") {
    std::vector<int> destination(1 << 20);
    for (int i = 0; i < 20; ++i) {
        DriverThread driver(
            [&](Device& device) { device.copy_from_device(std::as_writable_bytes(std::span(destination)), 64); });
        REQUIRE(driver.resume() != nullptr);
    }
}

TEST_CASE("what a driver throws comes out of resume") {
    DriverThread driver([](Device& device) {
        device.allocate(1);
        throw std::runtime_error("the driver's own");
    });
    REQUIRE(driver.resume() != nullptr);
    CHECK_THROWS_WITH(driver.resume(), "the driver's own");
}

TEST_CASE("a driver that is not resumed is unwound, with its destructors run") {
    bool unwound = false;
    struct Flag {
        bool& flag;
        ~Flag() { flag = true; }
    };
    {
        DriverThread driver([&](Device& device) {
            const Flag flag{unwound};
            device.allocate(1);
            FAIL("the driver went on after it was cancelled");
        });
        REQUIRE(driver.resume() != nullptr);
        CHECK_FALSE(unwound);
    }
    CHECK(unwound);
}

TEST_CASE("a driver that never ran is not started by its end") {
    bool ran = false;
    {
        const DriverThread driver([&](Device&) { ran = true; });
    }
    CHECK_FALSE(ran);
}

}  // namespace
}  // namespace lookahead::gpu
