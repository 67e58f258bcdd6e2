#include "components/isa/memory_access.h"

#include <algorithm>
#include <map>

#include "tests/components/isa/handler_harness.h"

namespace lookahead::isa {
namespace {

__extension__ using Integer = __int128;  ///< holds integers of any width, for references

struct Kind {
    Type type;
    unsigned bits;
    bool is_signed;
};

Integer power_of_two(unsigned exponent) {
    return Integer{1} << exponent;
}

/// The number that the word represents.
Integer number_of(std::uint64_t word, const Kind& kind) {
    const bool is_negative = kind.is_signed && (word >> (kind.bits - 1) & 1) != 0;
    return Integer{word} - (is_negative ? power_of_two(kind.bits) : 0);
}

TEST_CASE(
    "addresses are the operand plus the displacement, modulo its width and in its window, for active lanes only") {
    auto& random = test::random_bits();
    for (int round = 0; round < 200; ++round) {
        Row low, high;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            low.lanes[lane] = static_cast<std::uint32_t>(random() % 2 != 0 ? random() : 0xfffffffc);
            high.lanes[lane] = static_cast<std::uint32_t>(random());
        }
        Instruction instruction;
        instruction.source[0].rows = round % 2 == 0 ? 1 : 2;
        instruction.address_window = static_cast<std::uint8_t>(random());
        instruction.offset = static_cast<std::int32_t>(random());
        const LaneMask active = round % 3 == 0 ? kFullMask : static_cast<LaneMask>(random());
        std::uint64_t addresses[kWarpSize];
        std::fill(std::begin(addresses), std::end(addresses), 77);
        compute_addresses(instruction, low.lanes, high.lanes, active, addresses);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            std::uint64_t expected = 77;
            if (active >> lane & 1) {
                const Integer modulus = power_of_two(instruction.source[0].rows == 1 ? 32 : 64);
                Integer sum = Integer{low.lanes[lane]} + instruction.offset;
                if (instruction.source[0].rows == 2) { sum += Integer{high.lanes[lane]} << 32; }
                expected = static_cast<std::uint64_t>((sum % modulus + modulus) % modulus);
                if (instruction.source[0].rows == 1) { expected += std::uint64_t{instruction.address_window} << 32; }
            }
            REQUIRE(addresses[lane] == expected);
        }
    }
}

TEST_CASE("native addresses have a uniform base of 32 or 64 bits, and in shared memory a register that is shifted") {
    auto& random = test::random_bits();
    for (int round = 0; round < 400; ++round) {
        Row low, high, base_low, base_high;
        for (Row* row : {&low, &high, &base_low, &base_high}) {
            for (std::uint32_t& word : row->lanes) {
                word = static_cast<std::uint32_t>(random() % 2 != 0 ? random() : random() % 16 - 8);
            }
        }
        Instruction instruction;
        instruction.space = round % 2 == 0 ? Space::shared : Space::global;
        instruction.source[0].rows = static_cast<std::uint8_t>(round % 2 == 0 ? 1 : 1 + random() % 2);
        // Shared memory has bases of 32 bits, or none; global memory has those of 64 bits, too.
        const bool is_shared = instruction.space == Space::shared;
        instruction.source[3].rows = static_cast<std::uint8_t>(is_shared ? random() % 2 : 1 + random() % 2);
        instruction.mode = static_cast<std::uint8_t>(is_shared ? random() % 5 : 0);
        instruction.address_window = static_cast<std::uint8_t>(is_shared ? 0 : random());
        instruction.offset = static_cast<std::int32_t>(random() % 2 != 0 ? random() : random() % 64 - 32);
        const LaneMask active = round % 3 == 0 ? kFullMask : static_cast<LaneMask>(random());
        std::uint64_t addresses[kWarpSize];
        std::ranges::fill(addresses, 77);
        compute_addresses(instruction, low.lanes, high.lanes, active, addresses);
        if (instruction.source[3].rows != 0) {
            add_base(instruction, low.lanes, base_low.lanes, base_high.lanes, active, addresses);
        }
        const bool wide = instruction.source[0].rows == 2, wide_base = instruction.source[3].rows == 2;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            Integer sum = Integer{low.lanes[lane]} * power_of_two(instruction.mode) + instruction.offset;
            if (wide) { sum += Integer{high.lanes[lane]} << 32; }
            if (instruction.source[3].rows != 0) { sum += base_low.lanes[lane]; }
            if (wide_base) { sum += Integer{base_high.lanes[lane]} << 32; }
            const Integer modulus = power_of_two(wide || wide_base ? 64 : 32);
            auto expected = static_cast<std::uint64_t>((sum % modulus + modulus) % modulus);
            if (!wide && !wide_base) { expected += std::uint64_t{instruction.address_window} << 32; }
            REQUIRE(addresses[lane] == ((active >> lane & 1) != 0 ? expected : 77));
        }
    }
}

TEST_CASE("what is loaded goes to the lane's words, little-endian and extended; a store is its inverse") {
    const std::vector<Type> types = {Type::b8,  Type::u8,  Type::s8,  Type::b16, Type::u16,
                                     Type::s16, Type::f16, Type::b32, Type::u32, Type::s32,
                                     Type::f32, Type::b64, Type::u64, Type::s64, Type::f64};
    for (const Type type : types) {
        for (const unsigned vector : {1u, 2u, 4u}) {
            const unsigned bytes = type_bytes(type);
            if (bytes * vector > 32) { continue; }
            Instruction instruction;
            instruction.type = type;
            instruction.vector = static_cast<std::uint8_t>(vector);
            Row registers[8], before[8];
            std::uint32_t* rows[8];
            const std::uint32_t* const_rows[8];
            for (unsigned i = 0; i < 8; ++i) {
                for (auto& word : registers[i].lanes) { word = static_cast<std::uint32_t>(test::random_bits()()); }
                before[i] = registers[i];
                const_rows[i] = rows[i] = registers[i].lanes;
            }
            std::byte memory[32], copy[32];
            for (std::byte& byte : memory) { byte = static_cast<std::byte>(test::random_bits()()); }
            write_loaded(instruction, 13, memory, rows);
            unsigned row = 0;
            for (unsigned element = 0; element < vector; ++element) {
                Integer value = 0;
                for (unsigned i = bytes; i-- > 0;) {
                    value = value * 256 + std::to_integer<int>(memory[element * bytes + i]);
                }
                if ((type == Type::s8 && value > 127) || (type == Type::s16 && value > 32767)) {
                    value -= bytes == 1 ? 256 : 65536;
                }
                CHECK(registers[row++].lanes[13] == static_cast<std::uint32_t>(value));
                if (bytes == 8) { CHECK(registers[row++].lanes[13] == static_cast<std::uint32_t>(value >> 32)); }
            }
            for (unsigned i = 0; i < 8; ++i) {
                for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                    if (lane != 13 || i >= row) { REQUIRE(registers[i].lanes[lane] == before[i].lanes[lane]); }
                }
            }
            std::fill(std::begin(copy), std::end(copy), std::byte{0xee});
            read_stored(instruction, 13, const_rows, copy);
            CHECK(std::equal(copy, copy + bytes * vector, memory));
            CHECK(std::all_of(copy + bytes * vector, copy + 32, [](std::byte b) { return b == std::byte{0xee}; }));
        }
    }
}

TEST_CASE("integer atomics are those of the PTX ISA, in 128-bit arithmetic") {
    for (const Kind kind : {Kind{Type::u32, 32, false}, Kind{Type::s32, 32, true}, Kind{Type::b32, 32, false},
                            Kind{Type::u64, 64, false}, Kind{Type::s64, 64, true}, Kind{Type::b64, 64, false}}) {
        const Integer modulus = power_of_two(kind.bits);
        const auto number = [&](std::uint64_t word) { return number_of(word, kind); };
        const std::map<AtomicOp, std::function<Integer(Integer, Integer, Integer)>> operations = {
            {AtomicOp::add, [](Integer o, Integer a, Integer) { return o + a; }},
            {AtomicOp::min, [](Integer o, Integer a, Integer) { return std::min(o, a); }},
            {AtomicOp::max, [](Integer o, Integer a, Integer) { return std::max(o, a); }},
            {AtomicOp::exch, [](Integer, Integer a, Integer) { return a; }},
            {AtomicOp::cas, [](Integer o, Integer a, Integer b) { return o == a ? b : o; }},
            {AtomicOp::bit_and, [](Integer o, Integer a, Integer) { return o & a; }},
            {AtomicOp::bit_or, [](Integer o, Integer a, Integer) { return o | a; }},
            {AtomicOp::bit_xor, [](Integer o, Integer a, Integer) { return o ^ a; }}};
        for (const auto& [op, function] : operations) {
            for (int round = 0; round < 500; ++round) {
                const auto value = [&] { return static_cast<std::uint64_t>(Integer{test::random_value()} % modulus); };
                const std::uint64_t o = value(), a = round % 4 == 0 ? o : value(), b = value();
                const Integer expected = (function(number(o), number(a), number(b)) % modulus + modulus) % modulus;
                REQUIRE(apply_atomic(op, kind.type, o, a, b) == static_cast<std::uint64_t>(expected));
            }
        }
    }
}

TEST_CASE("inc and dec wrap at the operand") {
    const auto inc = [](std::uint64_t o, std::uint64_t a) { return apply_atomic(AtomicOp::inc, Type::u32, o, a, 0); };
    const auto dec = [](std::uint64_t o, std::uint64_t a) { return apply_atomic(AtomicOp::dec, Type::u32, o, a, 0); };
    CHECK(inc(4, 5) == 5);
    CHECK(inc(5, 5) == 0);
    CHECK(inc(6, 5) == 0);
    CHECK(inc(0xfffffffe, 0xffffffff) == 0xffffffff);
    CHECK(inc(0xffffffff, 0xffffffff) == 0);
    CHECK(dec(5, 5) == 4);
    CHECK(dec(6, 5) == 5);
    CHECK(dec(0, 5) == 5);
    CHECK(dec(1, 5) == 0);
    CHECK(dec(0xffffffff, 0x7fffffff) == 0x7fffffff);
}

TEST_CASE("float additions round to nearest; f32 flushes subnormals in global but not in shared memory") {
    const auto add = [](float a, float b, Space space) {
        return test::as<float>(apply_atomic(AtomicOp::add, Type::f32, test::bits_of(a), test::bits_of(b), 0, space));
    };
    CHECK(add(0.1f, 0.2f, Space::global) == 0.1f + 0.2f);
    CHECK(add(0x1p-140f, 0x1p-140f, Space::global) == 0);
    CHECK(add(0x1p-140f, 0x1p-140f, Space::shared) == 0x1p-139f);
    CHECK(add(0x1.8p-126f, -0x1p-126f, Space::global) == 0);
    CHECK(add(0x1.8p-126f, -0x1p-126f, Space::shared) == 0x1p-127f);
    CHECK(apply_atomic(AtomicOp::add, Type::f32, 0x7f800000, 0xff800000, 0) == 0x7fffffff);
    CHECK(apply_atomic(AtomicOp::add, Type::f64, test::bits_of(0.1), test::bits_of(0x1p-1070), 0) ==
          test::bits_of(0.1));
    CHECK(apply_atomic(AtomicOp::add, Type::f64, test::bits_of(0x1p-1070), test::bits_of(0x1p-1070), 0) ==
          test::bits_of(0x1p-1069));
    CHECK(apply_atomic(AtomicOp::exch, Type::f32, 0x7f800001, 0x7fc12345, 0) == 0x7fc12345);
}

}  // namespace
}  // namespace lookahead::isa
