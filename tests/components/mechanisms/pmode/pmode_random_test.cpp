// Random programs: with P-mode a warp executes the same instructions in the same lanes, and memory ends the same.
#include <doctest/doctest.h>

#include <random>

#include "tests/components/mechanisms/pmode/pmode_bench.h"

namespace lookahead::test {
namespace {

/// Arithmetic, loads and stores of both memories, guards, divergent branches and a loop.
class RandomKernel {
  public:
    explicit RandomKernel(std::uint64_t seed) : random_(seed) {
        for (unsigned i = 0; i < 6; ++i) {
            values_.push_back(k_.reg());
        }
        for (unsigned i = 0; i < 3; ++i) {
            predicates_.push_back(k_.predicate());
        }
        wide_ = k_.reg64();
        quad_ = k_.registers(4);
        address_ = k_.reg64();
        const auto count = k_.reg();
        const auto more = k_.predicate();
        for (unsigned i = 0; i < 3; ++i) {
            compare();
        }
        const auto loop = k_.here(), out = k_.label();
        const unsigned length = 6 + random_() % 20;
        for (unsigned i = 0; i < length; ++i) {
            statement(2);
        }
        k_.op(Operation::add, Type::u32, count, {count, k_.literal(1)});
        k_.setp(isa::Comparison::lt, Type::u32, more, count, k_.literal(1 + random_() % 4));
        k_.guard(more);
        k_.branch(loop, out);
        k_.unguard();
        k_.bind(out);
        for (std::size_t i = 1; i < values_.size(); ++i) {
            k_.op(Operation::mad_lo, Type::u32, values_[0], {values_[0], k_.literal(31), values_[i]});
        }
        for (unsigned word = 0; word < 4; ++word) {
            k_.op(Operation::bit_xor, Type::b32, values_[0], {values_[0], KernelBuilder::word(quad_, word)});
        }
        k_.op(Operation::bit_xor, Type::b32, values_[0], {values_[0], KernelBuilder::word(wide_, 1)});
        k_.store(isa::Space::global, Type::u32, k_.out, values_[0]);
        k_.exit();
    }
    isa::Kernel finish() const { return k_.finish(); }

  private:
    isa::Operand any() { return values_[random_() % values_.size()]; }
    void compare() {
        const auto a = random_() % 3 == 0 ? k_.thread : any();
        const auto bits = any();
        k_.op(Operation::bit_and, Type::b32, bits, {a, k_.literal(1u << random_() % 4)});
        auto& instruction = k_.setp(isa::Comparison::ne, Type::u32, predicates_[random_() % 3], bits, k_.literal(0));
        if (random_() % 3 == 0) {
            instruction.destination_predicate2 = static_cast<std::uint8_t>((instruction.destination_predicate + 1) % 3);
        }
    }
    void arithmetic() {
        const Operation operations[] = {Operation::add, Operation::sub, Operation::mul_lo, Operation::bit_xor};
        const Operation operation = operations[random_() % 4];
        k_.op(operation, operation == Operation::bit_xor ? Type::b32 : Type::u32, any(),
              {any(), random_() % 2 == 0 ? any() : k_.literal(static_cast<std::uint32_t>(random_() % 1000))});
    }
    /// To a place of the data of the second parameter that a value names.
    void load() {
        const auto value = any();
        k_.op(Operation::bit_and, Type::b32, value, {any(), k_.literal(0x1f0)});
        k_.op(Operation::mad_wide, Type::u64, address_, {value, k_.literal(1), k_.in}).source_type = Type::u32;
        if (random_() % 3 == 0) {
            k_.op(Operation::mad_wide, Type::u64, address_, {value, k_.literal(1), k_.parameter(1)}).source_type =
                Type::u32;
            k_.load(isa::Space::global, Type::u32, quad_, address_, 0, 4);
        } else {
            k_.load(isa::Space::global, Type::u32, any(), address_);
        }
    }
    void scratchpad() {
        switch (random_() % 4) {
            case 0:
                k_.store(isa::Space::shared, Type::u32, k_.offset, any());
                break;
            case 1:
                k_.atomic(isa::Space::shared, isa::AtomicOp::add, Type::u32, any(), k_.offset, any());
                break;
            default:
                k_.load(isa::Space::shared, Type::u32, any(), k_.offset);
                break;
        }
    }
    void branches(unsigned depth) {
        const auto side = k_.label(), join = k_.label();
        k_.guard({predicates_[random_() % 3].index, random_() % 2 == 0});
        k_.branch(side, join);
        k_.unguard();
        for (unsigned i = 0; i < 1 + random_() % 4; ++i) {
            statement(depth - 1);
        }
        k_.branch(join, join);
        k_.bind(side);
        for (unsigned i = 0; i < random_() % 4; ++i) {
            statement(depth - 1);
        }
        k_.bind(join);
    }
    void statement(unsigned depth) {
        if (depth > 0 && random_() % 8 == 0) {
            return branches(depth);
        }
        if (random_() % 4 == 0) {
            k_.guard({predicates_[random_() % 3].index, random_() % 2 == 0});
        }
        switch (random_() % 8) {
            case 0:
                load();
                break;
            case 1:
                scratchpad();
                break;
            case 2:
                compare();
                break;
            case 3:
                k_.op(Operation::mul_wide, Type::u64, wide_, {any(), any()}).source_type = Type::u32;
                break;
            default:
                arithmetic();
                break;
        }
        k_.unguard();
    }

    std::mt19937_64 random_;
    BlockedKernel k_;
    std::vector<isa::Operand> values_;
    std::vector<KernelBuilder::Predicate> predicates_;
    isa::Operand wide_, quad_, address_;
};

struct Outcome {
    std::map<unsigned, std::vector<std::pair<std::uint32_t, isa::LaneMask>>> traces;
    std::vector<std::uint32_t> memory;
    std::uint64_t threads;
    bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(PmodeBench& bench, unsigned threads) {
    bench.run({threads, 1, 1});
    Outcome outcome{bench.own_traces(), {}, bench.harness.counters().thread_instructions};
    for (unsigned i = 0; i < 256; ++i) {
        outcome.memory.push_back(bench.harness.memory().global_word(4 * i));
    }
    return outcome;
}

TEST_CASE("random programs take the same way with P-mode, and leave the same memory") {
    const std::uint64_t first_seed = std::random_device{}();
    std::uint64_t reused = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + 150; ++seed) {
        CAPTURE(seed);
        const isa::Kernel kernel = RandomKernel(seed).finish();
        std::mt19937_64 random(seed);
        const auto threads = static_cast<unsigned>(1 + random() % 160);
        const FakeMemory memory{.global_latency = static_cast<Cycle>(40 + random() % 400)};
        const std::string simt = random() % 4 == 0 ? "simt = \"convergence_barrier\"\n" : "";
        PmodeBench plain(kernel, "registers = 0\n", memory, simt);
        const Outcome expected = outcome_of(plain, threads);
        REQUIRE(plain.counters().switches == 0);
        const std::string keys = "pqueue_entries = " + std::to_string(random() % 12) +
                                 "\nregisters = " + std::to_string(1 + random() % 128) +
                                 "\nreach = " + std::to_string(8 << random() % 8) +
                                 "\nsimt_entries = " + std::to_string(1 + random() % 8) +
                                 "\nswitch_cycles = " + std::to_string(random() % 4) +
                                 "\none_buffer = " + (random() % 2 == 0 ? "true" : "false") +
                                 "\npre_loads = " + (random() % 4 == 0 ? "false" : "true") + "\n";
        CAPTURE(keys);
        PmodeBench bench(kernel, keys, memory, simt);
        REQUIRE(outcome_of(bench, threads) == expected);
        reused += bench.counters().reused;
    }
    CHECK(reused > 1000);
}

}  // namespace
}  // namespace lookahead::test
