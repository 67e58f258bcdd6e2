#pragma once

#include <memory>

#include "components/cache/l1_companion.h"
#include "components/cache/l1_data.h"
#include "components/sm/lsu/load_table.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The threads' private (local) memory, if L1 has a companion (components/cache/l1_companion.h): the loads that the
/// companion serves, the lines that come for it, and its flush when the kernel ends.
class PrivateMemory {
  public:
    /// The references must outlive it. The configuration may choose a companion.
    PrivateMemory(const Configuration& configuration, L1Data& l1, LoadTable& loads, unsigned contexts);

    /// Whether there is a companion and it covers the line.
    bool covers(std::uint64_t line) const { return companion_ != nullptr && l1_.keeps_stores_to(line); }
    L1Companion* companion() const { return companion_.get(); }
    Cycle latency() const { return companion_ != nullptr ? companion_->latency() : 0; }

    /// The lanes of a load, with the entry `entry`, that the companion serves. If there are none, L1 is asked for all
    /// lanes in the same cycle, because both look up their tags; otherwise the remaining lanes come again.
    isa::LaneMask load(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now);
    /// L1 has accepted the lanes' words.
    void missed(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now);
    /// Passes a line to the waiting loads, and to the companion or L1.
    void fill(const ReadReply& reply, Cycle now);

    void begin_kernel() {
        if (companion_ != nullptr) { companion_->begin_kernel(); }
    }
    void begin_launch(std::uint32_t local_bytes) {
        if (companion_ != nullptr) { companion_->begin_launch((local_bytes + 3) / 4); }
    }
    void end_launch() { flushing_ = companion_ != nullptr; }
    /// The kernel has ended but the companion still holds data: call `flush` each cycle.
    bool flushing() const { return flushing_; }
    void flush() { flushing_ = !companion_->flush(); }
    void fields(StateArchive& archive) {
        if (companion_ != nullptr) { archive& flushing_&* companion_; }
    }

  private:
    Cycle hit_latency_;
    Cycle fill_latency_;
    L1Data& l1_;
    LoadTable& loads_;
    bool flushing_ = false;
    std::unique_ptr<L1Companion> companion_;
};

}  // namespace lookahead::gpu
