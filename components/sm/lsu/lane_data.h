#pragma once

#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/isa/instruction_form.h"
#include "components/isa/memory_access.h"
#include "components/isa/operand.h"
#include "components/protocols/memory.h"
#include "core/bits/set_bits.h"

namespace lookahead::gpu {

/// The most rows that the vector of a memory instruction fills.
inline constexpr unsigned kMaximumRows = isa::kMostOperandRows;
/// Rows of data of an atomic: two operands of two words.
inline constexpr unsigned kAtomicRows = 4;

/// The lanes whose address lies in the line at the address `line`.
inline isa::LaneMask lanes_in_line(const std::uint64_t* addresses, std::uint64_t line) {
    const __m256i line_bits = _mm256_set1_epi64x(~static_cast<long long>(kLineBytes - 1));
    const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(line));
    isa::LaneMask lanes = 0;
    for (unsigned lane = 0; lane < isa::kWarpSize; lane += 4) {
        const __m256i four = _mm256_load_si256(reinterpret_cast<const __m256i*>(addresses + lane));
        const __m256i same = _mm256_cmpeq_epi64(_mm256_and_si256(four, line_bits), wanted);
        lanes |= static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(same))) << lane;
    }
    return lanes;
}

/// The lanes whose address lies in the aligned 32-bit word of `address`.
inline isa::LaneMask lanes_in_word(const std::uint64_t* addresses, std::uint64_t address) {
    isa::LaneMask lanes = 0;
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        lanes |= isa::LaneMask{addresses[lane] / 4 == address / 4} << lane;
    }
    return lanes;
}

/// Copies the addresses in pieces of the size in which they are read soon after, so that the loads need not wait for
/// the stores to leave the store buffer.
inline void copy_addresses(std::uint64_t* to, const std::uint64_t* from) {
    for (unsigned lane = 0; lane < isa::kWarpSize; lane += 4) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to + lane),
                           _mm256_load_si256(reinterpret_cast<const __m256i*>(from + lane)));
    }
}

/// A block that holds all addresses, not much larger than needed if they are close together.
struct AddressBlock {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;       ///< 0 if it would not fit
    std::uint64_t low_bits = 0;  ///< OR of all addresses, to detect misalignment
};

inline std::uint64_t joined(__m256i four) {
    const __m128i two = _mm_or_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return static_cast<std::uint64_t>(_mm_extract_epi64(two, 0) | _mm_extract_epi64(two, 1));
}

/// The aligned block of 2^n bytes that holds the aligned accesses of all 32 lanes; n depends only on the bits in which
/// the addresses differ.
inline AddressBlock block_of(const std::uint64_t* addresses, unsigned bytes) {
    const __m256i first = _mm256_set1_epi64x(static_cast<long long>(addresses[0]));
    __m256i different = _mm256_setzero_si256();
    __m256i any = _mm256_setzero_si256();
    for (unsigned lane = 0; lane < isa::kWarpSize; lane += 4) {
        const __m256i four = _mm256_load_si256(reinterpret_cast<const __m256i*>(addresses + lane));
        different = _mm256_or_si256(different, _mm256_xor_si256(four, first));
        any = _mm256_or_si256(any, four);
    }
    const unsigned width = static_cast<unsigned>(std::bit_width(joined(different) | (bytes - 1)));
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    return {addresses[0] & ~mask, (addresses[0] | mask) + 1, joined(any)};
}

/// By how much the addresses of all 32 lanes differ from the first one's, in bytes.
struct AddressSpread {
    std::int32_t least;     ///< not above 0
    std::int32_t greatest;  ///< not below 0

    std::uint32_t bytes() const { return static_cast<std::uint32_t>(greatest) - static_cast<std::uint32_t>(least); }
};

/// Differences are taken modulo 2^32: for lanes within that distance the spread is never below their true distance,
/// whatever the other lanes' addresses are.
inline AddressSpread spread_of(const std::uint64_t* addresses) {
    const __m256i first = _mm256_set1_epi64x(static_cast<long long>(addresses[0]));
    __m256i least = _mm256_setzero_si256();
    __m256i greatest = _mm256_setzero_si256();
    for (unsigned lane = 0; lane < isa::kWarpSize; lane += 4) {
        const __m256i four = _mm256_load_si256(reinterpret_cast<const __m256i*>(addresses + lane));
        // Uses the low halves twice; the high ones only hold signs.
        const __m256i difference = _mm256_shuffle_epi32(_mm256_sub_epi64(four, first), 0b10'10'00'00);
        least = _mm256_min_epi32(least, difference);
        greatest = _mm256_max_epi32(greatest, difference);
    }
    const auto halves = [](__m256i all, auto&& join) {
        __m128i four = join(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        four = join(four, _mm_shuffle_epi32(four, 0b01'00'11'10));
        return _mm_cvtsi128_si32(four);
    };
    return {halves(least, [](__m128i a, __m128i b) { return _mm_min_epi32(a, b); }),
            halves(greatest, [](__m128i a, __m128i b) { return _mm_max_epi32(a, b); })};
}

/// Gives lanes outside the mask the address of the lowest lane in it.
inline void fill_inactive(std::uint64_t* addresses, isa::LaneMask active) {
    const std::uint64_t first = addresses[std::countr_zero(active)];
    for (isa::LaneMask left = ~active; left != 0; left &= left - 1) { addresses[std::countr_zero(left)] = first; }
}

/// The offset in its line of each of 32 addresses, a byte each.
inline void line_offsets(const std::uint64_t* addresses, std::uint8_t* offsets) {
    const __m256i offset_bits = _mm256_set1_epi64x(kLineBytes - 1);
    __m256i columns = _mm256_setzero_si256();  // 64-bit word k has lanes k, 4 + k, 8 + k ...
    for (unsigned group = 0; group < isa::kWarpSize / 4; ++group) {
        const __m256i four = _mm256_load_si256(reinterpret_cast<const __m256i*>(addresses + 4 * group));
        const __m256i four_offsets = _mm256_and_si256(four, offset_bits);
        columns = _mm256_or_si256(columns, _mm256_slli_epi64(four_offsets, static_cast<int>(8 * group)));
    }
    const __m128i pairs = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    const __m128i low = _mm_shuffle_epi8(_mm256_castsi256_si128(columns), pairs);
    const __m128i high = _mm_shuffle_epi8(_mm256_extracti128_si256(columns, 1), pairs);
    const __m256i bytes = _mm256_set_m128i(_mm_unpackhi_epi16(low, high), _mm_unpacklo_epi16(low, high));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(offsets), bytes);
}

inline bool are_consecutive_words(const std::uint64_t* addresses) {
    if (addresses[isa::kWarpSize - 1] != addresses[0] + 4 * (isa::kWarpSize - 1)) { return false; }
    std::uint64_t different = 0;
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { different |= addresses[lane] ^ (addresses[0] + 4 * lane); }
    return different == 0;
}

/// Whether lane i has word i of the line, for the offsets of 32 lanes.
inline bool is_whole_line(const std::uint8_t* offsets) {
    const __m256i words = _mm256_setr_epi8(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76,
                                           80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124);
    const __m256i given = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offsets));
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(given, words)) == -1;
}

/// The lanes whose offset lies in one of `sectors`.
inline isa::LaneMask lanes_in_sectors(const std::uint8_t* offsets, SectorMask sectors) {
    const __m256i given = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offsets));
    const __m256i of_lane = _mm256_and_si256(given, _mm256_set1_epi8(static_cast<char>(kLineBytes - kSectorBytes)));
    isa::LaneMask lanes = 0;
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        const auto first = static_cast<char>(kSectorBytes * static_cast<unsigned>(std::countr_zero(left)));
        lanes |= static_cast<isa::LaneMask>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(of_lane, _mm256_set1_epi8(first))));
    }
    return lanes;
}

/// The sectors in which the offsets of `lanes` lie.
inline SectorMask sectors_of_lanes(const std::uint8_t* offsets, isa::LaneMask lanes) {
    SectorMask sectors = 0;
    for (unsigned sector = 0; sector < kSectors; ++sector) {
        const auto one = static_cast<SectorMask>(1u << sector);
        sectors |= (lanes_in_sectors(offsets, one) & lanes) != 0 ? one : SectorMask{0};
    }
    return sectors;
}

/// Whether the instruction accesses one 32-bit word per lane, the most frequent case.
inline bool is_plain_word(const isa::InstructionForm& instruction) {
    return instruction.vector == 1 && isa::type_bytes(instruction.type) == 4;
}

/// The words of a lane if the instruction accesses whole ones, in the order of its rows; else 0.
inline unsigned whole_words(const isa::InstructionForm& instruction) {
    return isa::type_bytes(instruction.type) % 4 == 0 ? instruction.vector * isa::type_rows(instruction.type) : 0;
}

/// Writes loaded data to the registers of `lanes`: lane i reads at bytes + offset(i).
template <class Offset>
void write_lanes(const isa::InstructionForm& instruction, isa::LaneMask lanes, const std::byte* bytes, Offset offset,
                 std::uint32_t* const* rows) {
    if (is_plain_word(instruction)) {
        std::uint32_t* row = rows[0];
        if (lanes == isa::kFullMask) {
#pragma GCC unroll 8
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { std::memcpy(&row[lane], bytes + offset(lane), 4); }
            return;
        }
        for (const unsigned lane : SetBits(lanes)) { std::memcpy(&row[lane], bytes + offset(lane), 4); }
        return;
    }
    if (const unsigned words = whole_words(instruction); words != 0) {
        for (const unsigned lane : SetBits(lanes)) {
            const std::byte* const from = bytes + offset(lane);
            for (unsigned word = 0; word < words; ++word) { std::memcpy(&rows[word][lane], from + 4 * word, 4); }
        }
        return;
    }
    for (const unsigned lane : SetBits(lanes)) { isa::write_loaded(instruction, lane, bytes + offset(lane), rows); }
}

/// Writes the stored data of `lanes` into `bytes`, ascending: of two lanes' stores to one byte the higher lane's wins.
template <class Offset, class Rows>
void read_lanes(const isa::InstructionForm& instruction, isa::LaneMask lanes, std::byte* bytes, Offset offset,
                const Rows& data) {
    if (is_plain_word(instruction)) {
        for (const unsigned lane : SetBits(lanes)) { std::memcpy(bytes + offset(lane), &data[0][lane], 4); }
        return;
    }
    if (const unsigned words = whole_words(instruction); words != 0) {
        for (const unsigned lane : SetBits(lanes)) {
            std::byte* const to = bytes + offset(lane);
            for (unsigned word = 0; word < words; ++word) { std::memcpy(to + 4 * word, &data[word][lane], 4); }
        }
        return;
    }
    const std::uint32_t* rows[kMaximumRows];
    for (unsigned row = 0; row < instruction.vector * isa::type_rows(instruction.type); ++row) {
        rows[row] = data[row];
    }
    for (const unsigned lane : SetBits(lanes)) { isa::read_stored(instruction, lane, rows, bytes + offset(lane)); }
}

/// An operand of an atomic's lane, from its low and high row; bits beyond the type are zero.
inline std::uint64_t atomic_operand(const isa::InstructionForm& instruction, unsigned lane,
                                    const std::uint32_t (*rows)[isa::kWarpSize]) {
    const std::uint64_t low = rows[0][lane];
    return isa::type_bytes(instruction.type) == 8 ? low | std::uint64_t{rows[1][lane]} << 32 : low;
}

constexpr bool is_atomic(const isa::InstructionForm& instruction) {
    return instruction.operation == isa::Operation::atomic || instruction.operation == isa::Operation::reduce;
}

/// Rows of data that hold values: for a store its elements, for an atomic both operands (of 32-bit types only the low
/// words count, see atomic_operand).
constexpr unsigned data_rows(const isa::InstructionForm& instruction) {
    return isa::is_store(instruction.operation) ? instruction.vector * isa::type_rows(instruction.type)
           : is_atomic(instruction)             ? kAtomicRows
                                                : 0;
}

/// Whether execution gives the row a value; the other rows of an atomic keep the values of an earlier instruction.
constexpr bool holds_value(const isa::InstructionForm& instruction, unsigned row) {
    if (!is_atomic(instruction)) { return row < data_rows(instruction); }
    const bool high = row % 2 != 0, second = row >= 2;
    return (!high || isa::type_rows(instruction.type) == 2) && (!second || instruction.atomic == isa::AtomicOp::cas);
}

}  // namespace lookahead::gpu
