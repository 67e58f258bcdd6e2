#include <doctest/doctest.h>

#include <algorithm>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <span>
#include <string>
#include <string_view>
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

TEST_CASE("what is longer than a piece goes in pieces, and comes back from parts of any length") {
    std::vector<char> written(5 * kArchivePieceBytes / 2);
    for (std::size_t i = 0; i < written.size(); ++i) { written[i] = static_cast<char>(i * i / 7); }
    std::vector<std::string> pieces;
    archive_to([&](std::string_view piece) { pieces.emplace_back(piece); }, [&](auto& archive) { archive << written; });
    CHECK(pieces.size() == 3);
    std::string whole;
    for (const std::string& piece : pieces) {
        CHECK(piece.size() <= kArchivePieceBytes);
        whole += piece;
    }
    CHECK(whole == archive_to_bytes([&](auto& archive) { archive << written; }));
    for (const std::size_t part : {std::size_t{1000}, kArchivePieceBytes, 2 * kArchivePieceBytes}) {
        const ByteSource source = source_of(whole);
        std::vector<char> read;
        archive_from([&](std::span<char> room) { return source(room.first(std::min(room.size(), part))); }, "a list",
                     [&](auto& archive) { archive >> read; });
        CHECK(read == written);
    }
}

TEST_CASE("an error of the sink comes through") {
    const auto full = [](std::string_view) { throw InputError("the disk is full"); };
    CHECK_THROWS_WITH_AS(archive_to(full, [](auto& archive) { archive << kValues; }), "the disk is full", InputError);
}

}  // namespace
}  // namespace lookahead
