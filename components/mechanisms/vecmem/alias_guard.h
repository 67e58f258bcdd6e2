#pragma once

#include <vector>

#include "components/mechanisms/vecmem/kept_values.h"
#include "components/mechanisms/vecmem/packer.h"
#include "components/mechanisms/vecmem/unroll.h"

namespace lookahead::vecmem {

/// Writes the checks, made before a loop of several rounds is entered, that reordered accesses do not overlap. Each
/// pair is compared once, so the distance of its addresses must be the same in every round.
class AliasGuard {
  public:
    AliasGuard(const finaliser::Flow& flow, const finaliser::Values& values, const Forms& forms,
               const UnrolledLoop& loop)
        : flow_(flow), values_(values), forms_(forms), loop_(loop) {}

    /// Whether the distance is the same in every round and known before the first.
    bool can_check(const Form& distance) const;
    /// Appends the comparisons to the loop's checks, and to `copies` the copies that they need. Returns false, and
    /// writes nothing, if one comparison for each pair of bases does not suffice.
    bool write(VirtualKernel& kernel, KeptValues& kept, const std::vector<Assumption>& assumptions,
               std::vector<WordCopy>& copies) const;

  private:
    bool is_join_here(ValueId id) const;
    /// The increase of the term in a round.
    Form growth(const Term& term) const;

    const finaliser::Flow& flow_;
    const finaliser::Values& values_;
    const Forms& forms_;
    const UnrolledLoop& loop_;
};

}  // namespace lookahead::vecmem
