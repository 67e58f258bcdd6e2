#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "core/component/slot.h"

namespace lookahead {
class StateArchive;
}

namespace lookahead::gpu {

/// Slot "l1d.replacement": which line of a full set makes room.
///
/// Contract:
/// - `reserve` is told of the access that takes a way for a new line, `touch` of every later use: each hit and merge;
/// - `victim` chooses one of `candidates` (a bit a way, never 0), and changes nothing;
/// - ways that hold nothing are not offered: the cache takes them by itself;
/// - the choice depends on the calls alone, not on addresses of the host or on anything random without a seed.
class ReplacementPolicy {
  public:
    virtual ~ReplacementPolicy() = default;
    virtual void touch(unsigned set, unsigned way) = 0;
    /// A policy that goes by uses alone need not tell the first one from the others.
    virtual void reserve(unsigned set, unsigned way) { touch(set, way); }
    virtual unsigned victim(unsigned set, std::uint64_t candidates) const = 0;
    /// Forgets everything: all lines are gone.
    virtual void clear() = 0;

    virtual void fields(StateArchive& archive) = 0;
};

struct ReplacementArguments {
    unsigned sets;
    unsigned ways;  ///< at most 64
};

}  // namespace lookahead::gpu

template <>
struct lookahead::SlotTraits<lookahead::gpu::ReplacementPolicy> {
    static constexpr std::string_view name = "l1d.replacement";
    static constexpr std::string_view default_variant = "lru";
    static constexpr std::string_view description = "Chooses the line of L1D that makes room for another.";
    using Arguments = std::tuple<const lookahead::gpu::ReplacementArguments&>;
};
