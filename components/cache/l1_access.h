#pragma once

#include <cstddef>
#include <cstdint>

#include "components/cache/l1_counters.h"
#include "components/isa/address_space.h"
#include "components/protocols/byte_mask.h"
#include "components/protocols/memory.h"

namespace lookahead::gpu {

struct L1Access {
    std::uint64_t line = 0;
    std::uint32_t pc = 0;
    std::uint16_t warp = 0;  ///< stream context
    Client client = Client::demand;
    SectorMask sectors = kAllSectors;  ///< sectors accessed; all of them unless l1d.sector_bytes = 32
    /// The bytes that a load reads from a line whose stores L1 keeps; null: all bytes of the sectors.
    const ByteMask* bytes = nullptr;
    /// Private memory only: all active lanes access the same whole word of their threads' memory (l1_companion.h).
    bool as_vector = false;
};

enum class L1Answer : std::uint8_t { hit, merge, miss, stall };

struct L1LoadResult {
    L1Answer answer;
    ReservationFailure failure{};     ///< for a stall
    const std::byte* data = nullptr;  ///< for a hit: the line's bytes, valid until the next call

    static L1LoadResult stall(ReservationFailure cause) { return {L1Answer::stall, cause}; }
};

struct L1StoreResult {
    L1Answer answer;               ///< hit: the bytes stay in L1; miss: they go to L2
    ReservationFailure failure{};  ///< for a stall

    static L1StoreResult stall(ReservationFailure cause) { return {L1Answer::stall, cause}; }
};

inline bool is_local(std::uint64_t line) {
    return line >= isa::kLocalMemoryBase;
}

}  // namespace lookahead::gpu
