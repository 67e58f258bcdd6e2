#pragma once

#include <cstdint>

#include "core/bits/ring.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct WaitingFence {
    std::uint64_t number;
    std::uint16_t context;
};

/// Fences in the order of their acceptance, each with a number that it waits for: at most one a context.
class FenceQueue : public Ring<WaitingFence> {
  public:
    using Ring::Ring;

    void push(const WaitingFence& fence) { Ring::push() = fence; }

    void fields(StateArchive& archive) {
        Ring::fields(archive, [&](WaitingFence& each) { archive& each.number& each.context; });
    }
};

}  // namespace lookahead::gpu
