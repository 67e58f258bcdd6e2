// Many-thread-aware prefetching (Lee et al., MICRO 2010), one rule per test.
#include <doctest/doctest.h>

#include "tests/components/mechanisms/prefetchers/lone_prefetcher.h"

namespace lookahead::gpu::test {
namespace {

using Lines = std::vector<std::uint64_t>;

/// Without the throttle, so that every prediction shows.
LonePrefetcher unthrottled(const std::string& more = "") {
    return LonePrefetcher("mta", "mta.throttle = false\n" + more);
}

/// Three accesses of a warp, `stride` lines apart, which train its entry.
Lines train(LonePrefetcher& mta, std::uint16_t warp, std::uint32_t pc, std::uint64_t first, std::uint64_t stride = 10) {
    mta.load(warp, pc, first);
    mta.load(warp, pc, first + stride);
    return mta.load(warp, pc, first + 2 * stride);
}

// ---- IP: over warps -------------------------------------------------------------------------------------------------

TEST_CASE("mta: three accesses of different warps one stride apart are prefetched for the next warp, two are not") {
    LonePrefetcher mta = unthrottled();
    CHECK(mta.load(0, 0, 0).empty());
    CHECK(mta.load(1, 0, 3).empty());
    CHECK(mta.load(2, 0, 6) == Lines{9});
    CHECK(mta.warps() == std::vector<std::uint16_t>{3});
    CHECK(mta.load(3, 0, 9) == Lines{12});
}

TEST_CASE("mta: the stride over warps is the difference over their distance, if that is whole") {
    LonePrefetcher mta = unthrottled();
    mta.load(0, 0, 0);
    mta.load(2, 0, 6);
    CHECK(mta.load(6, 0, 18) == Lines{21});
    mta.load(0, 1, 0);
    mta.load(3, 1, 1);
    CHECK(mta.load(6, 1, 2).empty());
}

TEST_CASE("mta: two warps alone do not train over warps") {
    LonePrefetcher mta = unthrottled();
    mta.load(0, 0, 0);
    mta.load(1, 0, 3);
    CHECK(mta.load(0, 0, 0).empty());
    CHECK(mta.load(2, 0, 6) == Lines{9});
}

TEST_CASE("mta: an access elsewhere, as at a CTA's border, starts the training over warps again") {
    LonePrefetcher mta = unthrottled();
    mta.load(0, 0, 0);
    mta.load(1, 0, 3);
    CHECK(mta.load(2, 0, 6) == Lines{9});
    CHECK(mta.load(3, 0, 60).empty());
    CHECK(mta.load(4, 0, 63).empty());
    CHECK(mta.load(5, 0, 66) == Lines{69});
}

TEST_CASE("mta asks for no line beyond the last warp's") {
    LonePrefetcher mta = unthrottled("mta.ip_degree = 2\n");
    mta.load(3, 0, 0);
    mta.load(4, 0, 3);
    CHECK(mta.load(5, 0, 6) == Lines{9, 12});
    CHECK(mta.load(6, 0, 9) == Lines{12});
    CHECK(mta.load(7, 0, 12).empty());
}

TEST_CASE("mta: a load that iterates without a stride of its own is prefetched over warps") {
    LonePrefetcher mta = unthrottled();
    for (const std::uint64_t base : {0, 100, 250, 300, 720}) {
        mta.load(0, 0, base);
        mta.load(1, 0, base + 2);
        CHECK(mta.load(2, 0, base + 4) == Lines{base + 6});
    }
}

// ---- PWS: in a warp -------------------------------------------------------------------------------------------------

TEST_CASE("mta: a warp's stride that has repeated is prefetched for its next iteration") {
    LonePrefetcher mta = unthrottled("mta.distance = 2\nmta.degree = 2\n");
    mta.load(5, 0, 0);
    CHECK(mta.load(5, 0, 10).empty());
    CHECK(mta.load(5, 0, 20) == Lines{40, 50});
    CHECK(mta.load(5, 0, 31).empty());
    CHECK(mta.load(5, 0, 42) == Lines{64, 75});
}

TEST_CASE("mta: a load that stays where it is trains nothing") {
    LonePrefetcher mta = unthrottled();
    CHECK(train(mta, 5, 0, 7, 0).empty());
    for (const std::uint16_t warp : {1, 2, 3, 4}) { CHECK(mta.load(warp, 1, 7).empty()); }
}

TEST_CASE("mta: while a load is known over warps its warps' own strides are not looked up") {
    LonePrefetcher mta = unthrottled();
    const auto iteration = [&](std::uint64_t base) {
        mta.load(0, 0, base);
        mta.load(1, 0, base + 3);
        return mta.load(2, 0, base + 6);
    };
    CHECK(iteration(0) == Lines{9});
    CHECK(iteration(9) == Lines{18});
    CHECK(iteration(18) == Lines{27});  // but not the line of the warp's next iteration, 33
}

// ---- GS: of all warps -----------------------------------------------------------------------------------------------

TEST_CASE("mta: the same stride of three warps is all warps', of two it is not") {
    LonePrefetcher mta = unthrottled();
    CHECK(train(mta, 0, 0, 0) == Lines{30});
    CHECK(train(mta, 3, 0, 200) == Lines{230});
    CHECK(mta.load(1, 0, 700).empty());
    CHECK(train(mta, 5, 0, 500) == Lines{530});
    CHECK(mta.load(4, 0, 900) == Lines{910});
    CHECK(mta.load(4, 1, 900).empty());  // another load
}

TEST_CASE("mta: warps with different strides make none of all warps") {
    LonePrefetcher mta = unthrottled();
    train(mta, 0, 0, 0, 10);
    train(mta, 3, 0, 200, 11);
    train(mta, 5, 0, 500, 12);
    CHECK(mta.load(4, 0, 900).empty());
}

TEST_CASE("mta: a stride of all warps frees the warps' own places") {
    LonePrefetcher mta = unthrottled("mta.pws_entries = 4\n");
    mta.load(0, 1, 1000);
    mta.load(0, 1, 1010);
    for (const std::uint16_t warp : {0, 3, 5}) { train(mta, warp, 0, 200 * std::uint64_t{warp}); }
    mta.load(6, 2, 50);  // takes a free place instead of the oldest
    CHECK(mta.load(0, 1, 1020) == Lines{1030});
}

TEST_CASE("mta: a stride of all warps goes before one over warps") {
    LonePrefetcher mta = unthrottled();
    for (const std::uint16_t warp : {0, 3, 5}) { train(mta, warp, 0, 200 * std::uint64_t{warp}); }
    mta.load(0, 0, 2000);
    mta.load(1, 0, 2003);
    CHECK(mta.load(2, 0, 2006) == Lines{2016});
}

TEST_CASE("mta: strides end with their launch, in all tables") {
    LonePrefetcher mta = unthrottled();
    for (const std::uint16_t warp : {0, 3, 5}) {
        train(mta, warp, 0, 200 * std::uint64_t{warp});  // GS
    }
    mta.load(5, 1, 0);  // PWS
    mta.load(5, 1, 10);
    mta.load(0, 2, 0);  // IP
    mta.load(1, 2, 3);
    mta.end_launch();
    CHECK(mta.load(4, 0, 900).empty());
    CHECK(mta.load(5, 1, 20).empty());
    CHECK(mta.load(2, 2, 6).empty());
}

// ---- Throttle -------------------------------------------------------------------------------------------------------

/// A prefetcher with a known load. Of the next ten loads two are prefetched for each remaining fifth.
class Throttled {
  public:
    explicit Throttled(unsigned degree) : mta_("mta", "mta.initial_degree = " + std::to_string(degree) + "\n") {
        asked_ = static_cast<unsigned>(train(mta_, 5, 0, 0).size());
    }
    /// A period of 100 demand requests with `merges` merges, and of 100 useful and `evictions` evicted prefetches.
    Throttled& period(unsigned merges, unsigned evictions) {
        mta_.accesses(L1EventKind::miss, 100 - merges - asked_);
        mta_.accesses(L1EventKind::merge, merges);
        mta_.fates(PrefetchFate::useful, 60);
        mta_.fates(PrefetchFate::late, 40);
        mta_.fates(PrefetchFate::early_evicted, evictions);
        now_ += kPeriod;
        asked_ = load();
        return *this;
    }
    /// Prefetches for the first ten loads of the period; the first load sets the throttle.
    std::size_t of_ten() {
        std::size_t made = asked_;
        for (unsigned i = 1; i < 10; ++i) { made += load(); }
        return made;
    }
    unsigned load() {
        at_ += 10;
        return static_cast<unsigned>(mta_.load(5, 0, 20 + at_, now_).size());
    }

  private:
    static constexpr Cycle kPeriod = 100'000;
    LonePrefetcher mta_;
    std::uint64_t at_ = 0;
    Cycle now_ = 0;
    unsigned asked_ = 0;  ///< requests already made in the period: its own prefetch
};

TEST_CASE("mta begins with three fifths of its prefetches") {
    LonePrefetcher mta("mta");
    train(mta, 5, 0, 0);
    std::size_t made = 0;
    for (std::uint64_t line = 30; line < 130; line += 10) { made += mta.load(5, 0, line).size(); }
    CHECK(made == 6);
}

TEST_CASE("mta: the throttle's degree is in fifths") {
    for (unsigned degree = 0; degree <= 5; ++degree) {
        Throttled mta(degree);
        std::size_t made = 0;
        for (unsigned i = 0; i < 10; ++i) { made += mta.load(); }
        CHECK(made == 10 - 2 * degree);
    }
}

TEST_CASE("mta: more than two evicted prefetches for a hundred useful ones stop it, two make it fewer") {
    CHECK(Throttled(0).period(50, 3).of_ten() == 0);
    CHECK(Throttled(0).period(50, 2).of_ten() == 8);
}

TEST_CASE("mta: from one evicted prefetch for a hundred useful ones on there are fewer, below that more") {
    CHECK(Throttled(2).period(50, 1).of_ten() == 4);
    CHECK(Throttled(2).period(50, 0).of_ten() == 8);
    CHECK(Throttled(4).period(0, 1).of_ten() == 0);
    CHECK(Throttled(0).period(50, 0).of_ten() == 10);
}

TEST_CASE("mta: with few evictions more than 15 merges in 100 requests make it more, 15 stop it") {
    CHECK(Throttled(2).period(16, 0).of_ten() == 8);
    CHECK(Throttled(2).period(15, 0).of_ten() == 0);
}

TEST_CASE("mta: the merge ratio is halfway between the one before and the period's") {
    // 40 % and then 0: 20 %, as if the second period had merged enough by itself. Then 10 %.
    Throttled mta(4);
    CHECK(mta.period(40, 0).period(0, 0).of_ten() == 6);
    CHECK(Throttled(4).period(40, 0).period(0, 0).period(0, 0).of_ten() == 0);
}

TEST_CASE("mta comes back when requests merge again") {
    CHECK(Throttled(0).period(50, 3).period(50, 0).of_ten() == 2);
}

TEST_CASE("mta: a period without requests changes nothing") {
    LonePrefetcher mta("mta", "mta.initial_degree = 2\n");
    train(mta, 5, 0, 0);  // its one prediction is held back
    std::size_t made = 0;
    for (std::uint64_t line = 30; line < 130; line += 10) { made += mta.load(5, 0, line, 500'000).size(); }
    CHECK(made == 6);
}

}  // namespace
}  // namespace lookahead::gpu::test
