#pragma once

#include <cstdint>
#include <string>

#include "core/transport/transport.h"

namespace lookahead::gpu::test {

/// Message passing on a whole machine while misses hold up one of its two L2 slices, so that messages to it take
/// thousands of cycles longer than to the other.
enum class HeldUp : std::uint8_t {
    store,  ///< the writer's first store; its fence must wait for it
    load    ///< the reader's first load; its fence must wait for it
};

/// The misses in the held-up slice, the writer and the reader are on separate SMs; slices serve SMs in turn, from the
/// first one on. Writer and reader begin after `pause` iterations of a loop. Returns an empty text, the failure of the
/// run, or "Causality: ...".
std::string held_up_message_fault(HeldUp what, std::uint32_t pause, Transport& transport);

}  // namespace lookahead::gpu::test
