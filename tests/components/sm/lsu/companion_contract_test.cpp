// The contract of slot l1d.companion, for every registered variant and one of the tests' own.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/components/sm/lsu/local_accesses.h"
#include "tests/components/sm/lsu/word_companion.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test {
namespace {

constexpr unsigned kWarps = 4;
constexpr std::uint32_t kBytes = 48;  ///< per thread

/// Warps that load, store and add in private memory, with incomplete masks and all widths. Each load is compared with
/// flat memory.
class PrivateProgram {
  public:
    PrivateProgram(std::uint64_t seed, Bench& bench) : random_(seed), bench_(bench) {
        for (const Operation operation : {Operation::load, Operation::store}) {
            for (const Type type : {Type::u32, Type::u32, Type::u16, Type::u8}) {
                for (const Space space : {Space::local, Space::generic}) {
                    code_.push_back(make_memory(operation, type, space));
                    code_.back().destination_rows = operation == Operation::load ? 1 : 0;
                }
            }
        }
        code_.push_back(make_atomic(isa::AtomicOp::add, Operation::reduce, Space::generic));
        code_.push_back(make_atomic(isa::AtomicOp::add, Operation::atomic, Space::generic));
        code_.back().destination_rows = 1;
    }

    std::span<const isa::Instruction> code() const { return code_; }
    bool waits() const {
        return std::ranges::any_of(expected_, [](const Expected& each) { return each.busy; });
    }
    unsigned compared() const { return compared_; }
    /// Everything stored is dead.
    void forget(ScriptedMemory& memory) {
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                for (unsigned byte = 0; byte < kBytes; byte += 4) {
                    const std::uint32_t value = memory.word(address_of(warp, lane, byte));
                    std::memcpy(&bytes_[warp][lane][byte], &value, 4);
                }
            }
        }
    }

    bool act() {
        const auto warp = static_cast<std::uint16_t>(random_() % kWarps);
        if (!bench_.unit->can_accept() || expected_[warp].busy) { return false; }
        // Occasionally an atomic; more stores than loads.
        const std::size_t accesses = code_.size() - 2;
        const isa::Instruction& what = code_[random_() % 40 == 0 ? accesses + random_() % 2
                                             : random_() % 5 < 2 ? random_() % (accesses / 2)
                                                                 : accesses / 2 + random_() % (accesses / 2)];
        const unsigned width = isa::lane_bytes(what);
        const bool together = random_() % 4 != 0;
        const auto word = static_cast<unsigned>(random_() % (kBytes / 4));
        std::array<unsigned, isa::kWarpSize> offsets;
        for (unsigned& offset : offsets) {
            offset = 4 * (together ? word : static_cast<unsigned>(random_() % (kBytes / 4))) +
                     static_cast<unsigned>(random_() % (4 / width)) * width;
        }
        const auto some = static_cast<isa::LaneMask>(random_() | std::uint64_t{1} << random_() % 32);
        const isa::LaneMask active = random_() % 2 == 0 ? isa::kFullMask : some;
        const std::uint64_t window = what.space == Space::generic ? isa::kLocalWindowBase : 0;
        MemoryInstruction access = bench_.instruction(
            what, [&](unsigned lane) { return window + offsets[lane]; }, active, warp, warp);
        place_in_warp(access, warp, kBytes);
        const bool returns = what.destination_rows > 0;
        const auto common = static_cast<std::uint32_t>(random_());
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            std::uint32_t value = together ? common : static_cast<std::uint32_t>(random_());
            access.data[0][lane] = value;
            if ((active >> lane & 1) == 0) { continue; }
            std::byte* place = &bytes_[warp][lane][offsets[lane]];
            std::uint32_t old = 0;
            std::memcpy(&old, place, width);
            expected_[warp].values[lane] = old;
            if (what.operation == Operation::load) { continue; }
            value += is_atomic(what) ? old : 0;
            std::memcpy(place, &value, width);
        }
        if (returns) {
            expected_[warp].busy = true;
            expected_[warp].active = active;
        }
        bench_.unit->accept(access, bench_.now);
        return true;
    }

    void look() {
        for (; seen_ < bench_.completions.size(); ++seen_) {
            Expected& expected = expected_[bench_.completions[seen_].context];
            REQUIRE(expected.busy);
            expected.busy = false;
            const std::uint32_t* row = bench_.registers.row(bench_.completions[seen_].context);
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if ((expected.active >> lane & 1) == 0) { continue; }
                REQUIRE(row[lane] == expected.values[lane]);
                ++compared_;
            }
        }
    }

  private:
    struct Expected {
        bool busy = false;
        isa::LaneMask active = 0;
        std::array<std::uint32_t, isa::kWarpSize> values{};
    };
    static std::uint64_t address_of(unsigned warp, unsigned lane, unsigned byte) {
        return isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(kBytes) + isa::local_memory_offset(byte, lane);
    }

    std::mt19937_64 random_;
    Bench& bench_;
    std::vector<isa::Instruction> code_;
    std::array<std::array<std::array<std::byte, kBytes>, isa::kWarpSize>, kWarps> bytes_{};
    std::array<Expected, kWarps> expected_;
    std::size_t seen_ = 0;
    unsigned compared_ = 0;
};

/// The cases that the test's companion met in all runs: all must occur.
struct Met {
    std::uint64_t absorbed = 0, taken = 0, merged = 0, served = 0, missed = 0;

    void add(const WordCompanion* companion) {
        if (companion == nullptr) { return; }
        absorbed += companion->absorbed;
        taken += companion->taken;
        merged += companion->merged;
        served += companion->served_words;
        missed += companion->missed_words;
    }
};

std::uint64_t run(const std::string& variant, std::uint64_t seed, Way way, Met& met) {
    constexpr const char* kPolicies[] = {"write_back_no_allocate", "write_back", "write_back_fetch"};
    Bench::Overrides overrides = tight(static_cast<unsigned>(seed), kPolicies[seed % 3]);
    overrides.push_back("l1d.companion=" + variant);
    Bench bench(overrides);
    bench.memory.set_delay([seed](unsigned, std::uint64_t line, bool to_owner) {
        return static_cast<Cycle>(1 + (line / kLineBytes * 2654435761u + seed) % (to_owner ? 7 : 60));
    });
    PrivateProgram program(seed, bench);
    for (unsigned kernel = 0; kernel < 3; ++kernel) {
        const Cycle end = bench.now + 2500;
        bool ended = false;
        for (const Cycle limit = end + 20'000; bench.now < limit; ++bench.now) {
            if (bench.now >= end && !ended && !program.waits()) {
                bench.unit->end_launch();
                ended = true;
                bench.next_call = 0;
            }
            if (ended && bench.unit->drained()) { break; }
            const bool acts = bench.now < end && bench.now % 4 == 0 && program.act();
            bench.cycle(way, acts);
            program.look();
            if (way == Way::restored && bench.now % 31 == 0) { bench.save_and_load(program.code()); }
        }
        REQUIRE(bench.unit->drained());
        bench.unit->begin_kernel();
        CHECK(audit_of(bench) == "");
        program.forget(bench.memory);  // a kernel sees an older kernel's values only in memory
    }
    CHECK(program.compared() > 1000);
    met.add(dynamic_cast<const WordCompanion*>(bench.unit->companion()));
    return bench.hash(program.code());
}

TEST_CASE("private memory beside every companion has what the threads stored, jumped over, or saved and loaded") {
    const std::vector<std::string> variants = variant_names<L1Companion>();
    CHECK(std::ranges::count(variants, "none") == 1);
    CHECK(std::ranges::count(variants, "words") == 1);
    Met met;
    for (const std::string& variant : variants) {
        CAPTURE(variant);
        for (std::uint64_t seed = lookahead::test::random_seed(), end = seed + 24; seed < end; ++seed) {
            CAPTURE(seed);
            const std::uint64_t hash = run(variant, seed, Way::every_cycle, met);
            CHECK(hash == run(variant, seed, Way::jumping, met));
            CHECK(hash == run(variant, seed, Way::restored, met));
        }
    }
    for (const std::uint64_t each : {met.absorbed, met.taken, met.merged, met.served, met.missed}) {
        CHECK(each > 100);
    }
}

TEST_CASE("an atomic finds in L2 what L1 has written back for it, which no companion takes") {
    Met met;
    run("words", 2351068427, Way::every_cycle, met);  // a seed of the test above that reaches the case
}

}  // namespace
}  // namespace lookahead::gpu::test
