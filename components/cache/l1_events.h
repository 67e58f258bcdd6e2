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

/// A reduction counts as an atomic.
enum class L1Operation : std::uint8_t { load, store, atomic };

/// An event of a line in L1. Each access that does not stall causes one event of the first four kinds: a store hits if
/// a copy of some of its bytes is there, an atomic never hits; their `miss` means that they bypass L1. From `fill` on,
/// client, PC and warp are those of the access that brought or requests the line, and the operation is `load`.
struct L1Event {
    L1EventKind kind;
    Client client;
    std::uint16_t warp;  ///< stream context; 0xffff: no warp, for some prefetches
    std::uint32_t pc;
    std::uint64_t line;
    std::uint32_t way;  ///< the line's way in the tag array, now, before or later; kNoWay: it will not be installed
    L1Operation operation = L1Operation::load;
};

/// Prefetchers, schedulers (WarpScheduler::l1_listener) and companions that listen to L1. A listener subscribes
/// (LoadStoreUnit::subscribe) when the SM is built, and gets all events in simulated order; listeners of one event are
/// called in the order of subscription. The calls come in the middle of an access: a listener may look tags up, but
/// must not change the cache. Without listeners an event costs the test of an empty list.
class L1Listener {
  public:
    virtual ~L1Listener() = default;
    virtual void on_l1_event(const L1Event& event) = 0;
};

}  // namespace lookahead::gpu
