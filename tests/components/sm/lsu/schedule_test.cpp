// When the unit works: jumps over idle cycles, and checkpoints during work.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/state/archives.h"
#include "tests/components/sm/lsu/unit_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test::schedule_tests {
namespace {

/// All kinds of instructions, as a kernel's code.
const std::vector<isa::Instruction>& code() {
    static const std::vector<isa::Instruction> instructions = {
        make_memory(Operation::load),
        make_memory(Operation::store),
        make_memory(Operation::load, isa::Type::f32, isa::Space::global, 4),
        make_memory(Operation::store, isa::Type::u8),
        make_memory(Operation::load, isa::Type::u32, isa::Space::shared),
        make_memory(Operation::store, isa::Type::u32, isa::Space::shared),
        make_atomic(isa::AtomicOp::add),
        make_atomic(isa::AtomicOp::add, Operation::reduce),
        make_atomic(isa::AtomicOp::add, Operation::atomic, isa::Space::shared),
        make_ordered(Operation::load, Order::relaxed),
        make_ordered(Operation::load, Order::acquire),
        make_ordered(Operation::store, Order::release),
        make_memory(Operation::load, isa::Type::u32, isa::Space::generic),
        make_memory(Operation::load, isa::Type::u32, isa::Space::constant),
        make_memory(Operation::load, isa::Type::u32, isa::Space::local),
        make_memory(Operation::store, isa::Type::u16, isa::Space::local),
        make_memory(Operation::store, isa::Type::u32, isa::Space::local),
    };
    return instructions;
}
const isa::Instruction kFence = make_fence();

/// Chooses the instructions issued in each cycle from a seed.
class RandomProgram {
  public:
    explicit RandomProgram(unsigned seed) : random_(seed) {}

    /// Issues at most one instruction in the bench's current cycle; returns whether it did.
    template <class AnyBench>
    bool issue(AnyBench& bench) {
        const unsigned draw = random_();
        const auto context = static_cast<std::uint16_t>(random_() % kContexts);
        const isa::Instruction& what = code()[random_() % code().size()];
        const unsigned range = 1 + random_() % 40;
        const isa::LaneMask active = random_() | 2;
        MemoryInstruction access = bench.instruction(
            what, [&](unsigned lane) { return address(what, lane, range); }, active, random_() % 60 * 4, context);
        access.local_bytes = kLocalBytes;
        access.local_base = isa::kLocalMemoryBase + context * isa::local_memory_per_warp(kLocalBytes);
        for (unsigned row = 0; row < isa::kMostOperandRows; ++row) {
            for (auto& word : access.data[row]) { word = random_(); }
        }
        if (draw % 4 != 0 || !bench.unit->can_accept() || fenced(bench, context)) { return false; }
        if (draw % 32 == 0) {
            bench.unit->accept_fence(context, kFence, bench.now);
            ++fences_[context];
        } else {
            bench.unit->accept(access, bench.now);
        }
        return true;
    }

  private:
    static constexpr std::uint32_t kLocalBytes = 128;

    std::uint64_t address(const isa::Instruction& what, unsigned lane, unsigned range) {
        const std::uint64_t offset = random_() % range * 16 + (lane % 4) * 16;
        if (what.space == isa::Space::global) { return kBase + offset * 8; }
        if (what.space == isa::Space::constant) { return isa::kConstantBase + offset; }
        if (what.space == isa::Space::local) { return offset % kLocalBytes; }
        if (what.space == isa::Space::generic && random_() % 2 == 0) { return kBase + offset; }
        return (what.space == isa::Space::generic ? isa::kSharedWindowBase : 0) + offset;
    }
    template <class AnyBench>
    bool fenced(const AnyBench& bench, std::uint16_t context) {
        const auto ended = std::count_if(bench.completions.begin(), bench.completions.end(), [&](const auto& each) {
            return each.instruction == &kFence && each.context == context;
        });
        return fences_[context] != static_cast<unsigned>(ended);
    }

    std::mt19937 random_;
    std::map<std::uint16_t, unsigned> fences_;
};

const Bench::Overrides kTight = {"l1d.sets=2",
                                 "l1d.set_index=linear",
                                 "l1d.ways=2",
                                 "l1d.pinned_ways=1",
                                 "l1d.mshrs=4",
                                 "l1d.merges=3",
                                 "l1d.miss_queue=2",
                                 "coalescing.queue=3",
                                 "l1d.hit_latency=9",
                                 "coalescing.pending_loads=12",
                                 "constant_cache.sets=2",
                                 "constant_cache.ways=2",
                                 "constant_cache.merges=3"};

constexpr const char* kLocalPolicies[] = {"l1d.local_write_policy=write_back",
                                          "l1d.local_write_policy=write_back_fetch",
                                          "l1d.local_write_policy=write_back_no_allocate",
                                          "l1d.local_write_policy=write_through", "l1d.local_write_policy=write_evict"};

void set_random_delays(ScriptedMemory& memory, unsigned seed) {
    memory.set_delay(
        [random = std::mt19937(seed)](unsigned, std::uint64_t, bool) mutable { return 1 + random() % 90; });
}

TEST_CASE("cycles that next_event jumps over would have changed nothing") {
    for (const char* policy : {"l1d.write_policy=write_evict", "l1d.write_policy=write_through"}) {
        for (unsigned seed = 1; seed <= lookahead::test::often(16); ++seed) {
            CAPTURE(seed);
            Bench::Overrides overrides = kTight;
            overrides.push_back(policy);
            overrides.push_back(seed % 2 == 0 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32");
            overrides.push_back(kLocalPolicies[seed / 2 % std::size(kLocalPolicies)]);
            Bench each_cycle(overrides);
            Bench jumping(overrides);
            set_random_delays(each_cycle.memory, seed);
            set_random_delays(jumping.memory, seed);
            RandomProgram first(seed);
            RandomProgram second(seed);
            Cycle next = 0;
            unsigned skipped = 0;
            for (Cycle now = 1; now < 3000; ++now) {
                const bool issues = now < 1500 && (now / 100) % 3 != 2;
                each_cycle.now = jumping.now = now;
                if (issues) { first.issue(each_cycle); }
                if (issues && second.issue(jumping)) { next = now; }
                each_cycle.memory.advance(now);
                each_cycle.unit->cycle(now);
                jumping.memory.advance(now);
                next = std::min(next, jumping.memory.next_reply_cycle(0, now - 1));
                if (now >= next) {
                    jumping.unit->cycle(now);
                    next = jumping.unit->next_event(now);
                } else {
                    ++skipped;
                }
                REQUIRE(each_cycle.hash(code()) == jumping.hash(code()));
            }
            CHECK(each_cycle.unit->drained());
            CHECK(skipped > 1000);
            REQUIRE(each_cycle.completions.size() == jumping.completions.size());
        }
    }
}

bool all_fences_ended(const Bench& bench) {
    const auto ended = std::count_if(bench.completions.begin(), bench.completions.end(),
                                     [](const auto& each) { return each.instruction == &kFence; });
    return static_cast<std::uint64_t>(ended) == bench.unit->counters().fences;
}

TEST_CASE("a unit restored in the middle of its work goes on as the original does") {
    unsigned busy = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Bench::Overrides overrides = kTight;
        overrides.push_back(seed % 2 == 0 ? "l1d.write_policy=write_evict" : "l1d.write_policy=write_through");
        overrides.push_back(seed % 4 < 2 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32");
        overrides.push_back(kLocalPolicies[seed / 4 % 4]);
        Bench original(overrides);
        set_random_delays(original.memory, seed);
        RandomProgram program(seed);
        while (original.now < 200 + seed) {
            program.issue(original);
            original.step();
        }
        while (!all_fences_ended(original)) {  // this test's fence is not in code()
            original.step();
        }
        busy += !original.unit->drained();
        const std::string bytes = state_to_bytes([&](StateArchive& archive) {
            original.unit->fields(archive, code());
            archive&* original.constants;
        });
        ScriptedMemory memory = original.memory;  // includes all messages under way
        Bench restored(overrides, &memory);
        restored.registers = original.registers;
        restored.now = original.now;
        state_from_bytes(bytes, "the unit", [&](StateArchive& archive) {
            restored.unit->fields(archive, code());
            archive&* restored.constants;
        });
        REQUIRE(restored.hash(code()) == original.hash(code()));
        original.completions.clear();
        REQUIRE(original.drain());
        REQUIRE(restored.drain());
        CHECK(restored.now == original.now);
        CHECK(restored.hash(code()) == original.hash(code()));
        CHECK(restored.completions.size() == original.completions.size());
    }
    CHECK(busy > 20);
}

}  // namespace
}  // namespace lookahead::gpu::test::schedule_tests
