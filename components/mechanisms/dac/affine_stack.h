#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"
#include "components/mechanisms/dac/affine_cta.h"
#include "components/sm/context_states.h"
#include "core/state/state_archive.h"

namespace lookahead::dac {

/// The threads of an SM: a mask of lanes for each context.
using SmThreads = LaneMasks<gpu::kMaximumContexts>;

/// The affine SIMT stack (Wang and Lin, ISCA 2017, section 4.5), one for all warps of a batch. As on a warp's own
/// stack, the threads that fall through a branch run first. The paper adds a two-bit code per warp to the lanes' bits;
/// here there are lanes only, and AffineWarp counts what the codes would save.
class AffineStack {
  public:
    void start(std::uint32_t pc, const SmThreads& threads) { paths_.assign(1, {pc, isa::kNoTarget, threads}); }

    bool done() const { return paths_.empty(); }
    std::uint32_t pc() const { return paths_.back().pc; }
    const SmThreads& threads() const { return paths_.back().threads; }
    std::size_t depth() const { return paths_.size(); }

    void advance();
    /// Takes the branch for the running threads that are in `taken`.
    void branch(const isa::Instruction& instruction, const SmThreads& taken);
    /// Ends those running threads that are in `threads`; the others continue.
    void leave(const SmThreads& threads);
    /// Removes all threads of a warp that has ended.
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

    std::vector<Path> paths_;  ///< the last one runs
};

}  // namespace lookahead::dac
