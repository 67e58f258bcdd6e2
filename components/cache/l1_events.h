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

/// What an access does; a reduction is an atomic.
enum class L1Operation : std::uint8_t { load, store, atomic };

/// Something that happened to a line of L1. Of an access that is performed (one that stalls is none) there is one event
/// of the first four kinds: a store hits where a copy of some of its bytes was there, and an atomic never; `miss` of
/// either says that L1 had nothing to do with it. From `fill` on, client, PC and warp are those of the access that
/// brought the line, or asks for it, and the operation is `load`.
struct L1Event {
    L1EventKind kind;
    Client client;
    std::uint16_t warp;  ///< stream context; 0xffff: of no warp, as some prefetches are
    std::uint32_t pc;
    std::uint64_t line;
    std::uint32_t way;  ///< of the tag array, where the line is, was or will be; kNoWay: it will not be installed
    L1Operation operation = L1Operation::load;
};

/// Prefetchers, schedulers (WarpScheduler::l1_listener) and companions that listen to the L1: each subscribes
/// (LoadStoreUnit::subscribe) when the SM is built and hears everything from then on, in simulated order and, of one
/// event, in the order in which the listeners subscribed. Called in the middle of an access: a listener notes what it
/// needs and changes nothing in the cache; it may look tags up. Without listeners the feed costs a test of an empty
/// list.
class L1Listener {
  public:
    virtual ~L1Listener() = default;
    virtual void on_l1_event(const L1Event& event) = 0;
};

}  // namespace lookahead::gpu
