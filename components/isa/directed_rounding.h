#pragma once

#include <immintrin.h>

#include "components/isa/lanes.h"
#include "core/bits/one_of.h"

/// Internal to components/isa: arithmetic with the rounding of an instruction's modifier.
namespace lookahead::isa {

/// Makes the host's SSE and AVX arithmetic round as `rounding` says, during the lifetime of this object.
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
        using enum Rounding;
        return is_one_of(rounding, rz, rzi)   ? _MM_ROUND_TOWARD_ZERO
               : is_one_of(rounding, rm, rmi) ? _MM_ROUND_DOWN
               : is_one_of(rounding, rp, rpi) ? _MM_ROUND_UP
                                              : _MM_ROUND_NEAREST;
    }

    unsigned saved_;
};

/// A separate function, so that no arithmetic moves out of the RoundingScope around the call.
template <auto kFunction, class Result, class... Sources>
[[gnu::noipa]] void run_isolated(OperandRows& rows, LaneMask active) {
    map_lanes<Result, Sources...>(rows, active, kFunction, std::index_sequence_for<Sources...>{});
}
template <auto kFunction, class Result, class... Sources>
void run_directed(OperandRows& rows, LaneMask active, const InstructionForm& instruction) {
    const RoundingScope scope(instruction.rounding);
    run_isolated<kFunction, Result, Sources...>(rows, active);
}
template <auto kFunction, class Result, class... Sources>
constexpr AluHandler directed_handler(Result (*)(Sources...)) {
    return &run_directed<kFunction, Result, Sources...>;
}

constexpr bool to_nearest(Rounding rounding) {
    return rounding == Rounding::none || rounding == Rounding::rn;
}
constexpr bool directed(Rounding rounding) {
    return rounding == Rounding::rz || rounding == Rounding::rm || rounding == Rounding::rp;
}

/// The handler of kFunction with the rounding mode; nullptr for a mode that arithmetic does not have.
template <auto kFunction>
AluHandler rounded(Rounding rounding) {
    if (to_nearest(rounding)) { return lanewise<kFunction>; }
    return directed(rounding) ? directed_handler<kFunction>(kFunction) : nullptr;
}

}  // namespace lookahead::isa
