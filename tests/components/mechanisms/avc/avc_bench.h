#pragma once

#include <cstdint>

#include "components/mechanisms/avc/avc.h"
#include "tests/components/sm/lsu/local_accesses.h"

namespace lookahead::gpu::test {

using Row = std::array<std::uint32_t, isa::kWarpSize>;
inline constexpr isa::LaneMask kLower = 0x0000ffff;

inline Row affine(std::uint32_t base, std::uint32_t stride) {
    Row row;
    for (std::uint32_t lane = 0; lane < row.size(); ++lane) { row[lane] = base + lane * stride; }
    return row;
}
/// A row in which no two lanes differ by a stride.
inline Row generic() {
    Row row;
    for (std::uint32_t lane = 0; lane < row.size(); ++lane) { row[lane] = lane * lane * lane + 77; }
    return row;
}
inline Row mixed(isa::LaneMask lanes, const Row& there, Row elsewhere) {
    for (unsigned lane = 0; lane < there.size(); ++lane) {
        if ((lanes >> lane & 1) != 0) { elsewhere[lane] = there[lane]; }
    }
    return elsewhere;
}
/// The row with 0 in the other lanes, as `AvcBench::load` returns it.
inline Row only(const Row& row, isa::LaneMask lanes) {
    return mixed(lanes, row, {});
}

/// With an affine vector cache beside L1.
struct AvcBench : LocalWords {
    explicit AvcBench(const Overrides& more = {}) : LocalWords(with_avc(more)) {}
    static Overrides with_avc(const Overrides& more) {
        Overrides all{"l1d.companion=avc"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    void begin_store(unsigned word, const Row& values, isa::LaneMask lanes) {
        issue(of(code_[kStore], lanes_at(4 * word), lanes, [&](unsigned lane) { return values[lane]; }));
    }
    void store(unsigned word, const Row& values, isa::LaneMask lanes = isa::kFullMask) {
        begin_store(word, values, lanes);
        REQUIRE(drain());
    }
    void store_byte(unsigned word, isa::LaneMask lanes, unsigned byte, std::uint32_t value) {
        perform(of(code_[kStoreByte], lanes_at(4 * word + byte), lanes, all(value)));
    }
    /// Stores to one word in the lower lanes and another in the upper ones.
    void store_scattered(unsigned lower, unsigned upper, const Row& values) {
        scattered(code_[kStore], lower, upper, values);
    }
    void load_scattered(unsigned lower, unsigned upper) { scattered(code_[kLoad], lower, upper, {}); }

    void begin_load(unsigned word, isa::LaneMask lanes) {
        std::fill_n(registers.row(8), isa::kWarpSize, 0u);
        issue(of(code_[kLoad], lanes_at(4 * word), lanes, all(0)));
    }
    Row loaded(isa::LaneMask lanes) {
        Row row;
        std::copy_n(registers.row(8), row.size(), row.begin());
        return only(row, lanes);
    }
    Row load(unsigned word, isa::LaneMask lanes = isa::kFullMask) {
        begin_load(word, lanes);
        REQUIRE(drain());
        return loaded(lanes);
    }
    Cycle cycles_of_load(unsigned word, isa::LaneMask lanes = isa::kFullMask) {
        completions.clear();
        const Cycle begin = now;
        load(word, lanes);
        REQUIRE(completions.size() == 1);
        return completions[0].cycle - begin;
    }
    void add(unsigned word, unsigned lane, std::uint32_t value) {
        perform(of(code_[kAdd], lanes_at(isa::kLocalWindowBase + 4 * word), isa::LaneMask{1} << lane, all(value)));
    }

    void set_memory(unsigned word, const Row& row) {
        for (unsigned lane = 0; lane < row.size(); ++lane) { memory.set_word(address(word, lane), row[lane]); }
    }
    const AvcCounters& counters() const {
        return dynamic_cast<const AffineVectorCache&>(*unit->companion()).counters();
    }
    std::span<const isa::Instruction> code() const { return code_; }

  private:
    enum { kStore, kStoreByte, kLoad, kAdd };

    void scattered(const isa::Instruction& what, unsigned lower, unsigned upper, const Row& values) {
        perform(of(
            what, [&](unsigned lane) { return 4 * (lane < 16 ? lower : upper); }, isa::kFullMask,
            [&](unsigned lane) { return values[lane]; }));
    }

    std::array<isa::Instruction, 4> code_{make_memory(isa::Operation::store, isa::Type::u32, isa::Space::local),
                                          make_memory(isa::Operation::store, isa::Type::u8, isa::Space::local),
                                          make_memory(isa::Operation::load, isa::Type::u32, isa::Space::local),
                                          make_atomic(isa::AtomicOp::add, isa::Operation::reduce, isa::Space::generic)};
};

}  // namespace lookahead::gpu::test
