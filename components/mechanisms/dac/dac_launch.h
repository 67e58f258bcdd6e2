#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/isa/address_space.h"
#include "components/mechanisms/dac/affine_cta.h"
#include "components/mechanisms/dac/affine_stack.h"
#include "components/sm/pipeline/issue_extension.h"

namespace lookahead::dac {

/// Whether the instruction reports to the affine warp which lanes of its warp take a branch.
inline bool is_report(const isa::Instruction& instruction) {
    return instruction.operation == isa::Operation::enqueue;
}

/// A kernel's launch on an SM: its two streams, the pairs of instructions that belong together, and the contexts of its
/// CTAs' warps. It is rebuilt when a launch begins or resumes.
class DacLaunch {
  public:
    /// Prepares a launch; `checked` is dac.check. Throws ConfigurationError if the SM's SIMT model cannot run the
    /// kernel's affine stream.
    void begin(const gpu::IssueExtensionArguments& sm, bool checked);

    /// Whether the kernel has an affine stream.
    bool decouples() const { return affine_.program != nullptr; }
    const AffineLaunch& affine() const { return affine_; }
    const isa::Kernel& kernel() const { return *affine_.kernel; }

    /// The most CTAs that the launch can have on the SM.
    unsigned ctas() const { return ctas_; }
    unsigned warps() const { return ctas_ * warps_per_cta_; }
    unsigned warps_per_cta() const { return warps_per_cta_; }
    unsigned slot_of(unsigned context) const { return context / warps_per_cta_; }
    /// The number of the context's warp in its CTA.
    unsigned warp_of(unsigned context) const { return context - slot_of(context) * warps_per_cta_; }
    /// The lanes of the context's warp at which rows of the block begin.
    isa::LaneMask rows_of(unsigned context) const { return row_starts_[warp_of(context)]; }
    /// The address of the local memory of the context's warp.
    std::uint64_t local_memory_of(unsigned context) const {
        return isa::kLocalMemoryBase + (first_warp_ + context) * isa::local_memory_per_warp(kernel().local_bytes);
    }

    /// The threads of the CTA in `slot`.
    Threads of_slot(const SmThreads& threads, unsigned slot) const {
        Threads of{};
        std::copy_n(threads.begin() + slot * warps_per_cta_, warps_per_cta_, of.begin());
        return of;
    }
    /// Sets the threads of the CTA in `slot`, among `threads`, to `of`.
    void to_slot(SmThreads& threads, unsigned slot, const Threads& of) const {
        std::copy_n(of.begin(), warps_per_cta_, threads.begin() + slot * warps_per_cta_);
    }

    /// Whether the warps' instruction at `pc` dequeues or reports.
    bool takes_from_queue(std::uint32_t pc) const { return takes_[pc] != 0; }
    /// Whether the affine stream has a marker for the warps' barrier, fence or atomic at `pc`.
    bool has_marker(std::uint32_t pc) const { return marker_[pc] != 0; }
    /// The PC of the warps' instruction that dequeues the entries of the `enqueue` instruction.
    std::uint32_t dequeue_of(std::uint32_t enqueue) const { return pair_[enqueue]; }
    /// Whether two instructions come from one instruction of the kernel.
    bool same_origin(std::uint32_t a, std::uint32_t b) const { return kernel().origins[a] == kernel().origins[b]; }

  private:
    void name_pairs();

    AffineLaunch affine_;  ///< without a program if the kernel is not decoupled
    unsigned ctas_ = 0;
    unsigned warps_per_cta_ = 0;
    std::uint64_t first_warp_ = 0;           ///< of this SM, among the contexts of all SMs
    std::vector<isa::LaneMask> row_starts_;  ///< by warp of a CTA
    std::vector<std::uint8_t> takes_;        ///< by PC
    std::vector<std::uint8_t> marker_;       ///< by PC of the kernel's own stream
    std::vector<std::uint32_t> pair_;        ///< by PC of an enqueue
};

}  // namespace lookahead::dac
