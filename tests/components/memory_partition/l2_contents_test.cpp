#include "components/memory_partition/l2_contents.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "components/memory_partition/l2_operations.h"

namespace lookahead::gpu::test {
namespace {

using LineBytes = std::array<std::byte, kLineBytes>;

LineBytes filled_with(unsigned value) {
    LineBytes bytes;
    bytes.fill(std::byte(value));
    return bytes;
}

/// One set of two lines over an image.
struct ContentsBench {
    AddressMapping mapping{AddressMappingParameters{}};
    MemoryImage image;
    L2Counters counters;
    L2Contents contents{1, 2, mapping, image, counters};

    std::uint32_t install(std::uint64_t local) {
        const std::uint32_t line = contents.lines().victim(0);
        contents.lines().install(line, local);
        return line;
    }
    /// A request writes `value` to bytes of the line.
    void write(std::uint32_t line, unsigned first, unsigned count, unsigned value) {
        std::memset(contents.lines().data(line) + first, static_cast<int>(value), count);
        contents.lines().valid(line) = contents.lines().valid(line) | byte_range(first, count);
        contents.written(line, byte_range(first, count));
    }
    LineBytes seen_by_host(std::uint64_t local) {
        LineBytes bytes;
        contents.host_read(local, bytes.data(), kLineBytes);
        return bytes;
    }
};

TEST_CASE("a fill leaves the bytes that the line has, and takes the others of its sectors alone") {
    ContentsBench bench;
    bench.image.write(0, filled_with(1).data(), kLineBytes);
    const std::uint32_t line = bench.install(0);
    bench.write(line, 4, 2, 7);
    bench.contents.fill(line, 0b0001);
    const std::byte* bytes = bench.contents.lines().data(line);
    CHECK(bytes[3] == std::byte{1});
    CHECK(bytes[4] == std::byte{7});
    CHECK(bytes[6] == std::byte{1});
    CHECK(bench.contents.lines().valid(line) == bytes_of(0b0001));
    CHECK(bench.contents.lines().dirty(line) == byte_range(4, 2));
}

TEST_CASE("a write-back brings the dirty bytes to the image and no others") {
    ContentsBench bench;
    bench.image.write(0, filled_with(1).data(), kLineBytes);
    const std::uint32_t line = bench.install(0);
    bench.write(line, 0, 1, 7);
    bench.contents.write_back(line);
    CHECK(bench.image.read(0)[0] == std::byte{7});
    CHECK(bench.image.read(0)[1] == std::byte{1});
}

TEST_CASE("the host reads dirty bytes of a line, and the image behind the others") {
    ContentsBench bench;
    bench.image.write(0, filled_with(1).data(), kLineBytes);
    const std::uint32_t line = bench.install(0);
    bench.write(line, 127, 1, 7);
    LineBytes expected = filled_with(1);
    expected[127] = std::byte{7};
    CHECK(bench.seen_by_host(0) == expected);
    CHECK(bench.counters.host_bytes == kLineBytes);
}

TEST_CASE("the host's bytes are valid and clean in a line that is there; only fill_l2 brings a line") {
    ContentsBench bench;
    const std::uint32_t line = bench.install(0);
    bench.write(line, 0, 8, 7);
    const LineBytes bytes = filled_with(3);
    bench.contents.host_write(0, bytes.data(), 4, false);
    CHECK(bench.contents.lines().dirty(line) == byte_range(4, 4));
    CHECK(bench.contents.lines().valid(line) == byte_range(0, 8));
    CHECK(bench.contents.lines().data(line)[0] == std::byte{3});

    const std::uint64_t other = 1 << 16;
    bench.contents.host_write(other, bytes.data(), 4, false);
    CHECK(bench.contents.lines().find(0, other) == L2Cache::kNoLine);
    bench.contents.host_write(other, bytes.data(), 4, true);
    const std::uint32_t brought = bench.contents.lines().find(0, other);
    REQUIRE(brought != L2Cache::kNoLine);
    CHECK(bench.contents.lines().valid(brought) == byte_range(0, 4));
    CHECK_FALSE(bench.contents.lines().dirty(brought).any());
    bench.contents.host_fill(other, std::byte{9}, 2, false);
    CHECK(bench.contents.lines().data(brought)[1] == std::byte{9});
    CHECK(bench.contents.lines().data(brought)[2] == std::byte{3});
}

TEST_CASE("a line that makes room for the host's bytes is written back first") {
    ContentsBench bench;
    bench.write(bench.install(0), 0, 1, 7);
    bench.write(bench.install(1 << 16), 0, 1, 8);
    const LineBytes bytes = filled_with(3);
    bench.contents.host_write(2 << 16, bytes.data(), kLineBytes, true);
    CHECK(bench.counters.evictions == 1);
    CHECK(bench.image.read(0)[0] == std::byte{7});
    CHECK(bench.seen_by_host(1 << 16)[0] == std::byte{8});
}

TEST_CASE("a request's waiting is charged to each cause from its first cycle to that of the next") {
    L2Counters counters;
    L2StallClock clock;
    clock.note(L2Stall::mshrs, 10, counters);
    clock.note(L2Stall::mshrs, 12, counters);
    clock.note(L2Stall::set, 15, counters);
    clock.note(L2Stall::none, 16, counters);
    CHECK(counters.stall_cycles == std::array<std::uint64_t, kL2StallCauses>{0, 5, 0, 1, 0});
}

}  // namespace
}  // namespace lookahead::gpu::test
