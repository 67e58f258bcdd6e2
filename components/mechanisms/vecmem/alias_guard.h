#pragma once

#include <cstdint>
#include <vector>

#include "components/mechanisms/vecmem/kept_values.h"
#include "components/mechanisms/vecmem/packer.h"
#include "components/mechanisms/vecmem/unroll.h"

namespace lookahead::vecmem {

/// Checks, before a loop of several rounds is entered, that accesses which change places in it are apart. Of two
/// accesses the addresses' distance must be the same in every round: then it is compared once.
class AliasGuard {
  public:
    AliasGuard(const finaliser::Flow& flow, const finaliser::Values& values, const Forms& forms,
               const UnrolledLoop& loop)
        : flow_(flow), values_(values), forms_(forms), loop_(loop) {}

    /// Whether the distance is the same in every round, and known before the first.
    bool can_check(const Form& distance) const;
    /// Puts the comparisons into the loop's checks; nothing where they cannot be told by one comparison for each pair
    /// of bases. The copies that they need are added to `copies`.
    bool write(VirtualKernel& kernel, KeptValues& kept, const std::vector<Assumption>& assumptions,
               std::vector<WordCopy>& copies) const;

  private:
    bool is_join_here(ValueId id) const;
    /// What a round adds to the term.
    Form growth(const Term& term) const;

    const finaliser::Flow& flow_;
    const finaliser::Values& values_;
    const Forms& forms_;
    const UnrolledLoop& loop_;
};

}  // namespace lookahead::vecmem
