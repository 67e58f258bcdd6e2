// The common part of all prefetchers: queue, filter, priority and statistics, tested with next-line prefetching and
// with a prefetcher whose requests a test chooses.
#include <doctest/doctest.h>

#include "core/lp/audit.h"
#include "tests/components/mechanisms/prefetchers/prefetch_bench.h"

namespace lookahead::gpu::test {
namespace {

/// Requests, at each load, the lines that the test has chosen.
class ToldPrefetcher final : public Prefetcher {
  public:
    inline static std::vector<PrefetchRequest> wanted;
    inline static bool idle_only = false;

    explicit ToldPrefetcher(const PrefetcherArguments& arguments) : port_(arguments.port) {}
    bool only_when_idle() const override { return idle_only; }
    void on_load(const ObservedLoad& load, Cycle) override {
        seen = {load.lines.begin(), load.lines.end()};
        for (const PrefetchRequest& request : wanted) { port_.prefetch(request); }
    }
    void fields(StateArchive&) override {}

    inline static std::vector<std::uint64_t> seen;

  private:
    PrefetchPort& port_;
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, ToldPrefetcher, "told", "Asks for what a test told it.", "none: for tests")

PrefetchRequest request(std::uint64_t line, std::uint32_t pc = 0, std::uint16_t context = kNoContext) {
    return {kBase + line * kLineBytes, pc, context};
}

/// A bench with a prefetcher that requests these lines at every load.
struct ToldBench : PrefetchBench {
    explicit ToldBench(std::vector<PrefetchRequest> wanted, Overrides more = {}, bool idle_only = false)
        : PrefetchBench((ToldPrefetcher::wanted = std::move(wanted), ToldPrefetcher::idle_only = idle_only, "told"),
                        std::move(more)) {}
    void quiet() { ToldPrefetcher::wanted.clear(); }
    /// Requests the lines at one load of that line, lets them come, and requests none later.
    void ask_once(std::uint64_t line = 0) {
        load_and_drain(0, 0, {line});
        quiet();
    }
};

void check_accounts(const PrefetchCounters& counters) {
    CHECK(counters.issued ==
          counters.useful + counters.late + counters.early_evicted + counters.unused + counters.outstanding);
    CHECK(counters.requested == counters.duplicates + counters.unmapped + counters.dropped + counters.cleared +
                                    counters.queued + counters.issued);
}

TEST_CASE("without a prefetcher there is no prefetch unit") {
    Bench bench;
    CHECK(bench.unit->prefetches() == nullptr);
}

TEST_CASE("a prefetcher sees the lines of a load, coalesced, in the order of its accesses") {
    ToldBench bench({});
    bench.load(0, 0, {5, 2, 9});
    CHECK(ToldPrefetcher::seen == std::vector<std::uint64_t>{request(5).line, request(2).line, request(9).line});
    CHECK(bench.prefetches().loads == 1);
    CHECK(bench.prefetches().load_accesses == 3);
}

TEST_CASE("a prefetcher sees each element of a vector load as a load of its own") {
    const std::uint32_t pc = 16;
    ToldBench bench({request(7, pc, 2)});
    bench.perform(bench.vector_load(2, 5, 2));
    CHECK(ToldPrefetcher::seen == std::vector<std::uint64_t>{request(11).line});
    CHECK(bench.prefetches().loads == 4);
    CHECK(bench.prefetches().load_accesses == 4);
    CHECK(bench.prefetches().matched + bench.prefetches().duplicates == 4);
    check_accounts(bench.prefetches());
}

TEST_CASE("a line that a demand load finds in L1 is useful, once") {
    ToldBench bench({request(7, 1, 3)});
    bench.ask_once();
    CHECK(bench.prefetches().issued == 1);
    CHECK(bench.prefetches().outstanding == 1);
    bench.load_each(1, {{3, 7}, {3, 7}});
    CHECK(bench.prefetches().useful == 1);
    CHECK(bench.prefetches().matched == 1);
    CHECK(bench.prefetches().outstanding == 0);
    CHECK(bench.prefetches().distance_cycles > 0);
    check_accounts(bench.prefetches());
}

TEST_CASE("a line that another warp, or another load, uses is useful but not matched") {
    for (const bool other_warp : {false, true}) {
        ToldBench bench({request(7, 1, 3)});
        bench.ask_once();
        bench.load(other_warp ? 2 : 3, other_warp ? 1 : 2, {7});
        CHECK(bench.prefetches().useful == 1);
        CHECK(bench.prefetches().matched == 0);
    }
}

TEST_CASE("the address of a prefetch is right when its warp's load goes there, whoever used the line before") {
    ToldBench bench({request(7, 1, 3), request(8, 1, 3), request(9, 1, 2), request(11)});
    bench.ask_once();
    CHECK(bench.prefetches().issued == 4);
    CHECK(bench.prefetches().meant == 3);
    bench.load(0, 1, {7});  // another warp
    bench.load(3, 2, {8});  // another load
    CHECK(bench.prefetches().address_right == 0);
    bench.load(3, 1, {7, 9});
    bench.load(3, 1, {7});
    CHECK(bench.prefetches().address_right == 1);
    bench.unit->cta_ended(1);
    bench.load_each(1, {{2, 9}, {3, 8}});
    CHECK(bench.prefetches().address_right == 1);
}

TEST_CASE("a line that a demand load asks for while it is under way is late, and the load completes with the fill") {
    ToldBench bench({request(7)});
    bench.load(0, 0, {0});
    bench.quiet();
    bench.step();
    bench.load(1, 1, {7});
    CHECK(bench.prefetches().late == 1);
    REQUIRE(bench.drain());
    CHECK(bench.completions.size() == 2);
    CHECK(bench.memory.count(GpuMessage::read_request) == 2);
    CHECK(bench.prefetches().useful == 0);
    check_accounts(bench.prefetches());
}

TEST_CASE("a line that makes room for another before its use is early evicted; one that a store takes is unused") {
    ToldBench bench({request(32)}, {"l1d.ways=1", "l1d.pinned_ways=0", "l1d.set_index=linear"});
    bench.ask_once(1);
    bench.load(1, 1, {64});  // the set of line 32
    CHECK(bench.prefetches().early_evicted == 1);
    CHECK(bench.prefetches().evicted_by_prefetch == 0);
    check_accounts(bench.prefetches());

    ToldBench two({request(32)}, {"l1d.ways=1", "l1d.pinned_ways=0", "l1d.set_index=linear"});
    two.load_and_drain(0, 0, {1});
    ToldPrefetcher::wanted = {request(64)};
    two.load_and_drain(1, 1, {2});
    CHECK(two.prefetches().early_evicted == 1);
    CHECK(two.prefetches().evicted_by_prefetch == 1);

    ToldBench other({request(32)});
    other.load_and_drain(0, 0, {1});
    other.store(32);
    CHECK(other.prefetches().unused == 1);
    check_accounts(other.prefetches());
}

TEST_CASE("with l1d.prefetch_ways prefetches and demand loads do not take each other's lines") {
    for (const bool buffer : {false, true}) {
        ToldBench bench({request(32)}, {"l1d.ways=1", "l1d.pinned_ways=0", "l1d.set_index=linear",
                                        std::string("l1d.prefetch_ways=") + (buffer ? "1" : "0")});
        bench.load(0, 0, {0});  // the set of lines 32, 64 and 96
        REQUIRE(bench.drain());
        CHECK(bench.has(0) == buffer);
        bench.quiet();
        bench.load_and_drain(1, 1, {64});
        CHECK_FALSE(bench.has(0));
        CHECK(bench.has(32) == buffer);
        bench.load_and_drain(1, 1, {32});
        CHECK(bench.prefetches().useful == (buffer ? 1 : 0));
        CHECK(bench.has(64) == buffer);
        ToldPrefetcher::wanted = {request(96)};
        bench.load_and_drain(2, 2, {1});
        CHECK_FALSE(bench.has(32));
        CHECK(bench.has(96));
    }
}

TEST_CASE("a store takes a line from the prefetch buffer") {
    ToldBench bench({request(32)}, {"l1d.prefetch_ways=4"});
    bench.load_and_drain(0, 0, {1});
    CHECK(bench.has(32));
    bench.store(32);
    CHECK_FALSE(bench.has(32));
    CHECK(bench.prefetches().unused == 1);
}

TEST_CASE("a store poisons a prefetch under way, which is then unused") {
    ToldBench bench({request(7)});
    bench.load(0, 0, {0});
    bench.step();
    bench.store(7);
    CHECK(bench.prefetches().unused == 1);
    CHECK_FALSE(bench.has(7));
}

TEST_CASE("the end of a launch makes lines that nobody used unused, those under way too, and empties the queue") {
    ToldBench bench({request(7), request(8), request(9)});
    bench.load(0, 0, {0});  // one of the three has gone to memory
    bench.unit->end_launch();
    CHECK(bench.prefetches().queued == 0);
    CHECK(bench.prefetches().cleared > 0);
    CHECK(bench.prefetches().outstanding > 0);
    REQUIRE(bench.drain());
    CHECK(bench.prefetches().outstanding == 0);
    CHECK(bench.prefetches().unused == bench.prefetches().issued);
    check_accounts(bench.prefetches());
}

TEST_CASE("lines that are present, under way or queued are duplicates; addresses without an allocation are unmapped") {
    ToldBench bench({request(7), request(7), request(0), request(kAllocated / kLineBytes), request(1 << 30)});
    bench.load(0, 0, {0});
    CHECK(bench.prefetches().unmapped == 2);
    REQUIRE(bench.drain());
    CHECK(bench.prefetches().duplicates == 2);  // 7 was queued; line 0 was demanded before its turn
    bench.load_and_drain(1, 1, {1});
    CHECK(bench.prefetches().duplicates == 5);
    CHECK(bench.prefetches().issued == 1);
    check_accounts(bench.prefetches());
}

TEST_CASE("a line that is queued already takes no further place in the queue") {
    ToldBench bench({request(7), request(7), request(7)}, {"prefetch.queue=1"});
    bench.load(0, 0, {0});
    CHECK(bench.prefetches().duplicates == 2);
    CHECK(bench.prefetches().dropped == 0);
}

TEST_CASE(
    "a demand load that misses takes its line from the queue, so that a store does not make it be fetched again") {
    for (const bool same : {true, false}) {
        ToldBench bench({request(40), request(41), request(42)}, {"l1d.mshrs=3"});
        bench.load(0, 0, {0});
        bench.quiet();
        bench.run_to(bench.now + 2);
        REQUIRE(bench.prefetches().issued == 1);  // 40; the third MSHR stays free
        REQUIRE(bench.prefetches().queued == 2);
        bench.load(1, 1, {same ? 42ull : 50ull});  // 41 is before it, and waits for an MSHR
        CHECK(bench.prefetches().queued == (same ? 1 : 2));
        CHECK(bench.prefetches().duplicates == (same ? 1 : 0));
        bench.store(42);
        bench.run_to(bench.now + 200);
        CHECK(bench.prefetches().issued == (same ? 2 : 3));
        CHECK(bench.has(41));
        CHECK(bench.has(42) == !same);
        check_accounts(bench.prefetches());
    }
}

TEST_CASE("one prefetch more than the queue holds is dropped") {
    for (const unsigned wanted : {4u, 5u}) {
        std::vector<PrefetchRequest> list;
        for (unsigned i = 0; i < wanted; ++i) { list.push_back(request(10 + i)); }
        ToldBench bench(list, {"prefetch.queue=4"});
        bench.load_and_drain(0, 0, {0});
        CHECK(bench.prefetches().dropped == wanted - 4);
    }
}

TEST_CASE("prefetches wait while a load accesses L1, and leave it one MSHR and one place of the miss queue") {
    ToldBench bench({request(40), request(41), request(42)}, {"l1d.mshrs=4"});
    bench.load(0, 0, {0, 1});
    // Lines 0 and 1 took a cycle each; then one prefetch left, and the fourth MSHR stays free.
    bench.run_to(bench.now + 4);
    CHECK(bench.prefetches().issued == 1);
    CHECK(bench.prefetches().queued == 2);
    bench.quiet();
    bench.load(1, 1, {50});
    CHECK(bench.has(50));
    CHECK(bench.unit->l1().counters().failure_cycles[static_cast<std::size_t>(ReservationFailure::no_mshr)] == 0);
    bench.drain();
    bench.run_to(bench.now + 100);
    CHECK(bench.prefetches().issued == 3);
}

TEST_CASE("an idle-only prefetcher's requests wait until the unit has no instruction") {
    for (const bool idle_only : {false, true}) {
        ToldBench bench({request(40)}, {}, idle_only);
        // Shared memory with conflicts holds the queue, not L1.
        const isa::Instruction shared = make_memory(isa::Operation::load, isa::Type::u32, isa::Space::shared);
        const MemoryInstruction load = bench.instruction(bench.kernels.front().code[0], words_from(kBase));
        bench.unit->accept(load, bench.now);
        bench.step();
        bench.unit->accept(bench.instruction(shared, [](unsigned lane) { return std::uint64_t{128} * lane; }),
                           bench.now);
        bench.run_to(bench.now + 10);
        CHECK(bench.prefetches().issued == (idle_only ? 0 : 1));
        bench.run_to(bench.now + 40);
        CHECK(bench.prefetches().issued == 1);
    }
}

/// A load that requests six lines: one is demanded while under way, one when present, and the others are evicted or
/// unused. At cycle `checkpoint` a copy replaces the unit.
PrefetchCounters run_with_checkpoint_at(Cycle checkpoint, std::uint64_t& hash, bool& in_all_states) {
    ToldBench bench({request(40), request(41), request(42), request(43), request(44), request(45)},
                    {"l1d.mshrs=4", "l1d.ways=1", "l1d.pinned_ways=0", "l1d.set_index=linear"});
    const std::span<const isa::Instruction> code = bench.kernels.front().code;
    const std::map<Cycle, std::uint64_t> demands{{1, 0}, {4, 40}, {40, 41}, {60, 42 + 32}, {70, 1}};
    for (Cycle cycle = 0; cycle < 100; ++cycle) {
        if (const auto demand = demands.find(cycle); demand != demands.end()) {
            MemoryInstruction load = bench.instruction(code[0], words_from(kBase + demand->second * kLineBytes));
            bench.unit->accept(load, bench.now);
        }
        if (cycle == 2) { bench.quiet(); }
        bench.step();
        check_accounts(bench.prefetches());
        if (cycle == checkpoint) {
            const PrefetchCounters& now = bench.prefetches();
            in_all_states = in_all_states || (now.queued > 0 && now.outstanding > 0 && now.late > 0);
            bench.save_and_load(code, [&] { bench.begin_launch(); });
            check_accounts(bench.prefetches());
        }
    }
    REQUIRE(bench.drain());
    bench.unit->end_launch();
    hash = bench.hash(bench.kernels.front().code);
    return bench.prefetches();
}

TEST_CASE("accounts balance at every cycle, and a checkpoint at any of them changes nothing") {
    std::uint64_t expected = 0;
    bool in_all_states = false;
    const PrefetchCounters whole = run_with_checkpoint_at(-1, expected, in_all_states);
    CHECK(whole.issued == 6);
    CHECK(whole.late == 1);
    CHECK(whole.useful == 1);
    CHECK(whole.early_evicted == 1);
    CHECK(whole.unused == 3);
    CHECK(whole.outstanding == 0);
    for (Cycle cycle = 0; cycle < 100; ++cycle) {
        CAPTURE(cycle);
        std::uint64_t hash = 0;
        run_with_checkpoint_at(cycle, hash, in_all_states);
        CHECK(hash == expected);
    }
    CHECK(in_all_states);
}

TEST_CASE("nlp fetches the line after a miss, and nothing after a hit") {
    PrefetchBench bench("nlp");
    bench.load_and_drain(0, 0, {3});
    CHECK(bench.has(4));
    CHECK_FALSE(bench.has(5));
    bench.load_and_drain(0, 0, {4});
    CHECK_FALSE(bench.has(5));
    CHECK(bench.prefetches().useful == 1);

    PrefetchBench two("nlp", {"nlp.lines=2"});
    two.load_and_drain(0, 0, {3});
    two.run_to(two.now + 50);
    CHECK(two.has(5));
    CHECK_FALSE(two.has(6));
}

TEST_CASE("an audit names prefetches without a fate") {
    ToldBench bench({request(7)});
    bench.load_and_drain(0, 0, {0});
    Audit audit;
    bench.unit->audit(audit, 0);
    const std::vector<std::string> faults = audit.faults();
    const auto names = [&](const std::string& what) {
        return std::any_of(faults.begin(), faults.end(),
                           [&](const std::string& fault) { return fault.find(what) != std::string::npos; });
    };
    CHECK(names("prefetches without a fate"));
    bench.unit->end_launch();
    Audit after;
    bench.unit->audit(after, 0);
    for (const std::string& fault : after.faults()) { CHECK(fault.find("prefetch") == std::string::npos); }
}

}  // namespace
}  // namespace lookahead::gpu::test
