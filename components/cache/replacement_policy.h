#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "core/component/slot.h"

namespace lookahead {
class StateArchive;
}

namespace lookahead::gpu {

struct ReplacementArguments {
    unsigned sets;
    unsigned ways;  ///< at most 64
};

/// Slot "l1d.replacement": chooses the line of a full set that makes room.
///
/// Contract:
/// - `reserve` reports the access that takes a way for a new line, `touch` every later use: each hit and merge;
/// - `victim` chooses one of `candidates` (one bit per way, never 0) and changes nothing;
/// - empty ways are not offered: the cache takes them by itself;
/// - the choice depends only on the calls, not on host addresses or randomness without a seed.
class ReplacementPolicy {
  public:
    static constexpr SlotDeclaration kSlot{"l1d.replacement", "lru", "Chooses the line of L1D to evict for another."};
    using Arguments = std::tuple<const ReplacementArguments&>;

    virtual ~ReplacementPolicy() = default;
    virtual void touch(unsigned set, unsigned way) = 0;
    /// A policy that considers all uses alike need not override it.
    virtual void reserve(unsigned set, unsigned way) { touch(set, way); }
    virtual unsigned victim(unsigned set, std::uint64_t candidates) const = 0;
    /// Forgets everything: all lines are gone.
    virtual void clear() = 0;

    virtual void fields(StateArchive& archive) = 0;
};

}  // namespace lookahead::gpu
