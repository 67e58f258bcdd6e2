#pragma once

#include "tests/components/sm/kernels.h"

namespace lookahead::test {

/// A kernel under construction that begins with a load from the second parameter's memory at the thread's place,
/// followed by an instruction that waits for it.
struct BlockedKernel : KernelBuilder {
    BlockedKernel() : KernelBuilder("blocked", {8, 8}) {
        shared_bytes(1024);
        const auto tid = reg();
        offset = reg();
        special(tid, isa::SpecialRegister::tid_x);
        op(Operation::shl, Type::b32, offset, {tid, literal(2)});
        in = reg64();
        out = reg64();
        op(Operation::mad_wide, Type::u64, in, {tid, literal(4), parameter(1)}).source_type = Type::u32;
        op(Operation::mad_wide, Type::u64, out, {tid, literal(4), parameter(0)}).source_type = Type::u32;
        loaded = reg();
        used = reg();
        thread = tid;
    }
    /// Appends the load and the instruction that waits for it.
    void block() {
        load(isa::Space::global, Type::u32, loaded, in);
        op(Operation::add, Type::u32, used, {loaded, literal(1)});
    }
    static std::uint32_t index_of(const isa::Instruction& instruction) { return instruction.line - 1; }
    std::uint32_t index() { return index_of(last()); }
    /// Appends result = a + 1 `times` times; returns the index of the last one.
    std::uint32_t add(isa::Operand result, isa::Operand a, unsigned times = 1) {
        for (unsigned i = 0; i < times; ++i) { op(Operation::add, Type::u32, result, {a, literal(1)}); }
        return index();
    }
    /// The kernel; at its end each thread stores `result` at its place in the first parameter's memory.
    isa::Kernel finish_with(isa::Operand result) {
        store(isa::Space::global, Type::u32, out, result);
        return finish();
    }
    Predicate odd_threads() {
        const auto bit = reg();
        const auto odd = predicate();
        op(Operation::bit_and, Type::b32, bit, {thread, literal(1)});
        setp(isa::Comparison::eq, Type::u32, odd, bit, literal(1));
        return odd;
    }

    isa::Operand thread, offset, in, out, loaded, used;
};

}  // namespace lookahead::test
