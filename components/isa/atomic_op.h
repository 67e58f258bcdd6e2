#pragma once

#include <cstdint>

namespace lookahead::isa {

enum class AtomicOp : std::uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor, exch, cas };

}  // namespace lookahead::isa
