// Handlers of what is no single instruction of PTX; tests/functional/census/handlers_test.cpp checks the others.
#include <cfenv>
#include <cmath>
#include <functional>
#include <map>

#include "components/isa/modes.h"
#include "tests/components/isa/half_reference.h"
#include "tests/components/isa/handler_harness.h"

namespace lookahead::isa {
namespace {

using test::check_handler;
using test::HandlerCheck;
using test::instruction_of;
using test::Words;

TEST_CASE("wide funnel shifts give the word that a 64-bit shift moves bits into") {
    const auto mode = static_cast<std::uint8_t>(ShiftMode::wide);
    const auto both = [](const Words& words) { return (words[0] & 0xffffffff) | words[1] << 32; };
    check_handler(instruction_of(Operation::shf_l, Type::b32, {.mode = mode}), {3},
                  [&](const Words& words) { return words[2] < 64 ? both(words) << words[2] >> 32 : 0; });
    check_handler(instruction_of(Operation::shf_r, Type::u32, {.mode = mode}), {3},
                  [&](const Words& words) { return words[2] < 64 ? both(words) >> words[2] & 0xffffffff : 0; });
    check_handler(instruction_of(Operation::shf_r, Type::s32, {.mode = mode}), {3}, [&](const Words& words) {
        const auto wide = static_cast<std::int64_t>(both(words));
        return static_cast<std::uint64_t>(wide >> std::min<std::uint64_t>(words[2], 63)) & 0xffffffff;
    });
}

TEST_CASE("bfi replaces bits from a position; its last operand holds position and length") {
    for (const Type type : {Type::b32, Type::b64}) {
        const unsigned rows = type_rows(type);
        check_handler(instruction_of(Operation::bfi, type), {3, {rows, rows, 1}, rows}, 200, [&](const Words& words) {
            const unsigned position = words[2] & 0xff, length = words[2] >> 8 & 0xff;
            std::uint64_t result = words[1];
            for (unsigned i = 0; i < length && position + i < 32 * rows; ++i) {
                const std::uint64_t bit = std::uint64_t{1} << (position + i);
                result = (words[0] >> i & 1) != 0 ? result | bit : result & ~bit;
            }
            return result;
        });
    }
}

TEST_CASE("mov copies") {
    for (const Type type : {Type::b16, Type::b32, Type::f32, Type::b64, Type::f64}) {
        const unsigned rows = type_rows(type);
        check_handler(instruction_of(Operation::mov, type), {1, {rows, 1, 1}, rows},
                      [](const Words& words) { return words[0]; });
    }
}

TEST_CASE("combinations that no GPU instruction has are not executed") {
    const auto is_known = [](Operation operation, Type type, const test::Modifiers& modifiers = {}) {
        return select_handler(instruction_of(operation, type, modifiers)) != nullptr;
    };
    CHECK(is_known(Operation::add, Type::u32));
    CHECK_FALSE(is_known(Operation::add, Type::u32, {.saturate = true}));
    for (const Operation operation :
         {Operation::bra, Operation::exit, Operation::barrier, Operation::load, Operation::store, Operation::atomic,
          Operation::reduce, Operation::nop, Operation::read_special, Operation::membar, Operation::trap}) {
        CHECK_FALSE(is_known(operation, Type::u32));
    }
    for (const Rounding rounding : {Rounding::rni, Rounding::rzi, Rounding::approx, Rounding::full}) {
        CHECK_FALSE(is_known(Operation::add, Type::f32, {.rounding = rounding}));
    }
    for (const Comparison comparison : {Comparison::equ, Comparison::neu, Comparison::ltu, Comparison::leu,
                                        Comparison::gtu, Comparison::geu, Comparison::num, Comparison::nan}) {
        CHECK_FALSE(is_known(Operation::setp, Type::s32, {.comparison = comparison}));
    }
}

TEST_CASE("a directed instruction leaves the host's rounding mode as it was") {
    const Instruction instruction = instruction_of(Operation::add, Type::f32, {.rounding = Rounding::rp});
    Row row{};
    OperandRows rows{};
    for (auto& pair : rows.source) { pair[0] = pair[1] = row.lanes; }
    rows.destination[0] = rows.destination[1] = row.lanes;
    select_handler(instruction)(rows, kFullMask, instruction);
    CHECK(fegetround() == FE_TONEAREST);
}

TEST_CASE("f16 ex2 and tanh.approx are correctly rounded") {
    const std::pair<Operation, double (*)(double)> functions[] = {{Operation::ex2, std::exp2},
                                                                  {Operation::tanh, std::tanh}};
    for (const auto& [operation, exact] : functions) {
        for (const bool flush : {false, true}) {
            const auto half_of = [&, function = exact](std::uint64_t bits) {
                const auto flushed = [&](std::uint16_t half) {
                    return flush && (half & 0x7c00) == 0 ? static_cast<std::uint16_t>(half & 0x8000) : half;
                };
                const double value = test::value_of_half(flushed(static_cast<std::uint16_t>(bits)));
                return std::uint64_t{flushed(test::nearest_half(function(value), Rounding::rn))};
            };
            const auto values = [](unsigned) { return test::random_value() ^ test::random_value() << 16; };
            HandlerCheck(instruction_of(operation, Type::f16, {.flush = flush}), {1},
                         [&](const Words& words) { return half_of(words[0]); })
                .values(values)
                .run(150);
            HandlerCheck(instruction_of(operation, Type::f16x2, {.flush = flush}), {1},
                         [&](const Words& words) { return half_of(words[0]) | half_of(words[0] >> 16) << 16; })
                .values(values)
                .run(150);
        }
    }
}

TEST_CASE("an extended setp after one of the low words compares 64-bit values") {
    auto& random = test::random_bits();
    const std::map<Comparison, std::function<bool(int)>> comparisons = {
        // of -1, 0 or 1 with 0
        {Comparison::eq, [](int order) { return order == 0; }}, {Comparison::ne, [](int order) { return order != 0; }},
        {Comparison::lt, [](int order) { return order < 0; }},  {Comparison::le, [](int order) { return order <= 0; }},
        {Comparison::gt, [](int order) { return order > 0; }},  {Comparison::ge, [](int order) { return order >= 0; }}};
    for (const auto& [comparison, holds] : comparisons) {
        for (const bool is_signed : {false, true}) {
            const Instruction low = instruction_of(Operation::setp, Type::u32, {.comparison = comparison});
            const Instruction high = instruction_of(Operation::setp, is_signed ? Type::s32 : Type::u32,
                                                    {.comparison = comparison,
                                                     .combine = Combine::bit_xor,
                                                     .mode = static_cast<std::uint8_t>(CompareMode::extended)});
            for (int round = 0; round < 200; ++round) {
                Row words[2][2];
                std::uint64_t a[kWarpSize], b[kWarpSize];
                for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                    a[lane] = test::random_value();
                    b[lane] = random() % 4 == 0   ? a[lane]
                              : random() % 3 == 0 ? a[lane] ^ (random() & 0x80000001)
                                                  : test::random_value();
                    for (unsigned i = 0; i < 2; ++i) {
                        words[0][i].lanes[lane] = static_cast<std::uint32_t>(a[lane] >> (32 * i));
                        words[1][i].lanes[lane] = static_cast<std::uint32_t>(b[lane] >> (32 * i));
                    }
                }
                OperandRows rows{};
                for (unsigned s = 0; s < 2; ++s) { rows.source[s][0] = words[s][0].lanes; }
                select_handler(low)(rows, kFullMask, low);
                rows.source_predicate2 = rows.destination_predicate;
                for (unsigned s = 0; s < 2; ++s) { rows.source[s][0] = words[s][1].lanes; }
                rows.source_predicate = static_cast<LaneMask>(random());
                const auto active = static_cast<LaneMask>(random());
                const auto old1 = rows.destination_predicate = static_cast<LaneMask>(random());
                const auto old2 = rows.destination_predicate2 = static_cast<LaneMask>(random());
                select_handler(high)(rows, active, high);
                for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                    const std::uint64_t flip = is_signed ? std::uint64_t{1} << 63 : 0;
                    const std::uint64_t x = a[lane] ^ flip, y = b[lane] ^ flip;
                    const bool compares = holds(x < y ? -1 : x > y);
                    const bool other = rows.source_predicate >> lane & 1, runs = active >> lane & 1;
                    INFO("comparison " << static_cast<int>(comparison) << " of " << a[lane] << " and " << b[lane]);
                    REQUIRE((rows.destination_predicate >> lane & 1) == (runs ? compares != other : old1 >> lane & 1));
                    REQUIRE((rows.destination_predicate2 >> lane & 1) == (runs ? compares == other : old2 >> lane & 1));
                }
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::isa
