// Local memory that stays in L1: random accesses against plain arrays, with the clauses of the memory contract taken away
// one by one, and what stores cost to the cycle and the byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "components/sm/lsu/coalescing_unit_definitions.h"
#include "core/lp/audit.h"
#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {
namespace {

using isa::Operation;
using isa::Space;
using isa::Type;

/// The clauses in question, to be taken away one by one while the test runs.
struct Switchable : MemoryContract {
    static inline bool local_store_marks_its_bytes = true;
    static inline bool eviction_writes_back = true;
    static inline bool write_back_carries_dirty_bytes = true;
    static inline bool partial_hit_needs_its_bytes = true;
    static inline bool fill_keeps_dirty_bytes = true;
    static inline bool local_store_detaches_pending_fill = true;
    static inline bool local_store_waits_for_dirty_fill = true;
    static inline bool generation_keeps_local_lines = true;
};
using LocalBench = UnitBench<Switchable>;

constexpr std::uint32_t kLocalBytes = 24;
constexpr unsigned kSlots = 12;  ///< loads under way at most

void place_in_warp(MemoryInstruction& instruction, std::uint16_t warp, std::uint32_t bytes = kLocalBytes) {
    instruction.local_bytes = bytes;
    instruction.local_base = isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(bytes);
}

/// Warps load, store and sometimes fence in random order; each byte is known from plain arrays.
class RandomAccesses {
  public:
    RandomAccesses(unsigned seed, LocalBench& bench) : random_(seed), bench_(bench) {
        constexpr Type kTypes[] = {Type::u32, Type::u16, Type::u8, Type::u32};
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            const Space space = slot % 3 == 0 ? Space::generic : Space::local;
            loads_[slot] = make_memory(Operation::load, kTypes[slot % 4], space);
            loads_[slot].order = slot == 5 ? isa::Order::relaxed : isa::Order::weak;
        }
        for (unsigned i = 0; i < 4; ++i) {
            stores_[i] = make_memory(Operation::store, kTypes[i], i == 3 ? Space::generic : Space::local);
        }
        add_ = make_atomic(isa::AtomicOp::add, Operation::reduce, Space::generic);
        bench.memory.set_delay([random = std::mt19937(seed + 1)](unsigned, std::uint64_t, bool) mutable {
            return 1 + static_cast<Cycle>(random() % 60);
        });
    }

    /// False as soon as a load has read a wrong byte.
    bool run(unsigned steps) {
        for (unsigned i = 0; i < steps && good_; ++i) {
            step();
            check_completed();
        }
        for (unsigned left = 20'000; left > 0 && !bench_.unit->drained(); --left) {
            bench_.step();
        }
        check_completed();
        return good_ && bench_.unit->drained();
    }

  private:
    struct Expected {
        bool busy = false;
        isa::LaneMask lanes = 0;
        std::array<std::uint32_t, isa::kWarpSize> values{};
    };

    void step() {
        const unsigned draw = random_() % 64;
        const auto warp = static_cast<std::uint16_t>(random_() % 3);
        if (draw == 0 && !fenced()) {
            bench_.issue_fence(fence_, warp);
            ++fences_;
        } else if (fenced()) {
            bench_.step();
        } else if (draw < 30) {
            load(warp);
        } else if (draw < 32) {
            access(warp, add_);
        } else if (draw < 58) {
            access(warp, stores_[random_() % 4]);
        } else {
            bench_.step();
        }
    }
    bool fenced() const {
        const auto ended = std::ranges::count(bench_.completions, &fence_, &LocalBench::Completion::instruction);
        return ended != fences_;
    }

    void load(std::uint16_t warp) {
        const unsigned slot = random_() % kSlots;
        Expected& expected = expected_[slot];
        if (expected.busy) {
            return bench_.step();
        }
        MemoryInstruction what = make(warp, loads_[slot], slot);
        expected.busy = true;
        expected.lanes = what.active;
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            expected.values[lane] = 0;
            std::memcpy(&expected.values[lane], &bytes_[warp][lane][offsets_[lane]], isa::lane_bytes(loads_[slot]));
        }
        place_in_warp(what, warp);
        bench_.issue(what);
    }

    void access(std::uint16_t warp, const isa::Instruction& instruction) {
        MemoryInstruction what = make(warp, instruction, 0);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            std::uint32_t value = random_();
            what.data[0][lane] = value;
            if ((what.active >> lane & 1) == 0) {
                continue;
            }
            std::byte* place = &bytes_[warp][lane][offsets_[lane]];
            if (is_atomic(instruction)) {
                std::uint32_t old = 0;
                std::memcpy(&old, place, 4);
                value += old;
            }
            std::memcpy(place, &value, isa::lane_bytes(instruction));
        }
        place_in_warp(what, warp);
        bench_.issue(what);
    }

    /// Half of the time all lanes access the same word, so that whole lines are stored; few lanes otherwise.
    MemoryInstruction make(std::uint16_t warp, const isa::Instruction& instruction, unsigned slot) {
        const unsigned width = isa::lane_bytes(instruction);
        const bool together = random_() % 2 == 0;
        const unsigned word = random_() % (kLocalBytes / 4);
        for (unsigned& offset : offsets_) {
            offset = (together ? word : random_() % (kLocalBytes / 4)) * 4 +
                     (width < 4 ? random_() % (4 / width) : 0) * width;
        }
        const isa::LaneMask active = together && random_() % 4 != 0 ? isa::kFullMask : random_() | 1u << random_() % 32;
        const std::uint64_t window = instruction.space == Space::generic ? isa::kLocalWindowBase : 0;
        return bench_.instruction(
            instruction, [&](unsigned lane) { return window + offsets_[lane]; }, active, slot, warp);
    }

    void check_completed() {
        for (; seen_ < bench_.completions.size(); ++seen_) {
            const isa::Instruction* what = bench_.completions[seen_].instruction;
            if (what < loads_.data() || what >= loads_.data() + kSlots) {
                continue;
            }
            const auto slot = static_cast<unsigned>(what - loads_.data());
            Expected& expected = expected_[slot];
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if ((expected.lanes >> lane & 1) != 0) {
                    good_ &= bench_.registers.row(slot)[lane] == expected.values[lane];
                }
            }
            expected.busy = false;
        }
    }

    std::mt19937 random_;
    LocalBench& bench_;
    std::array<isa::Instruction, kSlots> loads_;
    std::array<isa::Instruction, 4> stores_;
    isa::Instruction add_;
    isa::Instruction fence_ = make_fence();
    std::array<std::array<std::array<std::byte, kLocalBytes>, isa::kWarpSize>, 3> bytes_{};
    std::array<Expected, kSlots> expected_;
    std::array<unsigned, isa::kWarpSize> offsets_{};
    std::size_t seen_ = 0;
    long fences_ = 0;
    bool good_ = true;
};

LocalBench::Overrides tight(unsigned seed, const std::string& policy) {
    constexpr const char* kReplacement[] = {"lru", "fifo", "tree_plru"};
    return {"l1d.local_write_policy=" + policy,
            "l1d.set_index=linear",
            "l1d.sets=" + std::to_string(1 + seed % 3),
            "l1d.ways=" + std::to_string(1 + seed % 4),
            "l1d.pinned_ways=0",
            "l1d.mshrs=4",
            "l1d.merges=" + std::to_string(1 + seed % 3),
            "l1d.miss_queue=" + std::to_string(1 + seed % 5),
            "l1d.miss_latency=" + std::to_string(seed % 2 * 7),
            "l1d.merged_stores=3",
            std::string("l1d.replacement=") + kReplacement[seed % 3],
            seed % 2 == 0 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32"};
}

std::string audit_of(const LocalBench& bench) {
    Audit audit;
    bench.unit->l1().audit(audit, "l1");
    const auto faults = audit.faults();
    return faults.empty() ? "" : faults.front();
}

TEST_CASE("loads of local memory read what the thread stored last, whatever L1 and the policy") {
    for (const char* policy : {"write_back", "write_back_no_allocate", "write_through", "write_evict"}) {
        std::uint64_t write_backs = 0;
        std::uint64_t waits = 0;
        for (unsigned seed = 1; seed <= 60; ++seed) {
            CAPTURE(policy);
            CAPTURE(seed);
            LocalBench bench(tight(seed, policy));
            CHECK(RandomAccesses(seed, bench).run(600));
            const L1Counters& counters = bench.unit->l1().counters();
            CHECK(audit_of(bench) == "");
            CHECK(counters.local_stores > 0);
            write_backs += counters.write_backs;
            waits += counters.failure_cycles[static_cast<std::size_t>(ReservationFailure::pending_store)] > 0;
            bench.unit->begin_kernel();
            CHECK(audit_of(bench) == "");
            CHECK(counters.dirtied_bytes == counters.written_back_bytes + counters.discarded_bytes);
        }
        CHECK((write_backs > 100) == (policy[6] == 'b'));
        CHECK((waits > 5) == (std::string(policy) == "write_back"));
    }
}

struct Clause {
    const char* name;
    bool& holds;
};

TEST_CASE("random accesses to local memory notice the loss of each clause of the memory contract") {
    for (const Clause& clause :
         {Clause{"local_store_marks_its_bytes", Switchable::local_store_marks_its_bytes},
          Clause{"eviction_writes_back", Switchable::eviction_writes_back},
          Clause{"write_back_carries_dirty_bytes", Switchable::write_back_carries_dirty_bytes},
          Clause{"partial_hit_needs_its_bytes", Switchable::partial_hit_needs_its_bytes},
          Clause{"fill_keeps_dirty_bytes", Switchable::fill_keeps_dirty_bytes},
          Clause{"local_store_detaches_pending_fill", Switchable::local_store_detaches_pending_fill},
          Clause{"local_store_waits_for_dirty_fill", Switchable::local_store_waits_for_dirty_fill},
          Clause{"generation_keeps_local_lines", Switchable::generation_keeps_local_lines}}) {
        clause.holds = false;
        unsigned found = 0;
        for (unsigned seed = 1; seed <= 40 && found == 0; ++seed) {
            LocalBench bench(tight(seed, "write_back"));
            found = RandomAccesses(seed, bench).run(600) ? 0 : seed;
        }
        CHECK_MESSAGE(found != 0, std::string(clause.name));
        clause.holds = true;
    }
}

// ---- To the cycle and the byte --------------------------------------------------------------------------------------

const isa::Instruction kStore = make_memory(Operation::store, Type::u32, Space::local);
const isa::Instruction kStoreByte = make_memory(Operation::store, Type::u8, Space::local);
const isa::Instruction kLoad = make_memory(Operation::load, Type::u32, Space::local);
constexpr std::uint32_t kMany = 256;

struct Local : Bench {
    explicit Local(const Overrides& overrides = {}) : Bench(overrides) {
        memory.set_delay([](unsigned, std::uint64_t, bool) { return 100; });
    }

    void access(const isa::Instruction& what, unsigned word, isa::LaneMask active = isa::kFullMask, unsigned row = 0) {
        MemoryInstruction each = instruction(
            what, [&](unsigned) { return 4 * word; }, active, row);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            each.data[0][lane] = 1000 * word + lane;
        }
        place_in_warp(each, 0, kMany);
        issue(each);
    }
    Cycle load(unsigned word, isa::LaneMask active = isa::kFullMask, unsigned row = 0) {
        const Cycle begun = now;
        completions.clear();
        access(kLoad, word, active, row);
        while (completions.empty()) {
            step();
        }
        return completions.front().cycle - begun;
    }
    unsigned sent(GpuMessage type) const { return memory.count(type); }
    const L1Counters& l1() const { return unit->l1().counters(); }
};

const Bench::Overrides kOneSet = {"l1d.sets=1", "l1d.set_index=linear", "l1d.ways=4"};

TEST_CASE("a load after a store to local memory takes L1's latency and no message") {
    Local bench;
    bench.access(kStore, 3);
    const Cycle hit = bench.load(3);
    CHECK(hit == 35);
    CHECK(bench.registers.row(0)[7] == 3007);
    CHECK(bench.sent(GpuMessage::read_request) == 0);
    CHECK(bench.sent(GpuMessage::write_request) == 0);
    CHECK(bench.l1().local_hits == 1);
    CHECK(bench.load(4) > hit);
    CHECK(bench.sent(GpuMessage::read_request) == 1);
    CHECK(bench.l1().local_misses == 1);
}

TEST_CASE("as many lines as ways stay; one more writes back exactly one, with its bytes alone") {
    for (const bool loads : {false, true}) {
        Local bench(kOneSet);
        bench.access(kStoreByte, 0);  // 32 bytes, a word apart
        for (unsigned word = 1; word < 4; ++word) {
            bench.access(kStore, word);
        }
        REQUIRE(bench.drain());
        CHECK(bench.sent(GpuMessage::write_request) == 0);
        CHECK(bench.l1().dirtied_bytes == 32 + 3 * kLineBytes);
        if (loads) {
            bench.load(9);
        } else {
            bench.access(kStore, 9);
        }
        REQUIRE(bench.drain());
        CHECK(bench.sent(GpuMessage::write_request) == 1);
        CHECK(bench.l1().write_backs == 1);
        CHECK(bench.l1().written_back_bytes == 32);
        CHECK(bench.memory.word(isa::kLocalMemoryBase + 4) == 1);
        bench.load(0);
        CHECK(bench.registers.row(0)[31] == 31);
        CHECK(bench.sent(GpuMessage::write_request) == 2);
    }
}

TEST_CASE("a store to bytes that are dirty sends nothing and dirties nothing more") {
    Local bench(kOneSet);
    for (unsigned i = 0; i < 5; ++i) {
        bench.access(kStore, 0);
    }
    REQUIRE(bench.drain());
    CHECK(bench.l1().local_stores == 5);
    CHECK(bench.l1().local_store_hits == 4);
    CHECK(bench.l1().dirtied_bytes == kLineBytes);
    CHECK(bench.sent(GpuMessage::write_request) == 0);
}

TEST_CASE("a load of half a stored line fetches nothing if the half is there, and the line if not") {
    constexpr isa::LaneMask kLower = 0xffff;
    for (const char* sectors : {"l1d.sector_bytes=128", "l1d.sector_bytes=32"}) {
        Local bench({sectors});
        bench.access(kStore, 0, kLower & ~1u);
        CHECK(bench.load(0, kLower & ~1u) == 35);
        CHECK(bench.sent(GpuMessage::read_request) == 0);
        CHECK(bench.load(0, isa::kFullMask) > 35);
        CHECK(bench.sent(GpuMessage::read_request) >= 1);
        CHECK(bench.registers.row(0)[15] == 15);
        CHECK(bench.registers.row(0)[16] == 0);
        CHECK(bench.load(0, isa::kFullMask) == 35);
        CHECK(bench.sent(GpuMessage::write_request) == 0);
    }
}

TEST_CASE("what a store to local memory sends hangs on the policy") {
    const auto sent = [](const char* policy, bool there) {
        Local bench({std::string("l1d.local_write_policy=") + policy});
        if (there) {
            bench.load(0);
        }
        bench.access(kStore, 0);
        REQUIRE(bench.drain());
        const bool hits = bench.load(0) == 35;
        return std::pair(bench.sent(GpuMessage::write_request), hits);
    };
    CHECK(sent("write_back", false) == std::pair(0u, true));
    CHECK(sent("write_back", true) == std::pair(0u, true));
    CHECK(sent("write_back_no_allocate", false) == std::pair(1u, false));
    CHECK(sent("write_back_no_allocate", true) == std::pair(0u, true));
    CHECK(sent("write_through", false) == std::pair(1u, false));
    CHECK(sent("write_through", true) == std::pair(1u, true));
    CHECK(sent("write_evict", false) == std::pair(1u, false));
    CHECK(sent("write_evict", true) == std::pair(1u, false));
}

TEST_CASE("a write-back needs a place in the miss queue, and what wants the way waits for the next") {
    for (const auto& [places, waits] : {std::pair{2, false}, std::pair{1, true}}) {
        Local bench({"l1d.sets=1", "l1d.set_index=linear", "l1d.ways=1", "l1d.pinned_ways=0",
                     "l1d.miss_queue=" + std::to_string(places)});
        bench.access(kStore, 0);
        bench.load(1);
        const auto cycles = bench.l1().failure_cycles[static_cast<std::size_t>(ReservationFailure::write_back)];
        CHECK((cycles > 0) == waits);
        CHECK(bench.l1().write_backs == 1);
    }
}

TEST_CASE("a fence leaves dirty lines in L1 and does not wait for their write-backs; a kernel's begin drops them") {
    Local bench(kOneSet);
    const isa::Instruction fence = make_fence();
    for (unsigned word = 0; word < 5; ++word) {
        bench.access(kStore, word);
    }
    bench.memory.set_delay([](unsigned, std::uint64_t, bool) { return 500; });
    bench.step();
    const Cycle begun = bench.now;
    bench.completions.clear();
    bench.issue_fence(fence);
    while (bench.completions.empty()) {
        bench.step();
    }
    CHECK(bench.now - begun < 10);
    CHECK(bench.load(2) == 35);
    CHECK(bench.registers.row(0)[3] == 2003);
    REQUIRE(bench.drain());
    bench.unit->begin_kernel();
    CHECK(bench.l1().discarded_bytes == 4 * kLineBytes);
    CHECK(bench.load(2) > 35);
}

}  // namespace
}  // namespace lookahead::gpu::test
