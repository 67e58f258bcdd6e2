#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"
#include "components/isa/lane_mask.h"
#include "components/sm/context_states.h"
#include "core/state/state_archive.h"

namespace lookahead::dac {

/// Lanes of an SM's warps, by context.
using SmThreads = std::array<isa::LaneMask, gpu::kMaximumContexts>;

/// The affine SIMT stack (Wang and Lin, ISCA 2017, section 4.5): one for the warps of a whole batch, in the order that
/// a warp's own stack has: of a branch, those that fall through go first. The paper keeps a code of two bits a warp
/// beside the lanes' bits; here the lanes are all there is, and what the codes save is counted (AffineWarp).
class AffineStack {
  public:
    void start(std::uint32_t pc, const SmThreads& threads) { paths_.assign(1, {pc, isa::kNoTarget, threads}); }

    bool done() const { return paths_.empty(); }
    std::uint32_t pc() const { return paths_.back().pc; }
    const SmThreads& threads() const { return paths_.back().threads; }
    std::size_t depth() const { return paths_.size(); }

    void advance();
    /// Threads of `taken`, within those that run, follow the branch.
    void branch(const isa::Instruction& instruction, const SmThreads& taken);
    /// The threads, within those that run, end; others go on.
    void leave(const SmThreads& threads);
    /// A warp has ended: of its threads none is left on any path.
    void drop(unsigned context);

    void fields(StateArchive& archive) { archive& paths_; }

  private:
    struct Path {
        std::uint32_t pc = 0;
        std::uint32_t join = isa::kNoTarget;
        SmThreads threads{};

        void fields(StateArchive& archive) { archive& pc& join& threads; }
    };
    void erase_empty();

    std::vector<Path> paths_;  ///< the last runs
};

bool none(const SmThreads& threads);

}  // namespace lookahead::dac
