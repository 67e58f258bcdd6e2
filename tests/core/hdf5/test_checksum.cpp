#include <doctest/doctest.h>

#include <span>
#include <string_view>

#include "core/hdf5/output/checksum.h"

namespace lookahead::hdf5 {
namespace {

std::uint32_t checksum_of(std::string_view text) {
    return checksum(std::as_bytes(std::span(text)));
}

TEST_CASE("the check sum is lookup3 with the results that its author gives") {
    CHECK(checksum_of("") == 0xdeadbeef);
    CHECK(checksum_of("Four score and seven years ago") == 0x17770551);
}

}  // namespace
}  // namespace lookahead::hdf5
