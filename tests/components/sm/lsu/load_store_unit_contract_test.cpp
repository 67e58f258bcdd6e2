// The contract of slot sm.load_store_unit, for every registered variant.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "components/sm/lsu/request_path.h"
#include "tests/components/sm/lsu/unit_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test::load_store_unit_contract_tests {
namespace {

using lookahead::test::random_seed;
using Lanes = std::array<std::uint32_t, isa::kWarpSize>;
using VariantBench = UnitBench<LoadStoreUnit>;

constexpr unsigned kWords = 256;  ///< read and written by each warp; words of several warps share each line
constexpr Cycle kEnd = 8000;

enum Code : std::uint32_t { kLoadAt, kStoreAt, kAtomicAt, kReduceAt, kFenceAt, kInstructions };

std::vector<isa::Instruction> code() {
    std::vector<isa::Instruction> instructions(kInstructions);
    instructions[kLoadAt] = make_memory(isa::Operation::load);
    instructions[kStoreAt] = make_memory(isa::Operation::store);
    instructions[kAtomicAt] = make_atomic(isa::AtomicOp::add);
    instructions[kReduceAt] = make_atomic(isa::AtomicOp::add, isa::Operation::reduce);
    instructions[kFenceAt] = make_fence();
    return instructions;
}

std::uint64_t address_of(unsigned context, unsigned word) {
    return kBase + 4 * (std::uint64_t{word} * kContexts + context);
}

/// Warps that load, store, add to and fence their own words; each instruction follows the last value that it needs.
/// Loaded values are compared with program order.
class RandomWarps {
  public:
    RandomWarps(VariantBench& bench, std::uint64_t seed) : bench_(bench), random_(seed) {
        for (unsigned context = 0; context < kContexts; ++context) { words_[context].assign(kWords, 0); }
    }

    /// Issues one instruction of a random warp, if that warp waits for nothing and the unit accepts one.
    bool act() {
        const auto context = static_cast<std::uint16_t>(random_() % kContexts);
        const auto pc = static_cast<std::uint32_t>(random_() % 16);
        if (waits_[context]) { return false; }
        const isa::Instruction* const instructions = bench_.kernels.front().code.data();
        if (pc >= 15) {
            waits_[context] = true;
            compares_[context] = 0;
            bench_.unit->accept_fence(context, instructions[kFenceAt], bench_.now);
            return true;
        }
        if (!bench_.unit->can_accept()) { return false; }
        access(context, pc < 7 ? kLoadAt : pc < 12 ? kStoreAt : pc < 14 ? kReduceAt : kAtomicAt);
        return true;
    }

    /// Records what has completed since the last call.
    void look() {
        for (; seen_ < bench_.completions.size(); ++seen_) {
            const unsigned context = bench_.completions[seen_].context;
            REQUIRE(waits_[context]);  // each completes once
            waits_[context] = false;
            const std::uint32_t* const row = bench_.registers.row(context);
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if (compares_[context] >> lane & 1) {
                    REQUIRE(row[lane] == expected_[context][lane]);
                    ++compared_;
                }
            }
        }
    }

    bool any_waits() const { return std::ranges::find(waits_, true) != waits_.end(); }
    std::uint64_t compared() const { return compared_; }
    /// The number of words in memory that differ from the result of the stores and additions.
    unsigned wrong_words() {
        unsigned wrong = 0;
        for (unsigned context = 0; context < kContexts; ++context) {
            for (unsigned word = 0; word < kWords; ++word) {
                wrong += bench_.memory.word(address_of(context, word)) != words_[context][word];
            }
        }
        return wrong;
    }

  private:
    void access(std::uint16_t context, Code what) {
        const auto first = static_cast<unsigned>(random_());
        const unsigned stride = random_() % 4 == 0 ? static_cast<unsigned>(random_()) | 1 : 1;
        const auto word = [&](unsigned lane) { return (first + lane * stride) % kWords; };
        const auto some = static_cast<isa::LaneMask>(random_());
        const isa::LaneMask active = random_() % 2 == 0 ? isa::kFullMask : some | 1;
        MemoryInstruction instruction = bench_.instruction(
            bench_.kernels.front().code[what], [&](unsigned lane) { return address_of(context, word(lane)); }, active,
            context, context);
        instruction.pc = what;
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            if ((active >> lane & 1) == 0) { continue; }
            const auto operand = static_cast<std::uint32_t>(random_());
            instruction.data[0][lane] = operand;
            std::uint32_t& value = words_[context][word(lane)];
            expected_[context][lane] = value;
            value = what == kStoreAt ? operand : what == kLoadAt ? value : value + operand;
        }
        if (what == kLoadAt || what == kAtomicAt) {
            waits_[context] = true;
            compares_[context] = active;
        }
        bench_.unit->accept(instruction, bench_.now);
    }

    VariantBench& bench_;
    std::mt19937_64 random_;
    std::array<std::vector<std::uint32_t>, kContexts> words_;
    std::array<bool, kContexts> waits_{};
    std::array<isa::LaneMask, kContexts> compares_{};
    std::array<Lanes, kContexts> expected_{};
    std::size_t seen_ = 0;
    std::uint64_t compared_ = 0;
};

/// Runs random warps to their end and returns the hash of unit, registers and constants. `jumping` calls the unit only
/// for an instruction, for a reply or in a cycle that it asked for; `restored` saves and loads it every 97 cycles.
std::uint64_t run(const std::string& variant, std::uint64_t seed, Way way, const std::string& path) {
    VariantBench bench({"sm.load_store_unit=" + variant, "memory.request_path=" + path, "l1d.set_index=linear",
                        "l1d.sets=4", "l1d.mshrs=4"});
    bench.kernels.front().code = code();
    bench.begin_launch();
    bench.memory.set_delay([seed](unsigned, std::uint64_t line, bool to_owner) {
        return static_cast<Cycle>(1 + (line / kLineBytes * 2654435761u + seed) % (to_owner ? 7 : 90));
    });
    RandomWarps warps(bench, seed);
    const std::span<const isa::Instruction> code = bench.kernels.front().code;
    const auto step = [&](bool may_act) {
        const bool acts = may_act && bench.now % 3 == 0 && warps.act();
        bench.cycle(way, acts);
        warps.look();
        if (way == Way::restored && bench.now % 97 == 0) {
            bench.save_and_load(code, [&] { bench.begin_launch(); });
        }
        ++bench.now;
    };
    while (bench.now < kEnd) { step(true); }
    for (const Cycle limit = kEnd + 10'000; bench.now < limit && !(bench.unit->drained() && !warps.any_waits());) {
        step(false);
    }
    REQUIRE(bench.unit->drained());
    REQUIRE(!warps.any_waits());
    CHECK(warps.compared() > 1000);
    CHECK(warps.wrong_words() == 0);
    return bench.hash(code);
}

TEST_CASE(
    "a load/store unit gives each warp the values of its program order, whether idle cycles are stepped or jumped "
    "over, "
    "and goes on when it is saved and loaded as if it had not been") {
    const std::vector<std::string> variants = variant_names<LoadStoreUnit>();
    REQUIRE(!variants.empty());
    for (const std::string& variant : variants) {
        CAPTURE(variant);
        for (std::uint64_t seed = random_seed(), end = seed + 4; seed < end; ++seed) {
            CAPTURE(seed);
            for (const std::string& path : variant_names<RequestPath>()) {
                CAPTURE(path);
                const std::uint64_t hash = run(variant, seed, Way::every_cycle, path);
                CHECK(hash == run(variant, seed, Way::jumping, path));
                CHECK(hash == run(variant, seed, Way::restored, path));
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::gpu::test::load_store_unit_contract_tests
