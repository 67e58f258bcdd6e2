#include <doctest/doctest.h>

#include "core/param/suggestion.h"

namespace lookahead {
namespace {

const std::vector<std::string> kKnown{"l1d.prefetcher", "l1d.ways", "sm.warp_scheduler", "gto", "lrr"};

TEST_CASE("a dropped, added, replaced or swapped letter is recognised") {
    CHECK(nearest("l1d.prefetchr", kKnown) == "l1d.prefetcher");
    CHECK(nearest("l1d.prefetccher", kKnown) == "l1d.prefetcher");
    CHECK(nearest("l1e.ways", kKnown) == "l1d.ways");
    CHECK(nearest("gtoo", kKnown) == "gto");
    CHECK(nearest("otg", kKnown) == "gto");
    CHECK(did_you_mean("llr", kKnown) == ": did you mean lrr?");
}

TEST_CASE("a word far from all known ones brings no suggestion") {
    CHECK(nearest("dram.row_bytes", kKnown).empty());
    CHECK(nearest("xyz", kKnown).empty());
    CHECK(did_you_mean("xyz", {}).empty());
}

}  // namespace
}  // namespace lookahead
