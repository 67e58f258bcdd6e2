#include "components/isa/memory_access.h"

#include <bit>
#include <cstring>

#include "components/isa/float_values.h"
#include "components/isa/half.h"
#include "components/isa/instruction.h"
#include "components/isa/lanes.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::isa {
namespace {

/// `bytes` (1, 2, 4 or 8) of little-endian memory, zero-extended.
std::uint64_t read_bytes(const std::byte* from, unsigned bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    return value;
}

bool sign_extends(Type type) {
    return type == Type::s8 || type == Type::s16;
}

std::uint32_t extended(std::uint64_t value, Type type, unsigned bytes) {
    const auto word = static_cast<std::uint32_t>(value);
    if (!sign_extends(type)) { return word; }
    const unsigned unused = 32 - 8 * bytes;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(word << unused) >> unused);
}

template <bool kFlush>
std::uint64_t add_single(std::uint64_t old_value, std::uint64_t operand) {
    const auto value = [](std::uint64_t bits) {
        return flush<kFlush>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    };
    return std::bit_cast<std::uint32_t>(finish<kFlush, false>(value(old_value) + value(operand)));
}
std::uint64_t add_double(std::uint64_t old_value, std::uint64_t operand) {
    return std::bit_cast<std::uint64_t>(canonical(std::bit_cast<double>(old_value) + std::bit_cast<double>(operand)));
}

/// Adds the low halves and rounds once, without flushing subnormals (.noftz).
std::uint32_t add_half(std::uint64_t a, std::uint64_t b) {
    const double exact =
        double{float_of_half(static_cast<std::uint16_t>(a))} + double{float_of_half(static_cast<std::uint16_t>(b))};
    return half_of(exact, Rounding::rn);
}

/// Computes all lanes at once: most warps access memory with all lanes, and then nothing needs to be kept.
void set_addresses(LaneMask active, std::uint64_t* addresses, const auto& address_of) {
    if (active == kFullMask) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) { addresses[lane] = address_of(lane); }
        return;
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        addresses[lane] = (active >> lane & 1) ? address_of(lane) : addresses[lane];
    }
}

/// Bytes from a lane's address to its element: `times` x `word`, its stride or index.
std::uint64_t element_bytes(std::uint32_t word, std::int64_t times) {
    const std::int64_t elements = std::int64_t{static_cast<std::int32_t>(word)} * times;
    return static_cast<std::uint64_t>(elements) * 4;
}

}  // namespace

[[gnu::hot]] void compute_addresses(const Instruction& instruction, const std::uint32_t* low, const std::uint32_t* high,
                                    LaneMask active, std::uint64_t* addresses) {
    const std::int64_t offset = instruction.offset;
    if (instruction.source[0].rows < 2 && !instruction.dequeues) {
        const std::uint64_t window = std::uint64_t{instruction.address_window} << 32;
        const auto word = static_cast<std::uint32_t>(offset);
        if (instruction.mode != 0 && instruction.space == Space::shared) [[unlikely]] {
            const unsigned shift = instruction.mode;
            return set_addresses(active, addresses, [=](unsigned lane) { return (low[lane] << shift) + word; });
        }
        set_addresses(active, addresses, [=](unsigned lane) { return window | (low[lane] + word); });
        return;
    }
    set_addresses(active, addresses, [=](unsigned lane) {
        return (low[lane] | std::uint64_t{high[lane]} << 32) + static_cast<std::uint64_t>(offset);
    });
}

void add_base(const Instruction& instruction, const std::uint32_t* low, const std::uint32_t* base_low,
              const std::uint32_t* base_high, LaneMask active, std::uint64_t* addresses) {
    const std::uint64_t window = std::uint64_t{instruction.address_window} << 32;
    const bool wide_base = instruction.source[3].rows == 2;
    const auto offset = static_cast<std::uint64_t>(std::int64_t{instruction.offset});
    for_each_lane(active, [&](unsigned lane) {
        const std::uint64_t base = wide_base ? base_low[lane] | std::uint64_t{base_high[lane]} << 32 : base_low[lane];
        std::uint64_t& address = addresses[lane];
        if (instruction.source[0].rows == 2) {
            address += base;
        } else {
            address = wide_base ? base + low[lane] + offset : window | static_cast<std::uint32_t>(address + base);
        }
    });
}

void compute_element_addresses(const Instruction& instruction, unsigned element, const std::uint32_t* low,
                               const std::uint32_t* high, const std::uint32_t* pattern, std::uint64_t* addresses) {
    compute_addresses(instruction, low, high, kFullMask, addresses);
    const std::int64_t times = is_strided(instruction.operation) ? element : 1;
    // With 32-bit addresses the sum has 32 bits, too: nothing carries into the window.
    const bool in_window = LOOKAHEAD_RULE(elements_stay_in_their_window) && instruction.source[0].rows < 2;
    const std::uint64_t kept = in_window ? std::uint64_t{0xffffffff} << 32 : 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t sum = addresses[lane] + element_bytes(pattern[lane], times);
        addresses[lane] = (addresses[lane] & kept) | (sum & ~kept);
    }
}

void write_loaded(const InstructionForm& instruction, unsigned lane, const std::byte* bytes,
                  std::uint32_t* const* rows) {
    const unsigned element = type_bytes(instruction.type);
    const unsigned step = type_rows(instruction.type);
    for (unsigned i = 0; i < instruction.vector; ++i) {
        const std::uint64_t value = read_bytes(bytes + i * element, element);
        rows[i * step][lane] = extended(value, instruction.type, element);
        if (step == 2) { rows[i * step + 1][lane] = static_cast<std::uint32_t>(value >> 32); }
    }
}

void read_stored(const InstructionForm& instruction, unsigned lane, const std::uint32_t* const* rows,
                 std::byte* bytes) {
    const unsigned element = type_bytes(instruction.type);
    const unsigned step = type_rows(instruction.type);
    for (unsigned i = 0; i < instruction.vector; ++i) {
        std::uint64_t value = rows[i * step][lane];
        if (step == 2) { value |= std::uint64_t{rows[i * step + 1][lane]} << 32; }
        std::memcpy(bytes + i * element, &value, element);
    }
}

std::uint64_t apply_atomic(AtomicOp op, Type type, std::uint64_t old_value, std::uint64_t operand,
                           std::uint64_t operand2, Space space) {
    const auto narrow = [&]<class T>(T) -> std::uint64_t {
        const T result =
            apply_integer<T>(op, static_cast<T>(old_value), static_cast<T>(operand), static_cast<T>(operand2));
        return static_cast<std::make_unsigned_t<T>>(result);
    };
    switch (type) {
        case Type::f32:
            if (op == AtomicOp::add) {
                return space == Space::shared ? add_single<false>(old_value, operand)
                                              : add_single<true>(old_value, operand);
            }
            return narrow(std::uint32_t{});
        case Type::f64:
            if (op == AtomicOp::add) { return add_double(old_value, operand); }
            return narrow(std::uint64_t{});
        case Type::f16x2:
            LOOKAHEAD_ASSERT(op == AtomicOp::add, "PTX has no other atomics of f16x2 than add");
            return add_half(old_value, operand) | add_half(old_value >> 16, operand >> 16) << 16;
        case Type::f16:
            LOOKAHEAD_ASSERT(op == AtomicOp::add, "PTX has no other atomics of f16 than add");
            return add_half(old_value, operand);
        case Type::b16:
            return narrow(std::uint16_t{});
        case Type::s32:
            return narrow(std::int32_t{});
        case Type::s64:
            return narrow(std::int64_t{});
        case Type::u64:
        case Type::b64:
            return narrow(std::uint64_t{});
        default:
            return narrow(std::uint32_t{});
    }
}

}  // namespace lookahead::isa
