#include <doctest/doctest.h>

#include <bit>
#include <map>

#include "tests/components/cache/l1_bench.h"
#include "tests/support/seed.h"
#include "tests/support/variants.h"

namespace lookahead::gpu::test::replacement_tests {
namespace {

constexpr std::uint64_t all_of(unsigned ways) {
    return ways == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways) - 1;
}

void reserve_in_order(ReplacementPolicy& policy, unsigned set, std::initializer_list<unsigned> ways) {
    for (const unsigned way : ways) { policy.reserve(set, way); }
}

/// The victims of `misses` misses, after the ways have been taken in order.
std::vector<unsigned> victims_of_a_stream(ReplacementPolicy& policy, unsigned ways, unsigned misses) {
    std::vector<unsigned> victims;
    for (unsigned way = 0; way < ways; ++way) { policy.reserve(0, way); }
    for (unsigned i = 0; i < misses; ++i) {
        victims.push_back(policy.victim(0, all_of(ways)));
        policy.reserve(0, victims.back());
    }
    return victims;
}

TEST_CASE("fifo takes the line that came first, in the order in which the lines came") {
    const auto fifo = make_policy("fifo", 1, 4);
    reserve_in_order(*fifo, 0, {2, 0, 3, 1});
    for (const unsigned expected : {2u, 0u, 3u, 1u, 2u}) {
        CHECK(fifo->victim(0, 0b1111) == expected);
        fifo->reserve(0, expected);
    }
}

TEST_CASE("a use changes nothing for fifo, and what lru takes next") {
    const auto fifo = make_policy("fifo", 1, 3);
    const auto lru = make_policy("lru", 1, 3);
    for (ReplacementPolicy* policy : {fifo.get(), lru.get()}) {
        reserve_in_order(*policy, 0, {0, 1, 2});
        policy->touch(0, 0);
    }
    CHECK(fifo->victim(0, 0b111) == 0);
    CHECK(lru->victim(0, 0b111) == 1);
}

TEST_CASE("fifo takes the first of those that are offered") {
    const auto fifo = make_policy("fifo", 1, 4);
    reserve_in_order(*fifo, 0, {2, 0, 3, 1});
    CHECK(fifo->victim(0, 0b1011) == 0);
    CHECK(fifo->victim(0, 0b1010) == 3);
    CHECK(fifo->victim(0, 0b0010) == 1);
}

TEST_CASE("in a cache, fifo replaces a line that was hit and lru keeps it") {
    for (const std::string policy : {"fifo", "lru"}) {
        CAPTURE(policy);
        L1Bench bench(L1Bench::parameters(1, 2), policy);
        bench.bring_lines({0, 1});
        REQUIRE(bench.load(line(0)).answer == L1Answer::hit);
        bench.bring(line(2), pattern(2));
        CHECK(bench.state_of(line(0)) == (policy == "fifo" ? "absent" : "valid"));
        CHECK(bench.state_of(line(1)) == (policy == "fifo" ? "valid" : "absent"));
    }
}

TEST_CASE("tree_plru on four ways follows its three bits") {
    const auto tree = make_policy("tree_plru", 1, 4);
    reserve_in_order(*tree, 0, {0, 1, 2, 3});
    CHECK(tree->victim(0, 0b1111) == 0);
    // The root points to the upper half, and that half's node still to way 2.
    tree->touch(0, 0);
    CHECK(tree->victim(0, 0b1111) == 2);
    // The root points to the lower half, and its node to way 1.
    tree->touch(0, 2);
    CHECK(tree->victim(0, 0b1111) == 1);
    // The root points to the upper half, and its node to way 3.
    tree->touch(0, 1);
    CHECK(tree->victim(0, 0b1111) == 3);
    // True LRU would replace way 0, but the use of way 1 protects its whole half.
    tree->touch(0, 3);
    tree->touch(0, 1);
    CHECK(tree->victim(0, 0b1111) == 2);
}

TEST_CASE("tree_plru goes to the other half where the one it names offers nothing, and that changes no bit") {
    const auto tree = make_policy("tree_plru", 1, 4);
    reserve_in_order(*tree, 0, {0, 1, 2, 3});
    const std::uint64_t before = hash_of_state(*tree);
    CHECK(tree->victim(0, 0b1110) == 1);
    CHECK(tree->victim(0, 0b1100) == 2);
    CHECK(tree->victim(0, 0b1000) == 3);
    CHECK(hash_of_state(*tree) == before);
    CHECK(tree->victim(0, 0b1111) == 0);
}

TEST_CASE("with a power of two of ways tree_plru takes all ways equally often in a stream of misses") {
    for (const unsigned ways : {1u, 2u, 4u, 8u, 64u}) {
        CAPTURE(ways);
        const auto tree = make_policy("tree_plru", 1, ways);
        std::array<unsigned, 64> taken{};
        for (const unsigned victim : victims_of_a_stream(*tree, ways, 3 * ways)) { ++taken[victim]; }
        for (unsigned way = 0; way < ways; ++way) { CHECK(taken[way] == 3); }
    }
}

TEST_CASE("with six ways tree_plru takes each of the last two twice as often as each of the first four") {
    const auto tree = make_policy("tree_plru", 1, 6);
    std::array<unsigned, 6> taken{};
    for (const unsigned victim : victims_of_a_stream(*tree, 6, 80)) { ++taken.at(victim); }
    CHECK(taken == std::array<unsigned, 6>{10, 10, 10, 10, 20, 20});
}

/// The policy in its plain form, a tree of ranges: which half of [first, first + size) was used last.
class RangeTree {
  public:
    explicit RangeTree(unsigned leaves) : leaves_(leaves) {}

    void touch(unsigned way) {
        for (unsigned size = leaves_; size > 1; size /= 2) {
            const unsigned first = way / size * size;
            last_used_upper_[{first, size}] = way >= first + size / 2;
        }
    }
    unsigned victim(std::uint64_t candidates) const { return victim(candidates, 0, leaves_); }

  private:
    unsigned victim(std::uint64_t candidates, unsigned first, unsigned size) const {
        if (size == 1) { return first; }
        const auto offers = [&](unsigned from) {
            for (unsigned way = from; way < from + size / 2; ++way) {
                if (candidates >> way & 1) { return true; }
            }
            return false;
        };
        const auto found = last_used_upper_.find({first, size});
        // An unused half precedes a used one; at the beginning the lower one does.
        const bool lower = found == last_used_upper_.end() || found->second;
        const unsigned named = lower ? first : first + size / 2;
        const unsigned other = lower ? first + size / 2 : first;
        return victim(candidates, offers(named) ? named : other, size / 2);
    }

    unsigned leaves_;
    std::map<std::pair<unsigned, unsigned>, bool> last_used_upper_;
};

TEST_CASE("tree_plru equals a tree of ranges on random uses, for any number of ways") {
    std::mt19937_64 random(lookahead::test::random_seed());
    for (unsigned ways = 1; ways <= 16; ++ways) {
        CAPTURE(ways);
        const auto tree = make_policy("tree_plru", 3, ways);
        RangeTree reference(std::bit_ceil(ways));
        for (unsigned i = 0; i < 2000; ++i) {
            const std::uint64_t candidates = random() & all_of(ways);
            if (candidates != 0) {
                const unsigned victim = tree->victim(1, candidates);
                REQUIRE(victim == reference.victim(candidates));
            }
            const auto way = static_cast<unsigned>(random() % ways);
            reference.touch(way);
            tree->touch(1, way);
            // Other sets have their own trees.
            tree->touch(2, static_cast<unsigned>(random() % ways));
        }
    }
}

TEST_CASE("every policy takes a candidate, spares the line that came last, and goes on alike after a checkpoint") {
    for (const std::string& name : lookahead::test::at_least(2, variant_names<ReplacementPolicy>())) {
        CAPTURE(name);
        std::mt19937_64 random(lookahead::test::random_seed());
        for (unsigned ways = 1; ways <= 8; ++ways) {
            CAPTURE(ways);
            const auto original = make_policy(name, 4, ways);
            const auto restored = make_policy(name, 4, ways);
            for (unsigned i = 0; i < 500; ++i) {
                const auto set = static_cast<unsigned>(random() % 4);
                const auto way = static_cast<unsigned>(random() % ways);
                original->reserve(set, way);
                CHECK((ways == 1 || original->victim(set, all_of(ways)) != way));
                original->touch(set, static_cast<unsigned>(random() % ways));
                const std::uint64_t candidates = (random() & all_of(ways)) | std::uint64_t{1} << way;
                const std::uint64_t before = hash_of_state(*original);
                REQUIRE((candidates >> original->victim(set, candidates) & 1) == 1);
                REQUIRE(hash_of_state(*original) == before);
            }
            const std::string bytes = saved_state(*original);
            load_state(*restored, bytes);
            CHECK(hash_of_state(*restored) == hash_of_state(*original));
            for (unsigned i = 0; i < 100; ++i) {
                const auto set = static_cast<unsigned>(random() % 4);
                const unsigned victim = original->victim(set, all_of(ways));
                REQUIRE(restored->victim(set, all_of(ways)) == victim);
                original->reserve(set, victim);
                restored->reserve(set, victim);
            }
        }
    }
}

TEST_CASE("a policy that is cleared is as new") {
    for (const std::string& name : lookahead::test::at_least(2, variant_names<ReplacementPolicy>())) {
        CAPTURE(name);
        const auto used = make_policy(name, 2, 4);
        const auto fresh = make_policy(name, 2, 4);
        used->reserve(0, 1);
        used->touch(0, 0);
        CHECK(hash_of_state(*used) != hash_of_state(*fresh));
        used->clear();
        CHECK(hash_of_state(*used) == hash_of_state(*fresh));
    }
}

}  // namespace
}  // namespace lookahead::gpu::test::replacement_tests
