#pragma once

#include <cstdint>
#include <string>

#include "core/transport/transport.h"

namespace lookahead::gpu::test {

/// Message passing on a whole machine, while one of its two L2 slices is held up by misses, so that what goes there
/// takes thousands of cycles longer than what goes to the other.
enum class HeldUp : std::uint8_t {
    store,  ///< the writer's first store; its fence has to wait for it
    load    ///< the reader's first load; its fence has to wait for that
};

/// Who misses in the held-up slice, who writes and who reads are SMs of their own; slices serve SMs in turn, from the
/// first on. Writer and reader begin after `pause` turns of a loop. Empty, or how the run failed, or "Causality: ...".
std::string held_up_message_fault(HeldUp what, std::uint32_t pause, Transport& transport);

}  // namespace lookahead::gpu::test
