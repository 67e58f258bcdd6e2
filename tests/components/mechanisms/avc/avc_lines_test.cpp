// Which lines of private memory share a line of the affine vector cache.
#include "components/mechanisms/avc/avc_lines.h"

#include <doctest/doctest.h>

#include <set>

#include "components/isa/address_space.h"
#include "core/param/configuration.h"

namespace lookahead::gpu {
namespace {

std::uint64_t line(std::uint64_t row) {
    return isa::kLocalMemoryBase + row * isa::kLocalRowBytes;
}
AvcLines lines(const std::string& layout, std::int64_t granularity, std::uint32_t words_of_thread) {
    AvcParameters parameters{.granularity = granularity, .layout = layout};
    AvcLines result(parameters, Configuration());
    result.set_words_of_thread(words_of_thread);
    return result;
}

TEST_CASE("warp-major: sixteen neighbouring words of a warp share a line") {
    const AvcLines avc = lines("warp_major", 32, 32);
    CHECK(avc.place_of(line(0)).group == avc.place_of(line(15)).group);
    CHECK(avc.place_of(line(15)).first == 15);
    CHECK(avc.place_of(line(16)).group != avc.place_of(line(15)).group);
    CHECK(avc.place_of(line(16)).first == 0);
}

TEST_CASE("word-major: the same word of sixteen neighbouring warps shares a line") {
    constexpr unsigned kWords = 5;
    const AvcLines avc = lines("word_major", 32, kWords);
    for (unsigned word = 0; word < kWords; ++word) {
        const auto row = [&](unsigned warp) { return warp * kWords + word; };
        CHECK(avc.place_of(line(row(0))).group == avc.place_of(line(row(15))).group);
        CHECK(avc.place_of(line(row(15))).first == 15);
        CHECK(avc.place_of(line(row(16))).group != avc.place_of(line(row(0))).group);
        CHECK(avc.place_of(line(row(0))).group != avc.place_of(line(row(0) + (word + 1 < kWords ? 1 : -1))).group);
    }
}

TEST_CASE("half warps: a line covers eight lines of memory, two vectors each") {
    const AvcLines avc = lines("warp_major", 16, 32);
    CHECK(avc.vectors_of_line() == 2);
    CHECK(avc.place_of(line(7)).first == 14);
    CHECK(avc.place_of(line(7)).group == avc.place_of(line(0)).group);
    CHECK(avc.place_of(line(8)).group != avc.place_of(line(0)).group);
}

TEST_CASE("every line has a place of its own, and the place gives the line back") {
    for (const char* layout : {"warp_major", "word_major"}) {
        for (const std::int64_t granularity : {16, 32}) {
            for (const std::uint32_t words : {0u, 1u, 2u, 3u, 7u, 16u, 63u, 131071u}) {
                CAPTURE(layout);
                CAPTURE(granularity);
                CAPTURE(words);
                const AvcLines avc = lines(layout, granularity, words);
                std::set<std::pair<std::uint64_t, unsigned>> places;
                for (const std::uint64_t begin :
                     {std::uint64_t{0}, std::uint64_t{720} * words, std::uint64_t{1} << 32}) {
                    for (std::uint64_t row = begin; row < begin + 500; ++row) {
                        const AvcPlace place = avc.place_of(line(row));
                        CHECK(place.first % avc.vectors_of_line() == 0);
                        CHECK(place.first < kVectorsOfLine);
                        CHECK(avc.line_of(place.group, place.first / avc.vectors_of_line()) == line(row));
                        places.emplace(place.group, place.first);
                    }
                }
                CHECK(places.size() >= 1000);
            }
        }
    }
}

TEST_CASE("an empty line is chosen before one that is used, and of those the tree's victim") {
    AvcParameters parameters{.sets = 2, .ways = 3};
    AvcLines avc(parameters, Configuration());
    std::set<std::uint32_t> taken;
    for (const std::uint64_t group : {0u, 2u, 4u}) {
        const std::uint32_t at = avc.choose(group);
        CHECK(at < 3);
        CHECK(taken.insert(at).second);
        avc.assign(at, group);
    }
    CHECK(avc.choose(1) == 3);  // the other set
    CHECK(avc.find(2) != kNoAvcLine);
    CHECK(avc.find(6) == kNoAvcLine);
    const std::uint32_t victim = avc.choose(6);
    CHECK(avc.group(victim) != 4);  // the last one used
    avc.touch(victim);
    CHECK(avc.choose(6) != victim);
}

}  // namespace
}  // namespace lookahead::gpu
