#include <algorithm>
#include <bitset>
#include <map>

#include "components/isa/modes.h"
#include "tests/components/isa/handler_harness.h"

// The references work bit by bit, after the pseudocode of the PTX ISA.
namespace lookahead::isa::logic_tests {
namespace {

using test::check_handler;
using test::HandlerCheck;
using test::Words;

using Bits = std::bitset<64>;

struct Kind {
    Type type;
    unsigned width;
    bool is_signed;
    unsigned rows() const { return width == 64 ? 2 : 1; }
};
const std::vector<Kind> kShiftKinds = {{Type::b16, 16, false}, {Type::u16, 16, false}, {Type::s16, 16, true},
                                       {Type::b32, 32, false}, {Type::u32, 32, false}, {Type::s32, 32, true},
                                       {Type::b64, 64, false}, {Type::u64, 64, false}, {Type::s64, 64, true}};
const std::vector<Kind> kFieldKinds = {
    {Type::u32, 32, false}, {Type::s32, 32, true}, {Type::u64, 64, false}, {Type::s64, 64, true}};
const std::vector<Kind> kBitKinds = {{Type::b16, 16, false}, {Type::b32, 32, false}, {Type::b64, 64, false}};

/// `bits` as registers hold them: 16-bit values are sign-extended.
std::uint64_t word(Bits bits, const Kind& kind) {
    for (unsigned i = kind.width; i < 64; ++i) { bits[i] = kind.width == 16 && i < 32 && kind.is_signed && bits[15]; }
    return bits.to_ullong();
}

Instruction make(Operation operation, Type type, std::uint8_t mode = 0) {
    return test::instruction_of(operation, type, {.mode = mode});
}

TEST_CASE("and, or, xor and not, bit by bit") {
    for (const Kind& kind : kBitKinds) {
        const auto check = [&](Operation operation, unsigned sources, auto function) {
            check_handler(make(operation, kind.type), {sources, {kind.rows(), kind.rows(), 1}, kind.rows()},
                          [&](const Words& words) {
                              Bits result;
                              for (unsigned i = 0; i < kind.width; ++i) {
                                  result[i] = function(words[0] >> i & 1, words[1] >> i & 1);
                              }
                              return word(result, kind);
                          });
        };
        check(Operation::bit_and, 2, [](bool a, bool b) { return a && b; });
        check(Operation::bit_or, 2, [](bool a, bool b) { return a || b; });
        check(Operation::bit_xor, 2, [](bool a, bool b) { return a != b; });
        check(Operation::bit_not, 1, [](bool a, bool) { return !a; });
    }
}

TEST_CASE("shifts move bits, and amounts beyond the width move all of them out") {
    for (const Kind& kind : kShiftKinds) {
        check_handler(make(Operation::shl, kind.type), {2, {kind.rows(), 1, 1}, kind.rows()}, [&](const Words& words) {
            Bits result;
            for (unsigned i = 0; i < kind.width; ++i) { result[i] = i >= words[1] && (words[0] >> (i - words[1]) & 1); }
            return word(result, kind);
        });
        check_handler(make(Operation::shr, kind.type), {2, {kind.rows(), 1, 1}, kind.rows()}, [&](const Words& words) {
            const bool sign = kind.is_signed && (words[0] >> (kind.width - 1) & 1);
            Bits result;
            for (unsigned i = 0; i < kind.width; ++i) {
                result[i] = i + words[1] < kind.width ? words[0] >> (i + words[1]) & 1 : sign;
            }
            return word(result, kind);
        });
    }
}

TEST_CASE("funnel shifts move across both words, clamped at 32 or modulo 32") {
    for (const bool left : {true, false}) {
        for (const ShiftMode mode : {ShiftMode::clamp, ShiftMode::wrap}) {
            check_handler(make(left ? Operation::shf_l : Operation::shf_r, Type::b32, static_cast<std::uint8_t>(mode)),
                          {3}, [&](const Words& words) {
                              const std::uint64_t n =
                                  mode == ShiftMode::wrap ? words[2] % 32 : std::min<std::uint64_t>(words[2], 32);
                              Bits both(words[0] | words[1] << 32), result;
                              for (unsigned i = 0; i < 32; ++i) {
                                  const std::uint64_t from = left ? 32 + i - n : i + n;
                                  result[i] = from < 64 && both[from];
                              }
                              return result.to_ullong();
                          });
        }
    }
}

TEST_CASE("wide funnel shifts give the word that a 64-bit shift moves bits into") {
    check_handler(make(Operation::shf_l, Type::b32, static_cast<std::uint8_t>(ShiftMode::wide)), {3},
                  [](const Words& words) {
                      const std::uint64_t both = (words[0] & 0xffffffff) | words[1] << 32, n = words[2] & 0xffffffff;
                      return n < 64 ? both << n >> 32 : 0;
                  });
    for (const Type type : {Type::u32, Type::s32}) {
        check_handler(make(Operation::shf_r, type, static_cast<std::uint8_t>(ShiftMode::wide)), {3},
                      [type](const Words& words) {
                          const std::uint64_t n = words[2] & 0xffffffff;
                          Bits both((words[0] & 0xffffffff) | words[1] << 32), result;
                          for (unsigned i = 0; i < 32; ++i) {
                              result[i] = i + n < 64 ? both[i + n] : type == Type::s32 && both[63];
                          }
                          return result.to_ullong();
                      });
    }
}

TEST_CASE("lop3 looks every combination of bits up in its table, for all 256 tables") {
    for (unsigned table = 0; table < 256; ++table) {
        HandlerCheck(make(Operation::lop3, Type::b32, static_cast<std::uint8_t>(table)), {3},
                     [table](const Words& words) {
                         std::uint64_t result = 0;
                         for (unsigned i = 0; i < 32; ++i) {
                             const auto entry = (words[0] >> i & 1) * 4 + (words[1] >> i & 1) * 2 + (words[2] >> i & 1);
                             result |= std::uint64_t{table >> entry & 1} << i;
                         }
                         return result;
                     })
            .values([](unsigned) { return test::random_value(); })
            .run(5);
    }
}

TEST_CASE("bfe copies bits from a position and fills with the sign") {
    for (const Kind& kind : kFieldKinds) {
        check_handler(make(Operation::bfe, kind.type), {3, {kind.rows(), 1, 1}, kind.rows()}, 200,
                      [&](const Words& words) {
                          const unsigned top = kind.width - 1;
                          const unsigned position = words[1] & 0xff, length = words[2] & 0xff;
                          const bool sign =
                              kind.is_signed && length != 0 && (words[0] >> std::min(position + length - 1, top) & 1);
                          Bits result;
                          for (unsigned i = 0; i <= top; ++i) {
                              result[i] = i < length && position + i <= top ? words[0] >> (position + i) & 1 : sign;
                          }
                          return result.to_ullong();
                      });
    }
}

TEST_CASE("bfi replaces bits from a position") {
    for (const Kind& kind : {Kind{Type::b32, 32, false}, Kind{Type::b64, 64, false}}) {
        check_handler(make(Operation::bfi, kind.type), {3, {kind.rows(), kind.rows(), 1}, kind.rows()}, 200,
                      [&](const Words& words) {
                          const unsigned position = words[2] & 0xff, length = words[2] >> 8 & 0xff;
                          Bits result(words[1]);
                          for (unsigned i = 0; i < length && position + i < kind.width; ++i) {
                              result[position + i] = words[0] >> i & 1;
                          }
                          return result.to_ullong();
                      });
    }
}

TEST_CASE("bfind finds the highest bit that differs from the sign") {
    for (const Kind& kind : kFieldKinds) {
        for (const FindMode mode : {FindMode::position, FindMode::shift_amount}) {
            check_handler(make(Operation::bfind, kind.type, static_cast<std::uint8_t>(mode)), {1, {kind.rows(), 1, 1}},
                          [&](const Words& words) -> std::uint64_t {
                              const bool sign = kind.is_signed && (words[0] >> (kind.width - 1) & 1);
                              for (unsigned i = kind.width; i-- > 0;) {
                                  if ((words[0] >> i & 1) != sign) {
                                      return mode == FindMode::position ? i : kind.width - 1 - i;
                                  }
                              }
                              return 0xffffffff;
                          });
        }
    }
}

TEST_CASE("clz, popc and brev") {
    for (const Kind& kind : {Kind{Type::b32, 32, false}, Kind{Type::b64, 64, false}}) {
        check_handler(make(Operation::clz, kind.type), {1, {kind.rows(), 1, 1}}, [&](const Words& words) {
            std::uint64_t count = 0;
            while (count < kind.width && !(words[0] >> (kind.width - 1 - count) & 1)) { ++count; }
            return count;
        });
        check_handler(make(Operation::popc, kind.type), {1, {kind.rows(), 1, 1}},
                      [&](const Words& words) { return std::uint64_t{Bits(words[0]).count()}; });
        check_handler(make(Operation::brev, kind.type), {1, {kind.rows(), 1, 1}, kind.rows()}, [&](const Words& words) {
            Bits result;
            for (unsigned i = 0; i < kind.width; ++i) { result[kind.width - 1 - i] = words[0] >> i & 1; }
            return result.to_ullong();
        });
    }
}

TEST_CASE("prmt picks bytes as the tables of the PTX ISA say") {
    // Rows: selector's two low bits; entries: source byte of result bytes 3, 2, 1, 0.
    const std::map<PermuteMode, std::array<std::array<unsigned, 4>, 4>> tables = {
        {PermuteMode::f4e, {{{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}}},
        {PermuteMode::b4e, {{{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}}},
        {PermuteMode::rc8, {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
        {PermuteMode::ecl, {{{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}}},
        {PermuteMode::ecr, {{{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}}},
        {PermuteMode::rc16, {{{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}}};
    const auto byte = [](const Words& words, unsigned number) {
        return (number < 4 ? words[0] >> (8 * number) : words[1] >> (8 * (number - 4))) & 0xff;
    };
    for (const auto& [mode, table] : tables) {
        check_handler(make(Operation::prmt, Type::b32, static_cast<std::uint8_t>(mode)), {3}, [&](const Words& words) {
            std::uint64_t result = 0;
            for (unsigned i = 0; i < 4; ++i) { result = result << 8 | byte(words, table[words[2] & 3][i]); }
            return result;
        });
    }
    check_handler(make(Operation::prmt, Type::b32), {3}, [&](const Words& words) {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < 4; ++i) {
            const auto nibble = words[2] >> (4 * i) & 0xf;
            std::uint64_t picked = byte(words, nibble & 7);
            if (nibble & 8) { picked = picked >= 0x80 ? 0xff : 0; }
            result |= picked << (8 * i);
        }
        return result;
    });
}

TEST_CASE("mov copies, and select picks by the predicate") {
    for (const Type type : {Type::b16, Type::b32, Type::f32, Type::b64, Type::f64}) {
        const unsigned rows = type_rows(type);
        check_handler(make(Operation::mov, type), {1, {rows, 1, 1}, rows}, [](const Words& words) { return words[0]; });
        // The harness leaves predicates at 0; here those of select are set.
        Row a[2], b[2], d[2];
        auto& random = test::random_bits();
        for (int round = 0; round < 50; ++round) {
            for (Row* pair : {a, b, d}) {
                for (unsigned i = 0; i < 64; ++i) { pair[i / 32].lanes[i % 32] = static_cast<std::uint32_t>(random()); }
            }
            Row before[2] = {d[0], d[1]};
            const LaneMask active = round % 2 == 0 ? kFullMask : static_cast<LaneMask>(random());
            OperandRows operands{};
            for (unsigned i = 0; i < 2; ++i) {
                operands.source[0][i] = a[i].lanes;
                operands.source[1][i] = b[i].lanes;
                operands.destination[i] = d[i].lanes;
            }
            operands.source_predicate = static_cast<LaneMask>(random());
            select_handler(make(Operation::select, type))(operands, active, make(Operation::select, type));
            for (unsigned row = 0; row < 2; ++row) {
                for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                    const Row& chosen = !(active >> lane & 1) || row >= rows    ? before[row]
                                        : operands.source_predicate >> lane & 1 ? a[row]
                                                                                : b[row];
                    REQUIRE(d[row].lanes[lane] == chosen.lanes[lane]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::isa::logic_tests
