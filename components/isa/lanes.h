#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>

#include "components/isa/handlers.h"
#include "core/error/error.h"

/// Internal to components/isa: turns a function on one lane's values into a handler for a warp. The loops are free of
/// branches, so that the compiler can use AVX2.
namespace lookahead::isa {

/// 8- and 16-bit values are taken from their word and extended again by their sign, so that the upper bits of a source
/// never matter and those of a result are always right.
template <class T>
inline T value_of(std::uint32_t low, std::uint32_t high) {
    if constexpr (sizeof(T) == 8) {
        return std::bit_cast<T>(low | std::uint64_t{high} << 32);
    } else if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(low);
    } else {
        return static_cast<T>(low);
    }
}

template <class T>
class SourceRow {
  public:
    explicit SourceRow(const std::uint32_t* const (&rows)[kMostAluRows]) : low_(rows[0]), high_(rows[1]) {}
    T operator[](unsigned lane) const {
        if constexpr (sizeof(T) == 8) {
            return value_of<T>(low_[lane], high_[lane]);
        } else {
            return value_of<T>(low_[lane], 0);
        }
    }

  private:
    const std::uint32_t* low_;
    const std::uint32_t* high_;
};

template <class T>
inline void write_lane(std::uint32_t* low, std::uint32_t* high, unsigned lane, T value) {
    if constexpr (sizeof(T) == 8) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        low[lane] = static_cast<std::uint32_t>(bits);
        high[lane] = static_cast<std::uint32_t>(bits >> 32);
    } else if constexpr (sizeof(T) == 4) {
        low[lane] = std::bit_cast<std::uint32_t>(value);
    } else {
        low[lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    }
}

/// All ones in each 32-bit element whose lane, of the eight from 8 * group, is in `lanes`.
inline __m256i spread_mask(LaneMask lanes, unsigned group) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i bits = _mm256_set1_epi32(static_cast<int>(lanes >> (8 * group)));
    return _mm256_cmpeq_epi32(_mm256_and_si256(bits, bit), bit);
}

inline __m256i load_lanes(const std::uint32_t* row, unsigned group) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row) + group);
}
inline void store_lanes(std::uint32_t* row, unsigned group, __m256i words) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(row) + group, words);
}

/// destination = lanes of `chosen` from `yes`, the others from `no`.
inline void blend_rows(std::uint32_t* destination, LaneMask chosen, const std::uint32_t* yes, const std::uint32_t* no) {
    for (unsigned group = 0; group < 4; ++group) {
        store_lanes(destination, group,
                    _mm256_blendv_epi8(load_lanes(no, group), load_lanes(yes, group), spread_mask(chosen, group)));
    }
}

/// The top bit of each word, as a lane mask.
inline LaneMask gather_mask(const std::uint32_t* row) {
    LaneMask lanes = 0;
    for (unsigned group = 0; group < 4; ++group) {
        const __m256 words = _mm256_castsi256_ps(load_lanes(row, group));
        lanes |= static_cast<LaneMask>(_mm256_movemask_ps(words)) << (8 * group);
    }
    return lanes;
}

inline LaneMask merge_lanes(LaneMask old_lanes, LaneMask new_lanes, LaneMask active) {
    return (old_lanes & ~active) | (new_lanes & active);
}

/// destination[lane] = function(sources[lane]...) for the lanes of `active`. With all lanes active the loop writes
/// the destination itself; a destination may be one of the sources, because each lane is read before it is written
/// and no lane is read after.
template <class Result, class... Sources, class Function, std::size_t... I>
[[gnu::always_inline]] inline void map_lanes(OperandRows& rows, LaneMask active, const Function& function,
                                             std::index_sequence<I...>) {
    constexpr unsigned kRows = sizeof(Result) == 8 ? 2 : 1;
    alignas(32) std::uint32_t scratch[kRows][kWarpSize];
    const bool full = active == kFullMask;
    std::uint32_t* const low = full ? rows.destination[0] : scratch[0];
    std::uint32_t* const high = full ? rows.destination[1] : scratch[kRows - 1];
    const std::tuple<SourceRow<Sources>...> sources{SourceRow<Sources>(rows.source[I])...};
#pragma GCC ivdep
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        write_lane<Result>(low, high, lane, function(std::get<I>(sources)[lane]...));
    }
    if (full) { return; }
    for (unsigned i = 0; i < kRows; ++i) { blend_rows(rows.destination[i], active, scratch[i], rows.destination[i]); }
}

/// The lanes for which predicate(sources[lane]...) holds.
template <class... Sources, class Predicate, std::size_t... I>
[[gnu::always_inline]] inline LaneMask test_lanes(const OperandRows& rows, const Predicate& predicate,
                                                  std::index_sequence<I...>) {
    alignas(32) std::uint32_t truth[kWarpSize];
    const std::tuple<SourceRow<Sources>...> sources{SourceRow<Sources>(rows.source[I])...};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        truth[lane] = predicate(std::get<I>(sources)[lane]...) ? 0xffffffffu : 0;
    }
    return gather_mask(truth);
}

/// The new value of an atomic operation, and of redux, on integers or bits.
template <class T>
T apply_integer(AtomicOp op, T old_value, T operand, T operand2 = T()) {
    using Unsigned = std::make_unsigned_t<T>;
    switch (op) {
        case AtomicOp::add:
            return static_cast<T>(static_cast<Unsigned>(old_value) + static_cast<Unsigned>(operand));
        case AtomicOp::min:
            return operand < old_value ? operand : old_value;
        case AtomicOp::max:
            return old_value < operand ? operand : old_value;
        case AtomicOp::inc:
            return static_cast<Unsigned>(old_value) >= static_cast<Unsigned>(operand) ? T{0} : old_value + 1;
        case AtomicOp::dec:
            return old_value == 0 || static_cast<Unsigned>(old_value) > static_cast<Unsigned>(operand) ? operand
                                                                                                       : old_value - 1;
        case AtomicOp::bit_and:
            return old_value & operand;
        case AtomicOp::bit_or:
            return old_value | operand;
        case AtomicOp::bit_xor:
            return old_value ^ operand;
        case AtomicOp::exch:
            return operand;
        case AtomicOp::cas:
            return old_value == operand ? operand2 : old_value;
        case AtomicOp::none:
            break;
    }
    LOOKAHEAD_ASSERT(false, "atomic instruction without an operation");
    return old_value;
}

template <auto kFunction, class Result, class... Sources>
void run_lanewise(OperandRows& rows, LaneMask active, const InstructionForm&) {
    map_lanes<Result, Sources...>(rows, active, kFunction, std::index_sequence_for<Sources...>{});
}

template <auto kFunction, class Result, class... Sources>
constexpr AluHandler lanewise_handler(Result (*)(Sources...)) {
    return &run_lanewise<kFunction, Result, Sources...>;
}

/// The handler that applies `kFunction`, a function of one to three values, to each lane.
template <auto kFunction>
constexpr AluHandler lanewise = lanewise_handler<kFunction>(kFunction);

/// Calls `function` with the one of `kValues` that equals `value` as its template argument; nullptr if none does.
template <auto... kValues, class Value, class Function>
AluHandler with_one_of(Value value, const Function& function) {
    AluHandler handler = nullptr;
    const auto try_one = [&]<auto kValue>() {
        if (value == kValue) { handler = function.template operator()<kValue>(); }
    };
    (try_one.template operator()<kValues>(), ...);
    return handler;
}

/// Calls `function` with the C++ type of `type`, an integer or bits of 16 to 64 bits, as its template argument; nullptr
/// for other types.
AluHandler with_integer(Type type, const auto& function) {
    switch (type) {
        case Type::b16:
        case Type::u16:
            return function.template operator()<std::uint16_t>();
        case Type::s16:
            return function.template operator()<std::int16_t>();
        case Type::b32:
        case Type::u32:
            return function.template operator()<std::uint32_t>();
        case Type::s32:
            return function.template operator()<std::int32_t>();
        case Type::b64:
        case Type::u64:
            return function.template operator()<std::uint64_t>();
        case Type::s64:
            return function.template operator()<std::int64_t>();
        default:
            return nullptr;
    }
}

}  // namespace lookahead::isa
