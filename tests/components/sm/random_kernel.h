#pragma once

#include <random>

#include "tests/components/sm/blocked_kernel.h"

namespace lookahead::test {

/// A random program without races: arithmetic, loads and stores in both memories, guards, divergent branches and a
/// loop.
class RandomKernel {
  public:
    explicit RandomKernel(std::uint64_t seed) : random_(seed) {
        for (unsigned i = 0; i < 6; ++i) { values_.push_back(k_.reg()); }
        for (unsigned i = 0; i < 3; ++i) { predicates_.push_back(k_.predicate()); }
        wide_ = k_.reg64();
        quad_ = k_.registers(4);
        offsets_ = k_.registers(4);
        address_ = k_.reg64();
        const auto count = k_.reg();
        const auto more = k_.predicate();
        for (unsigned i = 0; i < 3; ++i) { compare(); }
        const auto loop = k_.here(), out = k_.label();
        const unsigned length = 6 + random_() % 20;
        for (unsigned i = 0; i < length; ++i) { statement(2); }
        k_.op(Operation::add, Type::u32, count, {count, k_.literal(1)});
        k_.setp(isa::Comparison::lt, Type::u32, more, count, k_.literal(1 + random_() % 4));
        k_.branch_if(more, loop, out);
        k_.bind(out);
        for (std::size_t i = 1; i < values_.size(); ++i) {
            k_.op(Operation::mad_lo, Type::u32, values_[0], {values_[0], k_.literal(31), values_[i]});
        }
        for (unsigned word = 0; word < 4; ++word) {
            k_.op(Operation::bit_xor, Type::b32, values_[0], {values_[0], KernelBuilder::word(quad_, word)});
        }
        k_.op(Operation::bit_xor, Type::b32, values_[0], {values_[0], KernelBuilder::word(wide_, 1)});
        k_.store(isa::Space::global, Type::u32, k_.out, values_[0]);
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
    /// Loads four words at places that depend on the thread's number and values.
    void load_vector() {
        for (unsigned word = 0; word < 4; ++word) {
            k_.op(Operation::bit_and, Type::b32, KernelBuilder::word(offsets_, word), {any(), k_.literal(0x1f)});
        }
        const bool strided = random_() % 2 == 0;
        isa::Instruction& load = k_.op(strided ? Operation::load_stride : Operation::load_indirect, Type::b32, quad_,
                                       {k_.in, strided ? KernelBuilder::word(offsets_, 0) : offsets_});
        load.space = isa::Space::global;
        load.vector = 4;
    }
    /// Loads from the second parameter's data at a place that depends on a value.
    void load() {
        if (random_() % 3 == 0) { return load_vector(); }
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
        k_.branch_if({predicates_[random_() % 3].index, random_() % 2 == 0}, side, join);
        for (unsigned i = 0; i < 1 + random_() % 4; ++i) { statement(depth - 1); }
        k_.branch(join, join);
        k_.bind(side);
        for (unsigned i = 0; i < random_() % 4; ++i) { statement(depth - 1); }
        k_.bind(join);
    }
    void statement(unsigned depth) {
        if (depth > 0 && random_() % 8 == 0) { return branches(depth); }
        if (random_() % 4 == 0) { k_.guard({predicates_[random_() % 3].index, random_() % 2 == 0}); }
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
            case 4:
                k_.op(Operation::add, Type::u32, any(), {any(), KernelBuilder::word(quad_, random_() % 4)});
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
    isa::Operand wide_, quad_, offsets_, address_;
};

}  // namespace lookahead::test
