#include <algorithm>
#include <cmath>
#include <map>

#include "components/isa/modes.h"
#include "tests/components/isa/handler_harness.h"

namespace lookahead::isa {
namespace {

using test::as;
using test::instruction_of;

enum class Order { less, equal, greater, unordered };

/// The comparison of two values, by kind of number.
template <class T>
Order order_of(std::uint64_t a_bits, std::uint64_t b_bits, bool flush) {
    T a = as<T>(a_bits), b = as<T>(b_bits);
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) { return Order::unordered; }
        if (flush && std::fpclassify(a) == FP_SUBNORMAL) { a = 0; }
        if (flush && std::fpclassify(b) == FP_SUBNORMAL) { b = 0; }
    }
    return a < b ? Order::less : a > b ? Order::greater : Order::equal;
}

using Table = std::map<Comparison, std::vector<Order>>;
const Table kOrdered = {{Comparison::eq, {Order::equal}},   {Comparison::ne, {Order::less, Order::greater}},
                        {Comparison::lt, {Order::less}},    {Comparison::le, {Order::less, Order::equal}},
                        {Comparison::gt, {Order::greater}}, {Comparison::ge, {Order::greater, Order::equal}}};
const Table kFloatOnly = {{Comparison::equ, {Order::equal, Order::unordered}},
                          {Comparison::neu, {Order::less, Order::greater, Order::unordered}},
                          {Comparison::ltu, {Order::less, Order::unordered}},
                          {Comparison::leu, {Order::less, Order::equal, Order::unordered}},
                          {Comparison::gtu, {Order::greater, Order::unordered}},
                          {Comparison::geu, {Order::greater, Order::equal, Order::unordered}},
                          {Comparison::num, {Order::less, Order::equal, Order::greater}},
                          {Comparison::nan, {Order::unordered}}};

bool combined(Combine combine, bool comparison, bool predicate) {
    switch (combine) {
        case Combine::bit_and:
            return comparison && predicate;
        case Combine::bit_or:
            return comparison || predicate;
        case Combine::bit_xor:
            return comparison != predicate;
        default:
            return comparison;
    }
}

/// All pairs of edge values and random ones, under full and partial masks.
template <class T>
void check(Type type, bool flush, const Table& table) {
    auto& random = test::random_bits();
    const auto& edges = test::edge_values();
    for (const auto& [comparison, orders] : table) {
        for (const Combine combine : {Combine::none, Combine::bit_and, Combine::bit_or, Combine::bit_xor}) {
            const Instruction setp =
                instruction_of(Operation::setp, type, {.comparison = comparison, .combine = combine, .flush = flush});
            Instruction set = setp;
            set.operation = Operation::set;
            set.source_type = type;
            set.type = random() % 2 != 0 ? Type::u32 : Type::f32;
            const AluHandler setp_handler = select_handler(setp), set_handler = select_handler(set);
            REQUIRE((setp_handler != nullptr));
            REQUIRE((set_handler != nullptr));
            const std::uint32_t truth = set.type == Type::f32 ? 0x3f800000 : 0xffffffff;
            for (std::size_t round = 0; round < edges.size() + 20; ++round) {
                Row a[2], b[2], d{};
                std::uint64_t av[kWarpSize], bv[kWarpSize];
                for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                    av[lane] = round < edges.size() ? edges[round] : test::random_value();
                    bv[lane] = random() % 4 == 0 ? av[lane] : test::random_value();
                    for (unsigned i = 0; i < 2; ++i) {
                        a[i].lanes[lane] = static_cast<std::uint32_t>(av[lane] >> (32 * i));
                        b[i].lanes[lane] = static_cast<std::uint32_t>(bv[lane] >> (32 * i));
                    }
                    d.lanes[lane] = 0xdead;
                }
                const LaneMask active = round % 2 == 0 ? kFullMask : static_cast<LaneMask>(random());
                OperandRows rows{};
                for (unsigned i = 0; i < 2; ++i) {
                    rows.source[0][i] = a[i].lanes;
                    rows.source[1][i] = b[i].lanes;
                }
                rows.destination[0] = d.lanes;
                rows.source_predicate = static_cast<LaneMask>(random());
                const auto old1 = rows.destination_predicate = static_cast<LaneMask>(random());
                const auto old2 = rows.destination_predicate2 = static_cast<LaneMask>(random());
                setp_handler(rows, active, setp);
                set_handler(rows, active, set);
                for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                    const Order order = order_of<T>(av[lane], bv[lane], flush);
                    const bool compares = std::find(orders.begin(), orders.end(), order) != orders.end();
                    const bool predicate = rows.source_predicate >> lane & 1;
                    const bool runs = active >> lane & 1;
                    const bool p = combined(combine, compares, predicate), q = combined(combine, !compares, predicate);
                    INFO("comparison " << static_cast<int>(comparison) << " type " << static_cast<int>(type) << " of "
                                       << av[lane] << " and " << bv[lane]);
                    REQUIRE((rows.destination_predicate >> lane & 1) == (runs ? p : old1 >> lane & 1));
                    REQUIRE((rows.destination_predicate2 >> lane & 1) == (runs ? q : old2 >> lane & 1));
                    REQUIRE(d.lanes[lane] == (!runs ? 0xdead : p ? truth : 0));
                }
            }
        }
    }
}

TEST_CASE("setp and set compare integers by their width and sign, and combine with a predicate") {
    check<std::uint16_t>(Type::u16, false, kOrdered);
    check<std::uint16_t>(Type::b16, false, kOrdered);
    check<std::int16_t>(Type::s16, false, kOrdered);
    check<std::uint32_t>(Type::u32, false, kOrdered);
    check<std::uint32_t>(Type::b32, false, kOrdered);
    check<std::int32_t>(Type::s32, false, kOrdered);
    check<std::uint64_t>(Type::u64, false, kOrdered);
    check<std::uint64_t>(Type::b64, false, kOrdered);
    check<std::int64_t>(Type::s64, false, kOrdered);
}

TEST_CASE("setp and set compare floats, with NaN on the side that the comparison's name says") {
    for (const Table& table : {kOrdered, kFloatOnly}) {
        check<float>(Type::f32, false, table);
        check<float>(Type::f32, true, table);
        check<double>(Type::f64, false, table);
    }
}

TEST_CASE("an extended setp after one of the low words compares 64-bit values") {
    auto& random = test::random_bits();
    for (const auto& [comparison, orders] : kOrdered) {
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
                    const Order order = is_signed ? order_of<std::int64_t>(a[lane], b[lane], false)
                                                  : order_of<std::uint64_t>(a[lane], b[lane], false);
                    const bool compares = std::find(orders.begin(), orders.end(), order) != orders.end();
                    const bool other = rows.source_predicate >> lane & 1, runs = active >> lane & 1;
                    INFO("comparison " << static_cast<int>(comparison) << " of " << a[lane] << " and " << b[lane]);
                    REQUIRE((rows.destination_predicate >> lane & 1) == (runs ? compares != other : old1 >> lane & 1));
                    REQUIRE((rows.destination_predicate2 >> lane & 1) == (runs ? compares == other : old2 >> lane & 1));
                }
            }
        }
    }
}

TEST_CASE("integers have no unordered comparisons") {
    for (const auto& [comparison, orders] : kFloatOnly) {
        const Instruction instruction = instruction_of(Operation::setp, Type::s32, {.comparison = comparison});
        CHECK((select_handler(instruction) == nullptr));
    }
}

TEST_CASE("operations on predicates change the active lanes alone") {
    auto& random = test::random_bits();
    const std::map<Operation, std::function<bool(bool, bool)>> operations = {
        {Operation::pred_and, [](bool a, bool b) { return a && b; }},
        {Operation::pred_or, [](bool a, bool b) { return a || b; }},
        {Operation::pred_xor, [](bool a, bool b) { return a != b; }},
        {Operation::pred_not, [](bool a, bool) { return !a; }},
        {Operation::pred_mov, [](bool a, bool) { return a; }}};
    for (const auto& [operation, function] : operations) {
        const Instruction instruction = instruction_of(operation, Type::none);
        for (int round = 0; round < 100; ++round) {
            OperandRows rows{};
            rows.source_predicate = static_cast<LaneMask>(random());
            rows.source_predicate2 = static_cast<LaneMask>(random());
            const auto before = rows.destination_predicate = static_cast<LaneMask>(random());
            const auto active = static_cast<LaneMask>(random());
            select_handler(instruction)(rows, active, instruction);
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const bool a = rows.source_predicate >> lane & 1, b = rows.source_predicate2 >> lane & 1;
                const bool expected = active >> lane & 1 ? function(a, b) : before >> lane & 1;
                REQUIRE((rows.destination_predicate >> lane & 1) == expected);
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::isa
