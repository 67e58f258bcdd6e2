#pragma once

#include "components/isa/memory_access.h"
#include "components/mechanisms/dac/affine_warp.h"
#include "components/mechanisms/dac/early_lines.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/spare_accesses.h"

namespace lookahead::dac {

/// The address expansion unit (AEU; Wang and Lin, ISCA 2017, section 4.2). From an address tuple it makes the records
/// of each warp, one per cycle. It requests and locks the lines of loads in L1.
class AddressUnit final : private gpu::L1Client {
  public:
    AddressUnit(const DacParameters& parameters, const gpu::IssueExtensionArguments& sm, const DacLaunch& launch,
                TupleQueue& tuples, WarpQueues& queues, EarlyLines& lines, AffineWarp& affine, DacCounters& counters);

    void begin_cycle(Cycle now) {
        if (unit_.can_step(now) && !expansion_.asks && (unit_.has_warp || choose_warp(now))) { take_record(now); }
    }
    Cycle next_cycle(Cycle now) const { return expansion_.asks ? gpu::kNever : unit_.next_step(now); }
    /// Whether the unit is working on an access of the warp.
    bool is_at(unsigned context) const { return unit_.has_warp && unit_.warp == context; }
    /// Whether the unit waits for L1 to take its request.
    bool wants_access() const override { return expansion_.asks; }
    std::string_view name() const override { return "dac"; }
    int priority() const override { return 1; }
    bool has_own_port() const override { return parameters_.own_tag_port; }
    /// Call it when locks have ended.
    void locks_ended();

    void accumulator_fields(StateArchive& archive) { archive& accumulators_; }
    void fields(StateArchive& archive) { archive& expansion_; }

  private:
    /// The access in progress.
    struct Expansion {
        unsigned records = 0;
        unsigned done = 0;
        WarpRecords list{};           ///< valid from `done` to `records`; the rest is no state
        bool asks = false;            ///< the record's line must be requested
        bool locks = true;            ///< and locked
        gpu::SectorMask sectors = 0;  ///< sectors of the line that are not requested yet
        bool waits = false;           ///< some requested sectors have not come
        Cycle since = 0;
        gpu::LineLock lock;

        void fields(StateArchive& archive) {
            archive& records& done& asks& locks& sectors& waits& since& lock;
            for (unsigned record = done; record < records; ++record) { archive& list[record]; }
        }
    };

    bool choose_warp(Cycle now);
    bool waits_for_lock(const AtqEntry& entry, const AccessSize& size) const;
    bool begin_access(AtqEntry& entry, unsigned context);
    void take_record(Cycle now);
    bool asks_for(const QueuedAccess& access) const;
    bool is_mapped(const QueuedRecord& record) const;
    unsigned lane_bytes() const { return isa::lane_bytes(launch_.kernel().code[tuples_.entry_of(unit_).pc]); }
    void end_record();
    void end_access();
    void joined(gpu::L1Data& l1, const gpu::AllocationMap& allocations) override;
    bool access(Cycle now) override;

    const DacParameters& parameters_;
    const gpu::IssueExtensionArguments sm_;
    const DacLaunch& launch_;
    TupleQueue& tuples_;
    WarpQueues& queues_;
    EarlyLines& lines_;
    AffineWarp& affine_;
    DacCounters& counters_;
    gpu::L1Data* l1_ = nullptr;
    const gpu::AllocationMap* allocations_ = nullptr;
    ExpansionUnit& unit_;          ///< the unit's place in the tuple queue
    Accumulators accumulators_{};  ///< by CTA slot
    Expansion expansion_;
};

}  // namespace lookahead::dac
