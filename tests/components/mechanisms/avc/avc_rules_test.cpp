// The affine vector cache behind a load/store unit: each line of algorithms 1 and 2, and the paper's further rules.
#include <doctest/doctest.h>

#include "tests/components/mechanisms/avc/avc_bench.h"

namespace lookahead::gpu::test {
namespace {

TEST_CASE("write, affine: an affine store goes to the AVC, and neither L1 nor memory hears of it") {
    AvcBench bench;
    bench.store(3, affine(256, 4));
    CHECK(bench.counters().affine_stores == 1);
    CHECK(bench.l1().local_stores == 0);
    CHECK(bench.writes() == 0);
    CHECK(bench.load(3) == affine(256, 4));
    CHECK(bench.counters().load_hits == 1);
    CHECK(bench.reads() == 0);
}

TEST_CASE("write, else: a generic store goes to L1") {
    AvcBench bench;
    bench.store(3, generic());
    CHECK(bench.counters().generic_stores == 1);
    CHECK(bench.l1().local_stores == 1);
    CHECK(bench.load(3) == generic());
    CHECK(bench.counters().load_misses == 1);
    CHECK(bench.l1().hits[0] == 1);
}

TEST_CASE("read, hit: every lane gets base + lane * stride") {
    for (const std::uint32_t stride : {0u, 1u, 2u, 64u}) {
        CAPTURE(stride);
        AvcBench bench;
        bench.store(0, affine(0xffff'ff00, stride));
        CHECK(bench.load(0) == affine(0xffff'ff00, stride));
    }
}

TEST_CASE("read, partial miss: the valid lanes are served, the others come again and find L1 or memory") {
    AvcBench bench;
    bench.store(3, generic());             // L1: all words
    bench.store(3, affine(0, 4), kLower);  // AVC: the lower ones
    const std::uint64_t before = bench.unit->counters().global_accesses;
    const Row loaded = bench.load(3);
    CHECK(bench.unit->counters().global_accesses == before + 2);
    CHECK(bench.counters().partial_hits == 1);
    CHECK(bench.counters().load_misses == 1);
    CHECK(loaded == mixed(kLower, affine(0, 4), generic()));
    CHECK(bench.reads() == 0);
    bench.load(3, kLower);  // a subset of the valid words is not a partial miss
    CHECK(bench.counters().partial_hits == 1);
}

TEST_CASE("read, (m and valid) = 0: a line of the AVC whose words are others is a miss") {
    AvcBench bench;
    bench.store(3, affine(0, 4), kLower);
    bench.load(3, ~kLower);
    CHECK(bench.counters().partial_hits == 0);
    CHECK(bench.counters().load_misses == 1);
    CHECK(bench.reads() == 1);
}

TEST_CASE("read, miss: an affine fill is taken by the AVC, and a generic one is installed in L1") {
    AvcBench bench;
    bench.set_memory(3, affine(64, 4));
    bench.set_memory(4, generic());
    CHECK(bench.load(3) == affine(64, 4));
    CHECK(bench.load(4) == generic());
    CHECK(bench.counters().affine_fills == 1);
    CHECK(bench.counters().generic_fills == 1);
    CHECK(bench.l1().detached_fills == 1);
    CHECK(bench.reads() == 2);
    CHECK(bench.load(3) == affine(64, 4));
    CHECK(bench.counters().load_hits == 1);
    CHECK(bench.load(4) == generic());
    CHECK(bench.l1().hits[0] == 1);
    CHECK(bench.reads() == 2);
}

TEST_CASE(
    "read, Encode(d, m): a fill is encoded under the mask of those who asked, and only their words become valid") {
    AvcBench bench;
    Row row = affine(64, 4);
    row[31] = 9999;
    bench.set_memory(3, row);
    bench.load(3, kLower);
    CHECK(bench.counters().affine_fills == 1);
    CHECK(bench.load(3, 1u << 31)[31] == 9999);
    CHECK(bench.counters().load_misses == 2);
}

TEST_CASE("write, hit with equal base and stride: only valid bits are added") {
    AvcBench bench;
    bench.store(3, affine(256, 4), kLower);
    bench.store(3, affine(256, 4), ~kLower);
    CHECK(bench.counters().added_words == 1);
    CHECK(bench.counters().store_conflicts == 0);
    CHECK(bench.writes() == 0);
    CHECK(bench.load(3) == affine(256, 4));
    CHECK(bench.counters().load_hits == 1);
}

TEST_CASE("write, (valid and not m) = 0: whatever is overwritten whole does not conflict") {
    AvcBench bench;
    bench.store(3, affine(256, 4), kLower);
    bench.store(3, affine(512, 8), kLower);
    CHECK(bench.counters().store_conflicts == 0);
    CHECK(bench.writes() == 0);
    bench.store(3, affine(64, 1), kLower & ~1u);  // leaves lane 0
    CHECK(bench.counters().store_conflicts == 1);
    CHECK(bench.writes() == 1);
    CHECK(bench.in_memory(3, 0) == 512);
}

TEST_CASE("write, conflict: the older words leave, merged with L1's partial copy, which goes too (mend b)") {
    AvcBench bench;
    bench.store(3, generic());                    // L1
    bench.store(3, affine(256, 4), kLower);       // AVC, and L1's words are stale
    bench.store(3, affine(1024, 8), 0xff000000);  // another vector
    CHECK(bench.counters().store_conflicts == 1);
    CHECK(bench.writes() == 1);
    for (unsigned lane = 0; lane < 24; ++lane) {
        CHECK(bench.in_memory(3, lane) == (lane < 16 ? affine(256, 4) : generic())[lane]);
    }
    CHECK(bench.l1().discarded_bytes == 64);
    CHECK(bench.l1().write_backs == 0);  // one message, the vector's
    CHECK(bench.counters().write_backs == 1);
    CHECK(bench.load(3) == mixed(kLower, affine(256, 4), mixed(0xff000000, affine(1024, 8), generic())));
}

TEST_CASE("a generic store ends the vector's words under it, and no others (mend a)") {
    AvcBench bench;
    bench.store(3, affine(256, 4));
    bench.store(3, generic(), kLower);
    CHECK(bench.load(3) == mixed(kLower, generic(), affine(256, 4)));
    CHECK(bench.counters().superseded_words == 16);
}

TEST_CASE("a fill of another base or stride than the words that are here drives them out (mend c)") {
    AvcBench bench;
    bench.set_memory(3, affine(64, 4));
    bench.store(3, affine(1024, 8), kLower);
    const Row loaded = bench.load(3);
    CHECK(bench.counters().fill_conflicts == 1);
    CHECK(bench.writes() == 1);
    CHECK(bench.in_memory(3, 5) == 1024 + 5 * 8);
    CHECK(bench.load(3, kLower) == only(affine(1024, 8), kLower));
    CHECK(loaded[16] == 64 + 16 * 4);

    AvcBench equal;
    equal.set_memory(3, affine(64, 4));
    equal.store(3, affine(64, 4), kLower);
    equal.load(3);
    CHECK(equal.counters().fill_conflicts == 0);
    CHECK(equal.counters().affine_fills == 1);
    CHECK(equal.writes() == 0);
}

TEST_CASE("a store while a fill is under way wins, and the older load does not see it") {
    AvcBench bench;
    bench.set_memory(3, affine(64, 4));
    bench.begin_load(3, ~isa::LaneMask{0});
    bench.begin_store(3, affine(1024, 8), kLower);
    REQUIRE(bench.drain());
    CHECK(bench.loaded(~isa::LaneMask{0}) == affine(64, 4));
    CHECK(bench.load(3) == mixed(kLower, affine(1024, 8), affine(64, 4)));
}

TEST_CASE("words that came with a fill are clean: they are not written back") {
    AvcBench bench({"avc.sets=1", "avc.ways=1"});
    bench.set_memory(3, affine(64, 4));
    bench.load(3);
    bench.store(16, affine(0, 1));  // another line of the AVC
    CHECK(bench.counters().evictions == 1);
    CHECK(bench.writes() == 0);
    CHECK(bench.load(3) == affine(64, 4));
}

TEST_CASE("a line that makes room decodes and writes all its vectors: bandwidth amplification on conflict misses") {
    AvcBench bench({"avc.sets=1", "avc.ways=1"});
    for (unsigned word = 0; word < 16; ++word) { bench.store(word, affine(1024 * word, 4)); }
    CHECK(bench.writes() == 0);
    CHECK(bench.counters().evictions == 0);
    bench.store(16, affine(0, 1));
    CHECK(bench.counters().evictions == 1);
    CHECK(bench.counters().evicted_vectors == 16);
    CHECK(bench.writes() == 16);
    for (unsigned word = 0; word < 16; ++word) { CHECK(bench.in_memory(word, 31) == 1024 * word + 31 * 4); }
    AvcBench two({"avc.sets=1", "avc.ways=2"});
    two.store(0, affine(0, 4));
    two.store(16, affine(0, 1));
    CHECK(two.counters().evictions == 0);
}

TEST_CASE("L1's eviction leaves stale words out, and takes the vector's along") {
    // One line of L1: the second line evicts the first.
    AvcBench bench({"l1d.set_index=linear", "l1d.sets=1", "l1d.ways=1", "l1d.pinned_ways=0"});
    bench.store(3, generic());
    bench.store(3, affine(256, 4), kLower);
    bench.store(9, generic());
    CHECK(bench.writes() == 1);
    CHECK(bench.counters().merged_evictions == 1);
    CHECK(bench.in_memory(3, 0) == 256);
    CHECK(bench.in_memory(3, 16) == generic()[16]);
    CHECK(bench.load(3, kLower) == only(affine(256, 4), kLower));  // the words stayed, clean
    CHECK(bench.reads() == 0);

    // Only stale words: nothing is written.
    AvcBench stale({"l1d.set_index=linear", "l1d.sets=1", "l1d.ways=1", "l1d.pinned_ways=0"});
    stale.store(3, generic(), kLower);
    stale.store(3, affine(256, 4));
    stale.store(9, generic());
    CHECK(stale.writes() == 0);
    CHECK(stale.load(3) == affine(256, 4));
}

TEST_CASE("masks with holes: a vector keeps exactly the words that were stored") {
    constexpr isa::LaneMask kHoles = 0x5a5a'0ff1;
    AvcBench bench;
    bench.set_memory(3, generic());
    bench.store(3, affine(64, 4), kHoles | 0b1100);
    CHECK(bench.counters().affine_stores == 1);
    CHECK(bench.load(3) == mixed(kHoles | 0b1100, affine(64, 4), generic()));
    // Without a pair of neighbours no stride is visible.
    bench.store(4, affine(64, 4), 0x5555'5555);
    CHECK(bench.counters().generic_stores == 1);
}

TEST_CASE("stores to parts of words, and of lanes at different addresses, go to L1, and so do such fills") {
    AvcBench bench;
    bench.store(3, affine(0x100, 0));
    bench.store_byte(3, 1u << 7, 2, 0xab);
    CHECK(bench.counters().generic_stores == 1);
    CHECK(bench.load(3)[7] == 0x00ab'0100);
    CHECK(bench.load(3)[8] == 0x100);
    CHECK(bench.reads() == 0);  // the rest of the word came along

    bench.store_scattered(5, 6, affine(0x40, 0));
    CHECK(bench.counters().affine_stores == 1);
    CHECK(bench.counters().generic_stores == 3);
    CHECK(bench.load(5, kLower) == only(affine(0x40, 0), kLower));

    AvcBench fills;
    fills.set_memory(5, affine(64, 4));
    fills.set_memory(6, affine(64, 4));
    fills.load_scattered(5, 6);
    CHECK(fills.counters().affine_fills == 0);
    CHECK(fills.l1().fills == 2);
    fills.load(5);
    CHECK(fills.l1().hits[0] == 1);
}

TEST_CASE("an access takes one cycle more, in the AVC, in L1 and from memory") {
    const AvcBench::Overrides times = {"l1d.hit_latency=20", "l1d.fill_latency=5"};
    AvcBench bench(times);
    bench.store(3, affine(0, 4));
    bench.store(4, generic());
    CHECK(bench.cycles_of_load(3) == 21);
    CHECK(bench.cycles_of_load(4) == 21);
    AvcBench::Overrides alone = times;
    alone.push_back("l1d.companion=none");
    CHECK(bench.cycles_of_load(5) == AvcBench(alone).cycles_of_load(5) + 1);
    AvcBench::Overrides three = times;
    three.push_back("avc.latency=3");
    AvcBench slow(three);
    slow.store(3, affine(0, 4));
    CHECK(slow.cycles_of_load(3) == 23);
}

TEST_CASE("each load and store of private memory is one access, each replay another") {
    AvcBench bench;
    bench.store(3, affine(0, 4), kLower);
    bench.store(4, generic());
    bench.load(4);
    CHECK(bench.counters().accesses == 3);
    bench.load(3);
    CHECK(bench.counters().accesses == 5);
}

TEST_CASE("before an atomic the vector's words go to memory") {
    AvcBench bench;
    bench.store(3, affine(64, 4));
    bench.add(3, 0, 2);
    CHECK(bench.in_memory(3, 0) == 66);
    CHECK(bench.in_memory(3, 1) == 68);
    CHECK(bench.load(3)[0] == 66);
}

TEST_CASE("a kernel begins without vectors, and what ended threads have left is not written back") {
    AvcBench bench;
    bench.store(3, affine(64, 4));
    bench.unit->end_launch();
    REQUIRE(bench.drain());
    bench.unit->begin_kernel();
    CHECK(bench.writes() == 0);
    CHECK(bench.counters().discarded_words == 32);
    CHECK(bench.load(3) == affine(0, 0));
}

TEST_CASE("read-modify-write: a store of some lanes stays in the AVC only if the whole vector is affine with it") {
    AvcBench bench({"avc.partial_writes=read_modify_write"});
    bench.store(3, affine(64, 4), kLower);  // the other lanes are not in the AVC
    CHECK(bench.counters().generic_stores == 1);
    bench.store(4, affine(64, 4));
    bench.store(4, affine(64, 4), kLower);  // the same values
    CHECK(bench.counters().affine_stores == 2);
    bench.store(4, affine(64, 8), kLower);  // half of one stride and half of another: the vector goes to L1
    CHECK(bench.counters().generic_stores == 2);
    CHECK(bench.load(4) == mixed(kLower, affine(64, 8), affine(64, 4)));
    CHECK(bench.counters().load_hits == 0);
    CHECK(bench.reads() == 0);
    CHECK(bench.writes() == 0);
}

TEST_CASE("read-modify-write: a fill is taken whole or not at all") {
    AvcBench bench({"avc.partial_writes=read_modify_write"});
    Row row = affine(64, 4);
    bench.set_memory(3, row);
    bench.load(3, kLower);
    CHECK(bench.counters().affine_fills == 1);
    bench.load(3);
    CHECK(bench.counters().load_hits == 1);
    row[31] = 9999;
    bench.set_memory(4, row);
    bench.load(4, kLower);
    CHECK(bench.counters().generic_fills == 1);
}

TEST_CASE("half warps: 16 x 16 blocks are two vectors, and one affine half stays where the other goes to L1") {
    const Row blocks = mixed(kLower, affine(64, 4), affine(4096 - 4 * 16, 4));
    AvcBench whole;
    whole.store(3, blocks);
    CHECK(whole.counters().generic_stores == 1);
    AvcBench half({"avc.granularity=16"});
    half.store(3, blocks);
    CHECK(half.counters().affine_stores == 1);
    CHECK(half.load(3) == blocks);

    const Row one_half = mixed(kLower, affine(64, 4), generic());
    half.store(5, one_half);
    CHECK(half.counters().generic_stores == 1);
    CHECK(half.load(5) == one_half);
    CHECK(half.counters().partial_hits == 1);
    CHECK(half.writes() == 0);
    CHECK(half.reads() == 0);
}

TEST_CASE("half warps: a conflict in one half leaves the other one where it is") {
    AvcBench bench({"avc.granularity=16"});
    bench.store(3, affine(64, 4));
    bench.store(3, affine(1024, 8), 0x00ff'0000);
    CHECK(bench.counters().store_conflicts == 1);
    CHECK(bench.writes() == 1);
    bench.load(3, kLower);
    CHECK(bench.counters().load_hits == 1);
    bench.load(3, 0xff00'0000);
    CHECK(bench.counters().load_misses == 1);
}

TEST_CASE(
    "with the encoder off the AVC is an L1 of the same size with a cycle more: the same hits, misses and traffic") {
    std::array<L1Counters, 2> l1;
    std::array<unsigned, 2> reads{};
    std::array<unsigned, 2> writes{};
    std::array<Cycle, 2> cycles{};
    for (unsigned with = 0; with < 2; ++with) {
        AvcBench bench({"l1d.sets=4", "l1d.ways=2", "l1d.set_index=linear", "l1d.pinned_ways=0",
                        with != 0 ? "l1d.companion=avc" : "l1d.companion=none", "avc.encoder=false"});
        std::mt19937 random(7);
        for (unsigned i = 0; i < 2000; ++i) {
            const unsigned word = random() % 24;
            const isa::LaneMask lanes = random() % 2 == 0 ? isa::kFullMask : random() | 1;
            if (random() % 2 == 0) {
                bench.store(word, random() % 2 == 0 ? affine(64, 4) : generic(), lanes);
            } else {
                cycles[with] += bench.cycles_of_load(word, lanes);
            }
        }
        l1[with] = bench.l1();
        reads[with] = bench.reads();
        writes[with] = bench.writes();
    }
    CHECK(l1[0].hits == l1[1].hits);
    CHECK(l1[0].misses == l1[1].misses);
    CHECK(l1[0].local_store_hits == l1[1].local_store_hits);
    CHECK(l1[0].write_backs == l1[1].write_backs);
    CHECK(l1[0].written_back_bytes == l1[1].written_back_bytes);
    CHECK(reads[0] == reads[1]);
    CHECK(writes[0] == writes[1]);
    CHECK(l1[0].hits[0] > 100);
    CHECK(l1[0].misses[0] > 100);
    CHECK(cycles[1] == cycles[0] + l1[0].hits[0] + l1[0].misses[0]);
}

TEST_CASE("sizes that the AVC cannot have are refused by name") {
    CHECK_THROWS_WITH_AS(AvcBench({"avc.granularity=24"}), doctest::Contains("avc.granularity = 24"),
                         ConfigurationError);
    CHECK_THROWS_WITH_AS(AvcBench({"avc.sets=48"}), doctest::Contains("avc.sets = 48"), ConfigurationError);
    CHECK_THROWS_AS(AvcBench({"avc.ways=7"}), ConfigurationError);
    CHECK_NOTHROW(AvcBench({"avc.ways=6"}));
    CHECK_THROWS_WITH_AS(AvcBench({"l1d.local_write_policy=write_evict"}), doctest::Contains("l1d.companion = \"avc\""),
                         ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu::test
