#include "core/message/lazy_words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace lookahead {
namespace {

TEST_CASE("blocks of words begin as zeros and share none, whatever their sizes and whoever dies") {
    const std::vector<std::size_t> sizes{1, 4565, 0, 3'000'000, 7, 1'000'000, 1'500'000, 8};
    std::vector<std::optional<LazyWords>> blocks;
    const auto words_of = [&](std::size_t i) { return std::span(blocks[i]->get(), sizes[i]); };
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        blocks.emplace_back(std::in_place, sizes[i]);
        CHECK(std::ranges::all_of(words_of(i), [](std::uint64_t word) { return word == 0; }));
        std::ranges::fill(words_of(i), i + 1);
    }
    for (std::size_t i = 0; i < sizes.size(); i += 2) {
        blocks[i].reset();
    }
    for (std::size_t i = 1; i < sizes.size(); i += 2) {
        CHECK(std::ranges::all_of(words_of(i), [&](std::uint64_t word) { return word == i + 1; }));
    }
}

}  // namespace
}  // namespace lookahead
