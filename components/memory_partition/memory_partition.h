#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/dram/dram_channel.h"
#include "components/dram/memory_image.h"
#include "components/memory_partition/l2_slice.h"
#include "components/protocols/ports.h"
#include "core/lp/logical_process.h"
#include "core/state/state_archive.h"
#include "core/stats/phase_log.h"

namespace lookahead::gpu {

struct MemoryPartitionArguments {
    AddressMappingParameters mapping;
    CrossbarParameters crossbar;
    L2Parameters l2;
    DramParameters dram;
    std::string dram_scheduler = "frfcfs";
    std::int64_t frequency = 700'000'000;  ///< Hz; of the network and L2
    unsigned requesters = 15;
    unsigned channel = 0;  ///< which of the mapping's channels this partition owns
};

/// One DRAM channel, of one or more pseudo-channels, with its L2 slices, as a logical process. The slices' side of the
/// crossbar is part of it; components/protocols/ports.h has its ports.
///
/// Events at the same time happen in this order: messages, DRAM commands, slices by number.
class MemoryPartition final : public LogicalProcess {
  public:
    /// `configuration` has the DRAM scheduler's own parameters. ConfigurationError if the parts do not fit together.
    MemoryPartition(const MemoryPartitionArguments& arguments, const Configuration& configuration);

    void advance(Inbox inbox, Time horizon) override;
    Time next_event_time() const override { return std::min(time_, dram_time_); }
    bool finished() const override;
    std::string waiting_for() const override;
    void audit(Audit& audit) const override;
    void visit_statistics(StatisticsVisitor& visitor) const override;
    const PhaseLog* phases() const override { return &phases_; }
    void fields(StateArchive& archive) override;

    unsigned channel() const { return arguments_.channel; }
    std::size_t slices() const { return slices_.size(); }
    const AddressMapping& mapping() const { return mapping_; }
    const L2Slice& slice(unsigned i) const { return *slices_[i]; }
    const DramChannel& dram(unsigned pseudo_channel = 0) const { return *drams_[pseudo_channel]; }

  private:
    friend struct AuditSabotage;

    void receive(const MessageHeader& message);
    void receive_from_host(const MessageHeader& message, Cycle now);
    std::byte* answer_host(MessageType type, std::size_t payload_bytes, Cycle now);
    void run_slices(Cycle now);
    void run_dram(Cycle now);
    bool step_dram(DramChannel& dram, Cycle now);
    /// The pseudo-channel of a slice, which the lowest bits of its number select.
    DramChannel& dram_of(unsigned slice) { return *drams_[slice & (drams_.size() - 1)]; }
    bool any_dram_accepts() const;
    /// Moves the slices' requests to the DRAM's queue, as far as there is room. `dram_now`: the first DRAM cycle that
    /// sees them; `l2_now`: the first L2 cycle in which the slices see the room.
    void feed_dram(Cycle dram_now, Cycle l2_now);
    void find_next_l2_cycle();
    void find_next_dram_cycle();
    void for_each_slice(std::uint64_t local, std::uint32_t bytes, auto f);

    MemoryPartitionArguments arguments_;
    AddressMapping mapping_;
    ClockDomain clock_;
    ClockDomain dram_clock_;
    MemoryImage image_;
    std::array<std::uint8_t, kAllSectors + 1> bursts_to_read_;   ///< by mask of sectors
    std::array<std::uint8_t, kAllSectors + 1> bursts_to_write_;  ///< by mask of sectors
    std::vector<std::unique_ptr<DramChannel>> drams_;            ///< pseudo-channels, or the one channel
    bool one_sector_an_entry_;
    unsigned pseudo_bits_ = 0;
    std::vector<std::unique_ptr<L2Slice>> slices_;
    OutPort* host_;
    PhaseLog phases_;  ///< by kernel

    unsigned next_slice_ = 0;  ///< slice that has the first turn at the DRAM's queue
    Cycle cycle_ = kCycleInfinity;
    Time time_ = kTimeInfinity;
    Cycle dram_cycle_ = kCycleInfinity;
    Time dram_time_ = kTimeInfinity;
};

}  // namespace lookahead::gpu
