#pragma once

#include <cstdint>

#include "components/protocols/memory.h"

namespace lookahead::gpu {

enum class L1EventKind : std::uint8_t { hit, miss, merge, fill, evict };

/// Something that happened to a line of L1. For `fill` and `evict`, client, PC and warp are those of the access that
/// brought the line.
struct L1Event {
    L1EventKind kind;
    Client client;
    std::uint16_t warp;  ///< stream context
    std::uint32_t pc;
    std::uint64_t line;
};

/// Prefetchers, schedulers and companions that listen to the L1. Called in the middle of an access: a listener notes
/// what it needs and does not call the cache back.
class L1Listener {
  public:
    virtual ~L1Listener() = default;
    virtual void on_l1_event(const L1Event& event) = 0;
};

}  // namespace lookahead::gpu
