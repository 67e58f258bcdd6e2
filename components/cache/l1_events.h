#pragma once

#include <cstdint>

#include "components/protocols/memory.h"

namespace lookahead::gpu {

enum class L1EventKind : std::uint8_t {
    hit,
    miss,
    merge,
    allocate,    ///< a store to local memory took the way for its line
    fill,        ///< the line came and was installed
    evict,       ///< the line made room for another one
    invalidate,  ///< the line's copy was dropped for a store, an atomic, an ordered load or a generation
    detach,      ///< the fill under way will not be installed, for the same reasons
};

/// Something that happened to a line of L1. From `fill` on, client, PC and warp are those of the access that brought
/// the line, or asks for it.
struct L1Event {
    L1EventKind kind;
    Client client;
    std::uint16_t warp;  ///< stream context
    std::uint32_t pc;
    std::uint64_t line;
    std::uint32_t way;  ///< of the tag array, where the line is, was or will be; kNoWay: it will not be installed
};

/// Prefetchers, schedulers and companions that listen to the L1. Called in the middle of an access: a listener notes
/// what it needs and changes nothing in the cache; it may look tags up.
class L1Listener {
  public:
    virtual ~L1Listener() = default;
    virtual void on_l1_event(const L1Event& event) = 0;
};

}  // namespace lookahead::gpu
