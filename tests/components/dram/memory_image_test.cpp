#include "components/dram/memory_image.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/state/archives.h"

namespace lookahead::gpu {
namespace {

TEST_CASE("memory that was never written reads as zero") {
    const MemoryImage image;
    CHECK(image.read(0)[0] == std::byte{0});
    CHECK(image.read(std::uint64_t{1} << 40)[127] == std::byte{0});
}

TEST_CASE("what is written is read back, and its neighbours stay") {
    MemoryImage image;
    const std::vector<std::byte> bytes(100, std::byte{42});
    image.write(0x12'3456'0010, bytes.data(), bytes.size());
    CHECK(image.read(0x12'3456'000f)[0] == std::byte{0});
    CHECK(image.read(0x12'3456'0010)[0] == std::byte{42});
    CHECK(image.read(0x12'3456'0010)[99] == std::byte{42});
    CHECK(image.read(0x12'3456'0010)[100] == std::byte{0});
    image.fill(0x12'3456'0011, std::byte{7}, 2);
    CHECK(image.read(0x12'3456'0010)[1] == std::byte{7});
    CHECK(image.read(0x12'3456'0010)[3] == std::byte{42});
}

TEST_CASE("the hash tells contents, places and the absence of a write apart") {
    const std::byte one[2] = {std::byte{1}, std::byte{1}};
    MemoryImage empty;
    MemoryImage a;
    MemoryImage b;
    MemoryImage c;
    MemoryImage same;
    a.write(64, one, 1);
    same.write(64, one, 1);
    b.write(65, one, 1);
    c.write(64, one, 2);
    CHECK(hash_of_state(a) == hash_of_state(same));
    CHECK(hash_of_state(a) != hash_of_state(empty));
    CHECK(hash_of_state(a) != hash_of_state(b));
    CHECK(hash_of_state(a) != hash_of_state(c));
}

TEST_CASE("zeros that fill a page without contents are the same state as zeros that are written, and stay so") {
    const std::vector<std::byte> zeros(MemoryImage::kPageBytes);
    MemoryImage filled, written, part, empty;
    filled.fill(3 * MemoryImage::kPageBytes, std::byte{0}, MemoryImage::kPageBytes);
    part.fill(3 * MemoryImage::kPageBytes + 5, std::byte{0}, 1);
    written.write(3 * MemoryImage::kPageBytes, zeros.data(), zeros.size());
    CHECK(hash_of_state(filled) == hash_of_state(written));
    CHECK(hash_of_state(part) == hash_of_state(written));
    CHECK(hash_of_state(filled) != hash_of_state(empty));
    MemoryImage loaded;
    load_state(loaded, saved_state(filled));
    CHECK(hash_of_state(loaded) == hash_of_state(written));
    loaded.fill(3 * MemoryImage::kPageBytes + 9, std::byte{1}, 1);
    CHECK(loaded.read(3 * MemoryImage::kPageBytes)[8] == std::byte{0});
    CHECK(loaded.read(3 * MemoryImage::kPageBytes)[9] == std::byte{1});
    loaded.fill(3 * MemoryImage::kPageBytes, std::byte{0}, 10);
    CHECK(loaded.read(3 * MemoryImage::kPageBytes)[9] == std::byte{0});
    CHECK(hash_of_state(loaded) == hash_of_state(written));
}

}  // namespace
}  // namespace lookahead::gpu
