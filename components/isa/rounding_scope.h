#pragma once

#include <immintrin.h>

#include "components/isa/instruction.h"

namespace lookahead::isa {

/// The host's SSE and AVX arithmetic rounds as `rounding` says, as long as this lives.
class RoundingScope {
  public:
    explicit RoundingScope(Rounding rounding) : saved_(_mm_getcsr()) {
        _mm_setcsr((saved_ & ~unsigned{_MM_ROUND_MASK}) | mode(rounding));
    }
    ~RoundingScope() { _mm_setcsr(saved_); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

  private:
    static unsigned mode(Rounding rounding) {
        switch (rounding) {
            case Rounding::rz:
            case Rounding::rzi:
                return _MM_ROUND_TOWARD_ZERO;
            case Rounding::rm:
            case Rounding::rmi:
                return _MM_ROUND_DOWN;
            case Rounding::rp:
            case Rounding::rpi:
                return _MM_ROUND_UP;
            default:
                return _MM_ROUND_NEAREST;
        }
    }
    unsigned saved_;
};

}  // namespace lookahead::isa
