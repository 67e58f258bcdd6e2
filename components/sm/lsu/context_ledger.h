#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// What a stream context has under way in the load/store unit.
struct ContextAccount {
    const isa::Instruction* fence = nullptr;  ///< until its completion
    std::uint32_t queued = 0;                 ///< accepted and not yet performed
    std::uint32_t loads = 0;                  ///< loads and atomics with a result that have begun and not completed
    std::uint32_t acquires = 0;               ///< those of the loads that are acquires
    std::uint32_t stores = 0;                 ///< not acknowledged; counted where CTAs wait for them
    bool fence_ends = false;                  ///< the fence has nothing to wait for any more
};

/// One account a stream context.
class ContextLedger {
  public:
    explicit ContextLedger(unsigned contexts) : accounts_(contexts) {}

    ContextAccount& operator[](std::size_t context) { return accounts_[context]; }
    const ContextAccount& operator[](std::size_t context) const { return accounts_[context]; }
    std::size_t size() const { return accounts_.size(); }

    /// `code`: the kernel's, empty if none runs. `stores`: they are counted.
    void fields(StateArchive& archive, std::span<const isa::Instruction> code, bool stores) {
        for (ContextAccount& each : accounts_) {
            archive.optional_pointer_into(code, each.fence);
            archive& each.queued& each.loads& each.acquires& each.fence_ends;
            if (stores) { archive& each.stores; }
        }
    }

  private:
    std::vector<ContextAccount> accounts_;
};

}  // namespace lookahead::gpu
