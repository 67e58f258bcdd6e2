#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "components/cache/l1_companion.h"
#include "components/cache/l1_counters.h"
#include "components/cache/l1_events.h"
#include "components/cache/l1_lines.h"
#include "components/cache/line_locks.h"
#include "components/cache/miss_queue.h"
#include "components/cache/mshr_table.h"
#include "components/cache/replacement_policy.h"
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

/// Tag of a write of dirty bytes, whose acknowledgement has no waiter.
inline constexpr std::uint32_t kWriteBackTag = ~std::uint32_t{0};

/// Sends stored bytes and evicted dirty bytes to L2. Each message takes one place in the miss queue, which the caller
/// must have checked.
class L1Writer {
  public:
    L1Writer(L1Lines& lines, MissQueue& queue, L1Counters& counters)
        : lines_(lines), queue_(queue), counters_(counters) {}

    /// Adds the companion of local memory, which sees evicted dirty bytes.
    void join(L1Companion& companion) { companion_ = &companion; }

    void write(std::uint64_t line, const ByteMask& mask, const std::byte* bytes, std::uint32_t tag);
    /// Writes the way's dirty bytes unchanged.
    void write_dirty(std::uint32_t way);
    /// The same for a line that makes room: the companion may take dirty bytes and add its own.
    void evict_dirty(std::uint32_t way);
    /// Writes the companion's bytes of the line and the way's other dirty bytes; sends no message if there are none.
    void write_together(std::uint32_t way, const ByteMask& own, const std::byte* bytes);

  private:
    void count_written(std::uint32_t way, unsigned written);

    L1Lines& lines_;
    MissQueue& queue_;
    L1Counters& counters_;
    L1Companion* companion_ = nullptr;
};

/// How lines take ways of L1's sets, make room for each other, and are invalidated.
class L1Sets {
  public:
    L1Sets(const L1Parameters& parameters, std::unique_ptr<ReplacementPolicy> replacement, L1Lines& lines,
           MshrTable& mshrs, MissQueue& queue, L1Writer& writer, L1Counters& counters)
        : lines_(lines),
          mshrs_(mshrs),
          queue_(queue),
          writer_(writer),
          counters_(counters),
          shares_(parameters),
          locks_(parameters, lines, shares_),
          replacement_(std::move(replacement)) {}

    WayShares& shares() { return shares_; }
    LineLocks& locks() { return locks_; }
    const LineLocks& locks() const { return locks_; }

    void subscribe(L1Listener& listener) { listeners_.push_back(&listener); }
    void emit(L1EventKind kind, const L1Access& access, std::uint32_t way, L1Operation operation = L1Operation::load) {
        if (!listeners_.empty()) [[unlikely]] {
            announce({kind, access.client, access.warp, access.pc, access.line, way, operation});
        }
    }

    void touch(std::uint32_t way) { replacement_->touch(way / lines_.ways(), way % lines_.ways()); }
    /// Returns a way for the access's client: an empty one, else the policy's victim; kNoWay if all are pending or
    /// pinned. If fills under way have their own tags, the way is always an empty one, and no line makes room yet.
    std::uint32_t place_for(const L1Access& access) const;
    void assign(std::uint32_t way, const L1Access& access);
    /// Evicts the way's line, if any. Returns false if its dirty bytes took a place in the miss queue.
    bool make_room(std::uint32_t way);

    /// If fills under way have their own tags: call it when this way's line has got its bytes and has no waiters left.
    /// Another line makes room if the set has too many. If none can (all others await sectors, are pinned, or are dirty
    /// with a full miss queue), this line is dropped.
    void settle(std::uint32_t way);
    /// The same, to be called before a line without bytes gets those of a store. Stalls if no line can make room.
    L1StoreResult make_room_for_stored(unsigned set);

    /// Detaches the fills of these awaited sectors: they serve their waiters, accept no more, and are not installed.
    void detach(std::uint32_t way, SectorMask sectors);
    /// Drops the copies of these sectors, except dirty bytes, and detaches their fills.
    void invalidate(std::uint32_t way, SectorMask sectors);
    /// Frees the way if its line holds and awaits nothing.
    void clear_if_empty(std::uint32_t way);

    void fields(StateArchive& archive) { replacement_->fields(archive); }

  private:
    void announce(const L1Event& event);
    void drop(std::uint32_t way);

    L1Lines& lines_;
    MshrTable& mshrs_;
    MissQueue& queue_;
    L1Writer& writer_;
    L1Counters& counters_;
    WayShares shares_;
    LineLocks locks_;
    std::unique_ptr<ReplacementPolicy> replacement_;
    std::vector<L1Listener*> listeners_;
};

}  // namespace lookahead::gpu
