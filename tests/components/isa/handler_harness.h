#pragma once

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "components/isa/handlers.h"
#include "components/isa/instruction.h"
#include "components/isa/launch.h"
#include "tests/support/seed.h"

namespace lookahead::isa::test {

/// The values that a scalar reference of one lane reads and returns. 64-bit values are whole.
using Words = std::array<std::uint64_t, 3>;
using Reference = std::function<std::uint64_t(const Words&)>;

inline std::mt19937_64& random_bits() {
    static std::mt19937_64 engine(lookahead::test::random_seed());
    return engine;
}

template <class T>
T as(std::uint64_t bits) {
    if constexpr (sizeof(T) == 8) {
        return std::bit_cast<T>(bits);
    } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    } else {
        return static_cast<T>(bits);
    }
}
template <class T>
std::uint64_t bits_of(T value) {
    if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<std::uint64_t>(value);
    } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<std::uint32_t>(value);
    } else if constexpr (sizeof(T) == 8) {
        return static_cast<std::uint64_t>(value);
    } else {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));  // narrow values are extended to a word
    }
}

/// Bit patterns at which integers and floats of 8 to 64 bits change behaviour.
inline const std::vector<std::uint64_t>& edge_values() {
    static const std::vector<std::uint64_t> values = [] {
        std::vector<std::uint64_t> list = {
            0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff,
            0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
            0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff,
            // f32: least and greatest subnormal and normal, infinities, NaNs, 1, values near powers of two
            0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x7e800000, 0x7e800001, 0x7f7fffff, 0x7f800000, 0x7f800001,
            0x7fc00000, 0x80000001, 0x807fffff, 0x80800000, 0xff7fffff, 0xff800000, 0xffc00001, 0x3f800000, 0x3f800001,
            0x3f7fffff, 0xbf800000, 0x3f000000, 0x3effffff, 0x40000000, 0x40490fdb, 0x4b000000, 0x4b000001, 0x4effffff,
            0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, 0xcf000000, 0xcf000001,
            0xdf000000, 0xdf000001, 0x3fc00000, 0x40200000, 0xbfc00000, 0xc0200000,
            // f64 likewise
            0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001,
            0x7ff8000000000000, 0x800fffffffffffff, 0xffefffffffffffff, 0xfff0000000000000, 0x3ff0000000000000,
            0x3ff0000000000001, 0x3fefffffffffffff, 0xbff0000000000000, 0x3fe0000000000000, 0x4000000000000000,
            0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff,
            0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000, 0xc1e0000000000000, 0xc1e0000000200000,
            0xc3e0000000000000, 0xc3e0000000000001, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
            0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000, 0x3fe0000000000001,
            0x3ff8000000000000, 0x4004000000000000, 0xbff8000000000000, 0xc004000000000000,
            // f16
            0x0001, 0x03ff, 0x0400, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x8000, 0x8001, 0xfbff, 0xfc00, 0x3c00, 0x3c01,
            0xbc00, 0x3800};
        return list;
    }();
    return values;
}

/// An edge value, all bits random, or a random number of small magnitude or few bits.
inline std::uint64_t random_value() {
    auto& random = random_bits();
    const auto& edges = edge_values();
    switch (random() % 6) {
        case 0:
        case 1:
            return edges[random() % edges.size()];
        case 2:
            return random() % 100;
        case 3:
            return bits_of(static_cast<float>(static_cast<std::int64_t>(random())) * 0x1p-40f) | random() << 32;
        case 4:
            return bits_of(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-50);
        default:
            return random();
    }
}

inline float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// An instruction's properties besides operation and type.
struct Modifiers {
    Type source_type = Type::none;
    Comparison comparison = Comparison::none;
    Combine combine = Combine::none;
    Rounding rounding = Rounding::none;
    bool flush = false;
    bool saturate = false;
    std::uint8_t mode = 0;
};

inline Instruction instruction_of(Operation operation, Type type, const Modifiers& modifiers = {}) {
    Instruction instruction;
    instruction.operation = operation;
    instruction.type = type;
    instruction.source_type = modifiers.source_type;
    instruction.comparison = modifiers.comparison;
    instruction.combine = modifiers.combine;
    instruction.rounding = modifiers.rounding;
    instruction.flush_to_zero = modifiers.flush;
    instruction.saturate = modifiers.saturate;
    instruction.mode = modifiers.mode;
    return instruction;
}

struct Shape {
    unsigned sources = 2;
    unsigned source_rows[3] = {1, 1, 1};
    unsigned result_rows = 1;
};

/// Runs `instruction`'s handler on edge and random values, under full and partial masks, with separate registers and
/// with the destination aliasing each source. Compares every lane with `reference`, bit by bit or within `accept`.
class HandlerCheck {
  public:
    using Accept = std::function<bool(std::uint64_t got, std::uint64_t expected, const Words&)>;

    HandlerCheck(const Instruction& instruction, Shape shape, Reference reference)
        : instruction_(instruction), shape_(shape), reference_(std::move(reference)) {
        handler_ = select_handler(instruction);
        const bool supported = handler_ != nullptr;
        REQUIRE(supported);
    }
    HandlerCheck& accept(Accept accept) {
        accept_ = std::move(accept);
        return *this;
    }
    HandlerCheck& values(std::function<std::uint64_t(unsigned source)> values) {
        values_ = std::move(values);
        return *this;
    }
    void run(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            const LaneMask active = round % 3 == 0 ? kFullMask : static_cast<LaneMask>(random_bits()());
            // Alias codes: none; the destination pair equals a source's pair; its low word is a source's high word.
            run_once(active, round % 5);
        }
        if (shape_.sources >= 2 && !values_) { run_edge_pairs(); }
    }

  private:
    struct Registers {
        Row rows[3][2];
        Row destination[2];
    };

    void fill(Registers& registers, const std::function<std::uint64_t(unsigned, unsigned)>& value) {
        for (unsigned s = 0; s < 3; ++s) {
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const std::uint64_t bits = value(s, lane);
                registers.rows[s][0].lanes[lane] = static_cast<std::uint32_t>(bits);
                registers.rows[s][1].lanes[lane] = static_cast<std::uint32_t>(bits >> 32);
            }
        }
        for (Row& row : registers.destination) {
            for (std::uint32_t& word : row.lanes) { word = static_cast<std::uint32_t>(random_bits()()); }
        }
    }
    void run_edge_pairs() {
        const auto& edges = edge_values();
        for (std::size_t a = 0; a < edges.size(); ++a) {
            for (std::size_t first = 0; first < edges.size(); first += kWarpSize) {
                Registers registers;
                fill(registers, [&](unsigned s, unsigned lane) {
                    if (s == 0) { return edges[a]; }
                    if (s == 1) { return edges[(first + lane) % edges.size()]; }
                    return random_value();
                });
                execute(registers, kFullMask, 0);
            }
        }
    }
    void run_once(LaneMask active, int alias) {
        Registers registers;
        fill(registers, [this](unsigned s, unsigned) { return values_ ? values_(s) : random_value(); });
        execute(registers, active, alias);
    }
    void execute(Registers& registers, LaneMask active, int alias) {
        OperandRows rows{};
        for (unsigned s = 0; s < shape_.sources; ++s) {
            for (unsigned i = 0; i < 2; ++i) { rows.source[s][i] = registers.rows[s][i].lanes; }
        }
        rows.destination[0] = registers.destination[0].lanes;
        rows.destination[1] = registers.destination[1].lanes;
        if (alias >= 1 && alias <= 3 && static_cast<unsigned>(alias) <= shape_.sources) {
            rows.destination[0] = registers.rows[alias - 1][0].lanes;
            rows.destination[1] = registers.rows[alias - 1][1].lanes;
        } else if (alias == 4) {
            rows.destination[0] = registers.rows[0][1].lanes;  // crossed: low on high
            rows.destination[1] = registers.rows[0][0].lanes;
        }
        Words words[kWarpSize];
        std::uint64_t expected[kWarpSize];
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            for (unsigned s = 0; s < 3; ++s) {
                words[lane][s] = registers.rows[s][0].lanes[lane];
                if (shape_.source_rows[s] == 2) {
                    words[lane][s] |= std::uint64_t{registers.rows[s][1].lanes[lane]} << 32;
                }
            }
            const bool runs = active >> lane & 1;
            expected[lane] = runs ? reference_(words[lane]) : old_value(rows, lane);
        }
        handler_(rows, active, instruction_);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            check_lane(rows, lane, active, expected[lane], words[lane]);
        }
    }
    std::uint64_t old_value(const OperandRows& rows, unsigned lane) const {
        std::uint64_t value = rows.destination[0][lane];
        if (shape_.result_rows == 2) { value |= std::uint64_t{rows.destination[1][lane]} << 32; }
        return value;
    }
    void check_lane(const OperandRows& rows, unsigned lane, LaneMask active, std::uint64_t expected,
                    const Words& words) {
        const std::uint64_t got = old_value(rows, lane);
        const bool runs = active >> lane & 1;
        const bool good = runs && accept_ ? accept_(got, expected, words) : got == expected;
        if (good) { return; }
        char values[160];
        std::snprintf(values, sizeof(values), ": (0x%llx, 0x%llx, 0x%llx) gave 0x%llx, not 0x%llx",
                      static_cast<unsigned long long>(words[0]), static_cast<unsigned long long>(words[1]),
                      static_cast<unsigned long long>(words[2]), static_cast<unsigned long long>(got),
                      static_cast<unsigned long long>(expected));
        FAIL("operation " << static_cast<int>(instruction_.operation) << " type " << static_cast<int>(instruction_.type)
                          << " from " << static_cast<int>(instruction_.source_type) << " rounding "
                          << static_cast<int>(instruction_.rounding) << " ftz " << instruction_.flush_to_zero << " sat "
                          << instruction_.saturate << " comparison " << static_cast<int>(instruction_.comparison)
                          << " mode " << static_cast<int>(instruction_.mode) << values
                          << (runs ? "" : " (lane outside the mask)"));
    }

    Instruction instruction_;
    Shape shape_;
    Reference reference_;
    AluHandler handler_ = nullptr;
    Accept accept_;
    std::function<std::uint64_t(unsigned)> values_;
};

inline void check_handler(const Instruction& instruction, const Shape& shape, int rounds, Reference reference) {
    HandlerCheck(instruction, shape, std::move(reference)).run(rounds);
}
inline void check_handler(const Instruction& instruction, const Shape& shape, Reference reference) {
    check_handler(instruction, shape, 60, std::move(reference));
}

}  // namespace lookahead::isa::test
