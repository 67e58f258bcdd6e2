// When the unit works: jumps over idle cycles, and checkpoints during work.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/unit_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test::schedule_tests {
namespace {

/// All kinds of instructions, as a kernel's code; the last one is a fence.
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
        make_fence(),
    };
    return instructions;
}

/// Chooses the instructions issued in each cycle from a seed.
class RandomProgram {
  public:
    explicit RandomProgram(unsigned seed) : random_(seed) {}

    /// Issues at most one instruction in the bench's current cycle; returns whether it did.
    bool issue(Bench& bench) {
        const unsigned draw = random_();
        const auto context = static_cast<std::uint16_t>(random_() % kContexts);
        const isa::Instruction& what = code()[random_() % (code().size() - 1)];
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
            bench.unit->accept_fence(context, code().back(), bench.now);
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
    bool fenced(const Bench& bench, std::uint16_t context) {
        const auto ended = std::count_if(bench.completions.begin(), bench.completions.end(), [&](const auto& each) {
            return each.instruction == &code().back() && each.context == context;
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

TEST_CASE("jumps over idle cycles, and saving and loading, leave a unit in each cycle as it would be without") {
    unsigned busy = 0;  // when it was saved
    for (const Way way : {Way::jumping, Way::restored}) {
        for (unsigned seed = 1; seed <= lookahead::test::often(32); ++seed) {
            const std::string name = way == Way::jumping ? "jumping" : "restored";
            CAPTURE(name);
            CAPTURE(seed);
            Bench::Overrides overrides = kTight;
            overrides.push_back(seed % 2 == 0 ? "l1d.write_policy=write_evict" : "l1d.write_policy=write_through");
            overrides.push_back(seed % 4 < 2 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32");
            overrides.push_back(kLocalPolicies[seed / 4 % std::size(kLocalPolicies)]);
            overrides.push_back(seed % 3 == 0 ? "l1d.pending_ways=2" : "l1d.pending_ways=0");
            Bench plain(overrides);
            Bench other(overrides);
            set_random_delays(plain.memory, seed);
            set_random_delays(other.memory, seed);
            RandomProgram first(seed);
            RandomProgram second(seed);
            unsigned skipped = 0;
            for (Cycle now = 1; now < 3000; ++now) {
                CAPTURE(now);
                const bool issues = now < 1500 && (now / 100) % 3 != 2;
                plain.now = other.now = now;
                plain.cycle(Way::every_cycle, issues && first.issue(plain));
                skipped += !other.cycle(way, issues && second.issue(other));
                if (way == Way::restored && now % 97 == 0) {
                    busy += !other.unit->drained();
                    other.save_and_load(code());
                }
                REQUIRE(plain.hash(code()) == other.hash(code()));
            }
            CHECK(plain.unit->drained());
            CHECK((skipped > 1000) == (way == Way::jumping));
            REQUIRE(plain.completions.size() == other.completions.size());
        }
    }
    CHECK(busy > 100);
}

}  // namespace
}  // namespace lookahead::gpu::test::schedule_tests
