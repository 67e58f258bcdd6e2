#pragma once

#include "core/bits/bits_128.h"

namespace lookahead::gpu {

/// Stream contexts of an SM are numbered from 0 and fit one mask.
inline constexpr unsigned kMaximumContexts = Bits128::kSize;
using ContextMask = Bits128;

inline ContextMask context_bit(unsigned context) {
    return ContextMask::of(context);
}

/// The `count` contexts from `first` on.
inline ContextMask context_range(unsigned first, unsigned count) {
    return ContextMask::from(first) & ~ContextMask::from(first + count);
}

/// The first candidate after `last`, round robin.
inline unsigned next_in_turn(ContextMask candidates, unsigned last) {
    const ContextMask after = candidates & ContextMask::from(last + 1);
    return (after != 0 ? after : candidates).first();
}

}  // namespace lookahead::gpu
