// The bytes of structs for a device: members, and zeros between them.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "components/device/device.h"

namespace lookahead {
namespace {

/// Stores the bytes that arrive, at addresses from 0 on.
class Memory : public Device {
  public:
    DeviceAddress allocate(std::uint64_t size) override {
        bytes.resize(size);
        return 0;
    }
    void release(DeviceAddress) override {}
    void copy_to_device(DeviceAddress to, std::span<const std::byte> from) override {
        std::memcpy(bytes.data() + to, from.data(), from.size());
    }
    void copy_from_device(std::span<std::byte>, DeviceAddress) override {}
    void fill(DeviceAddress, std::byte, std::uint64_t) override {}
    DeviceAddress variable(std::string_view) const override { return 0; }
    void launch(std::string_view, const LaunchConfiguration&, std::span<const std::byte>) override {}

    std::vector<std::byte> bytes;
};

struct Inner {
    std::uint8_t flag;  // followed by a byte of padding
    std::uint16_t number;
};
struct Outer {
    Inner inner[2];
    std::uint64_t address;
    float value;  // followed by four bytes of padding
};
static_assert(sizeof(Outer) == 24);
static_assert(!is_without_padding<Outer> && !is_without_padding<Inner> && is_without_padding<float>);

/// A struct with 0xEE in all bytes outside its members.
Outer with_dirt_between() {
    Outer outer;
    std::memset(static_cast<void*>(&outer), 0xEE, sizeof outer);
    outer.inner[0].flag = 0x11;
    outer.inner[0].number = 0x3322;
    outer.inner[1].flag = 0x44;
    outer.inner[1].number = 0x6655;
    outer.address = 0x8877;
    outer.value = 1.0f;
    return outer;
}

const std::vector<int> kClean = {0x11, 0, 0x22, 0x33, 0x44, 0, 0x55, 0x66, 0x77, 0x88, 0, 0,
                                 0,    0, 0,    0,    0,    0, 0x80, 0x3F, 0,    0,    0, 0};

std::vector<int> numbers(std::span<const std::byte> bytes) {
    std::vector<int> values;
    for (const std::byte byte : bytes) { values.push_back(std::to_integer<int>(byte)); }
    return values;
}

TEST_CASE("parameters hold zeros between the members of a struct, whatever was in its memory") {
    const Outer outer = with_dirt_between();
    REQUIRE(reinterpret_cast<const unsigned char*>(&outer)[1] == 0xEE);
    CHECK(numbers(pack_parameters(outer)) == kClean);
    // Between parameters too: the struct begins at a multiple of 8.
    std::vector<int> expected = {0x99, 0, 0, 0, 0, 0, 0, 0};
    expected.insert(expected.end(), kClean.begin(), kClean.end());
    CHECK(numbers(pack_parameters(std::uint8_t{0x99}, outer)) == expected);
}

TEST_CASE("so do the structs that are copied to a device, each of them") {
    const std::vector<Outer> two(2, with_dirt_between());
    std::vector<int> expected = kClean;
    expected.insert(expected.end(), kClean.begin(), kClean.end());
    Memory device;
    device.upload(two);
    CHECK(numbers(device.bytes) == expected);

    Memory again;
    again.allocate(48);
    again.copy_values(24, std::span(two).first(1));
    CHECK(numbers(std::span(again.bytes).subspan(24)) == kClean);
}

TEST_CASE("values without padding arrive as they are, all bits of them") {
    Memory device;
    device.upload(std::vector<std::uint32_t>{0xFFFFFFFF, 0x01020304});
    CHECK(numbers(device.bytes) == std::vector<int>{0xFF, 0xFF, 0xFF, 0xFF, 4, 3, 2, 1});
    device.upload(std::vector<std::array<float, 2>>{{-0.0f, 1.0f}});
    CHECK(numbers(device.bytes) == std::vector<int>{0, 0, 0, 0x80, 0, 0, 0x80, 0x3F});
}

}  // namespace
}  // namespace lookahead
