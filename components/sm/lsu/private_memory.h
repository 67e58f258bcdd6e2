#pragma once

#include <memory>
#include <string>

#include "components/cache/l1_companion.h"
#include "components/cache/l1_data.h"
#include "components/sm/lsu/load_table.h"

namespace lookahead::gpu {

/// The threads' private (local) memory where L1 has a companion (components/cache/l1_companion.h): what the companion
/// serves of a load, the lines that come for it, and its end with the kernel.
class PrivateMemory {
  public:
    /// The references outlive it. The companion is the one that the configuration chooses, if it chooses one.
    PrivateMemory(const Configuration& configuration, L1Data& l1, LoadTable& loads, unsigned contexts);

    /// There is a companion, and the line is one of those that it sees.
    bool covers(std::uint64_t line) const { return companion_ != nullptr && l1_.keeps_stores_to(line); }
    /// Null: there is none.
    L1Companion* companion() const { return companion_.get(); }
    /// Cycles that it adds to loads.
    Cycle latency() const { return companion_ != nullptr ? companion_->latency() : 0; }

    /// Of a load with the entry `entry`: the lanes that the companion serves. Where there is none, L1 is asked for all
    /// of them in the same cycle: both look their tags up; those that are left after a part was served come again.
    isa::LaneMask load(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now);
    /// L1 has taken on the lanes' words.
    void missed(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now);
    /// A line has come: for the loads that wait, and for the companion or L1.
    void fill(const ReadReply& reply, Cycle now);

    void begin_kernel();
    void begin_launch(std::uint32_t local_bytes);
    void end_launch() { flushing_ = companion_ != nullptr; }
    /// The kernel has ended, the companion not: `flush` is to be called each cycle.
    bool flushing() const { return flushing_; }
    void flush() { flushing_ = !companion_->flush(); }
    void fields(StateArchive& archive);

  private:
    Cycle hit_latency_;
    Cycle fill_latency_;
    L1Data& l1_;
    LoadTable& loads_;
    bool flushing_ = false;
    std::unique_ptr<L1Companion> companion_;
};

}  // namespace lookahead::gpu
