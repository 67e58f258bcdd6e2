#include <doctest/doctest.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <vector>

#include "core/checkpoint/archive.h"
#include "core/error/error.h"

namespace lookahead {
namespace {

const std::vector<int> kValues{3, 1, 4, 1, 5};

std::string saved_values() {
    return archive_to_bytes([](auto& archive) { archive << kValues; });
}

TEST_CASE("what was saved is restored") {
    std::vector<int> values;
    archive_from_bytes(saved_values(), "a list", [&](auto& archive) { archive >> values; });
    CHECK(values == kValues);
}

TEST_CASE("nothing saved is nothing restored") {
    CHECK_NOTHROW(archive_from_bytes(archive_to_bytes([](auto&) {}), "nothing", [](auto&) {}));
}

TEST_CASE("bytes that end too early are an input error, at every length") {
    const std::string bytes = saved_values();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        std::vector<int> values;
        CHECK_THROWS_AS(
            archive_from_bytes(bytes.substr(0, length), "a list", [&](auto& archive) { archive >> values; }),
            InputError);
    }
}

TEST_CASE("a part that is saved but not loaded is found") {
    std::vector<int> values;
    const std::string bytes = archive_to_bytes([](auto& archive) {
        const int extra = 7;
        archive << kValues << extra;
    });
    CHECK_THROWS_WITH_AS(archive_from_bytes(bytes, "a list", [&](auto& archive) { archive >> values; }),
                         "a list cannot be restored: it was saved with more members than are loaded", InputError);
}

}  // namespace
}  // namespace lookahead
