#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/recording.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The place of each warp in its kernel's recording, for kernels that have one. Contexts are warps' slots.
class RecordedWarps {
  public:
    explicit RecordedWarps(unsigned contexts) : place_(contexts, 0) {}

    /// A warp starts, with this number in the recording. Returns its first record.
    const isa::Recording::Record& start(const isa::Recording& recording, unsigned context, std::uint64_t warp) {
        place_[context] = recording.first(warp);
        return recording[place_[context]];
    }
    /// The record of the instruction that the warp executes next.
    const isa::Recording::Record& at(const isa::Recording& recording, unsigned context) const {
        return recording[place_[context]];
    }
    /// The warp has executed that instruction. Returns the next one's record.
    const isa::Recording::Record& advance(const isa::Recording& recording, unsigned context) {
        return recording[++place_[context]];
    }

    void fields(StateArchive& archive) { archive& place_; }

  private:
    std::vector<std::uint64_t> place_;  ///< by context
};

}  // namespace lookahead::gpu
