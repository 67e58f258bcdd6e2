#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "components/cache/l1_data.h"
#include "components/cache/l1_events.h"
#include "components/mechanisms/dac/dac_counters.h"
#include "components/mechanisms/dac/dac_parameters.h"
#include "components/mechanisms/dac/dac_queues.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/l1_client.h"
#include "components/sm/pipeline/execute_stage.h"
#include "components/sm/pipeline/extension_streams.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/issue_stage.h"
#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::dac {

using gpu::ContextMask;
using gpu::ContextState;

/// Whose tuples keep their order in the expansion units (`dac.expansion`): all, those of a CTA, those of a warp.
enum class ExpansionOrder : std::uint8_t { tuple, cta, warp };

/// Whose tuples the address unit turns to first (`dac.address_order`): the oldest tuple's, or one CTA's after the
/// other.
enum class AddressOrder : std::uint8_t { tuple, cta };

/// When the affine warp runs again while CTAs that it has served are there (`dac.batch`).
enum class Batch : std::uint8_t { drain, rolling, patient };

/// Decoupled affine computation on an SM (Wang and Lin, ISCA 2017, section 4): the affine warp, which runs the kernel's
/// program `affine` on tuples for a batch of resident CTAs; the tuple queue; the units that expand tuples into each
/// warp's queues; and what the warps dequeue. Loads are performed when they dequeue, in their warp's order, as any
/// other: what the address expansion unit asks for early only brings and keeps their lines. README.md has the rules and
/// the choices.
class Dac final : public gpu::IssueExtension,
                  private gpu::StreamPolicy,
                  private gpu::IssueSource,
                  private gpu::L1Client,
                  private gpu::L1Listener {
  public:
    using Parameters = DacParameters;

    Dac(const DacParameters& parameters, const gpu::IssueExtensionArguments& arguments);

    Cycle longest_delay() const override;
    bool serves_queues() const override { return true; }
    void begin_launch() override;
    void warp_started(unsigned context) override;
    void warp_exited(unsigned context) override;
    void begin_cycle(Cycle now) override;
    Cycle next_cycle(Cycle now) const override;

    bool classify(unsigned context) override;
    bool supply(unsigned context, Cycle now) override;
    void before_execution(unsigned context, Cycle now) override;
    void dequeue_addresses(unsigned context, isa::LaneMask active, std::uint64_t* addresses) override;
    void written_back(unsigned context, std::uint32_t pc, bool all) override;
    void event(unsigned generation, std::uint32_t pc, Cycle now) override;

    const DacCounters& counters() const { return counters_; }

    std::string waiting_for() const override;
    void audit(Audit& audit, const std::string& sm) const override;
    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override;
    void fields(StateArchive& archive) override;

  private:
    static constexpr unsigned kAffine = 0;  ///< the number of the only stream

    /// What a warp waits for at its queues, for statistics.
    enum class Wait : std::uint8_t { nothing, entry, lines, report };

    /// A lock of a load that has been dequeued and has not accessed its line yet.
    struct Held {
        std::uint16_t context = 0;
        bool accessed = false;
        std::uint32_t sequence = 0;  ///< of the load, among what its warp dequeues
        std::uint64_t line = 0;
        gpu::LineLock lock;

        void fields(StateArchive& archive) { archive& context& accessed& sequence& line& lock; }
    };
    /// A comparison on the lanes.
    struct Comparing {
        Cycle ready = 0;
        std::uint16_t context = 0;

        void fields(StateArchive& archive) { archive& ready& context; }
    };
    /// A line that was asked for and has not come.
    struct Awaited {
        std::uint64_t line = 0;
        std::uint16_t context = 0;

        void fields(StateArchive& archive) { archive& line& context; }
    };
    /// A unit that expands entries of the tuple queue, warp by warp.
    struct Unit {
        std::uint16_t entries = 0;   ///< of its kind in the tuple queue, with warps that wait for theirs
        bool stuck = false;          ///< for none of them it can go on, until something changes
        bool has_warp = false;       ///< it is at `warp` and `entry`
        std::uint16_t warp = 0;      ///< the last one, if it is at none
        std::uint64_t entry = 0;     ///< number of the entry
        Cycle free = 0;              ///< the first cycle of its next step
        Cycle since = 0;             ///< it is stuck
        bool behind_marker = false;  ///< stuck: all that could be next have a barrier to pass

        void fields(StateArchive& archive) {
            archive& entries& stuck& has_warp& warp& entry& free& since& behind_marker;
        }
    };
    /// What becomes of an entry for a warp when a unit turns to it.
    enum class Turn : std::uint8_t { begun, no_room, behind_marker };
    /// What a unit keeps for each CTA: the accumulated address of section 4.2, or the comparison for all of its
    /// threads.
    struct Accumulator {
        std::uint64_t entry = 0;  ///< number of the entry that it is of; 0: none
        std::uint16_t next = 0;   ///< an address: the warp whose first line it is

        void fields(StateArchive& archive) { archive& entry& next; }
    };
    /// The access that the address expansion unit is at.
    struct Expansion {
        unsigned records = 0;
        unsigned done = 0;
        WarpRecords list{};           ///< from `done` to `records`; the others are no state
        bool asks = false;            ///< the record's line is to be asked for
        bool locks = true;            ///< and locked
        gpu::SectorMask sectors = 0;  ///< of the line, not asked for yet
        bool waits = false;           ///< for some of those that were
        Cycle since = 0;
        gpu::LineLock lock;

        void fields(StateArchive& archive) {
            archive& records& done& asks& locks& sectors& waits& since& lock;
            for (unsigned record = done; record < records; ++record) { archive& list[record]; }
        }
    };

    // The launch and its CTAs (dac.cpp).
    bool decouples() const { return launch_.program != nullptr; }
    void name_pairs();
    unsigned slot_of(unsigned context) const { return context / state_.launch.occupancy.warps_per_cta; }
    isa::LaneMask rows_of(unsigned context) const {
        return row_starts_[context - slot_of(context) * state_.launch.occupancy.warps_per_cta];
    }
    Threads of_slot(const SmThreads& threads, unsigned slot) const;
    void to_slot(SmThreads& threads, unsigned slot, const Threads& of) const;
    template <class Visit>
    void for_each_served(Visit visit) const;
    void charge_unserved(Cycle now);
    Cycle batch_due() const;
    void start_batch(Cycle now);
    void end_run();

    // What warps dequeue (dequeue.cpp).
    bool takes_from_queue(std::uint32_t pc) const { return takes_[pc] != 0; }
    static bool is_report(const isa::Instruction& instruction) {
        return instruction.operation == isa::Operation::enqueue;
    }
    void report(unsigned context, isa::LaneMask active, isa::LaneMask holds);
    bool head_may_go(unsigned context) const;
    bool has_predicate(unsigned context) const;
    void note_wait(unsigned context, Wait wait);
    void pass_marker(unsigned context);
    isa::LaneMask dequeue_predicate(unsigned context, isa::LaneMask active);
    void check_pair(const PairName& name, unsigned context, isa::LaneMask active, std::uint32_t& sequence) const;
    void to_thread_offsets(unsigned context, isa::LaneMask active, std::uint64_t* addresses) const;
    void wake(unsigned context);
    void release_held();
    void await_no_more(unsigned context, QueuedRecord& record);
    void note_lines_that_came();

    // The affine warp (affine_warp.cpp).
    ContextState judge(unsigned stream) override;
    void issue(unsigned scheduler, unsigned stream, Cycle now) override;
    SmThreads guarded(const isa::Instruction& instruction) const;
    void branch(const isa::Instruction& instruction, const SmThreads& taken, Cycle now);
    void enqueue(std::uint32_t pc, const SmThreads& active, Cycle from);
    void go_on();
    bool some_predicate_queue_is_full() const;
    bool all_have_reported() const;
    void take_reports(const isa::Instruction& instruction);
    void note_affine_wait(Wait wait);

    // Expansion (expansion.cpp).
    AtqEntry& entry(const Unit& unit) { return atq_[static_cast<std::uint32_t>(unit.entry - first_entry_)]; }
    const AtqEntry& entry(const Unit& unit) const {
        return atq_[static_cast<std::uint32_t>(unit.entry - first_entry_)];
    }
    Unit& unit_of(const AtqEntry& entry) { return entry.of_predicate() ? peu_ : aeu_; }
    void note_pending(AtqEntry& entry, Cycle from);
    bool has_rows(const AtqEntry& entry) const;
    bool others_are_held_up() const;
    ContextMask held_up_by(ContextMask pending, ContextMask warps) const;
    template <class Begin>
    bool choose(Unit& unit, Begin begin);
    template <class Begin>
    bool choose_among(ContextMask warps, std::uint32_t first, Unit& unit, Begin begin, bool& behind_marker);
    std::uint32_t first_address_of(unsigned slot);
    void served(Unit& unit);
    void renew_units();
    void renew(Unit& unit);
    void stop(Unit& unit, bool behind_marker);
    void expand_addresses(Cycle now);
    bool choose_warp_for_addresses(Cycle now);
    bool waits_for_lock(const AtqEntry& entry, const AccessSize& size) const;
    bool begin_access(AtqEntry& entry, unsigned context);
    void to_memory_of_warp(unsigned context, const AtqEntry& entry, LaneAddresses& addresses) const;
    void take_record(Cycle now);
    bool is_mapped(const QueuedRecord& record) const;
    void end_access();
    void expand_predicates(Cycle now);
    void end_predicate(Cycle ready);
    void note_compared(Cycle now);
    // IssueSource: comparisons on the SIMT lanes.
    gpu::IssuePriority priority() const override { return lane_priority_; }
    bool issue(unsigned scheduler, Cycle now) override;
    Cycle next_issue(Cycle now) const override;
    // L1Client and L1Listener
    void joined(gpu::L1Data& l1, const gpu::AllocationMap& allocations) override;
    bool wants_access() const override { return expansion_.asks; }
    bool access(Cycle now) override;
    void on_l1_event(const gpu::L1Event& event) override;

    DacParameters parameters_;
    gpu::IssuePriority lane_priority_;
    ExpansionOrder expansion_order_;
    AddressOrder address_order_;
    Batch batch_;
    gpu::IssueStage& issue_;
    gpu::ExecuteStage& execute_;
    gpu::LoadStoreUnit& memory_;
    gpu::L1Data* l1_ = nullptr;
    const gpu::AllocationMap* allocations_ = nullptr;
    gpu::ExtensionStreams streams_;

    // The launch's, made anew when one is resumed:
    AffineLaunch launch_;                       ///< no program: the kernel is not decoupled
    std::vector<std::uint8_t> takes_;           ///< by PC: the instruction dequeues, or reports
    std::vector<std::uint8_t> marker_;          ///< by PC of the kernel's own: the affine stream has a marker for it
    std::vector<std::uint32_t> pair_;           ///< by PC of an enqueue: that of the dequeue
    std::vector<std::uint64_t> all_bits_;       ///< of the scoreboard
    std::vector<isa::LaneMask> row_starts_;     ///< by warp of a CTA
    gpu::ContextStates lane_states_;            ///< of the comparison on the lanes, as a stream
    std::vector<ContextMask> lane_schedulers_;  ///< it may issue through each

    // The affine warp
    std::vector<AffineCta> ctas_;  ///< by CTA slot
    AffineStack stack_;
    std::array<std::uint8_t, gpu::kMaximumContexts> turns_{};  ///< CTA slots, those of the oldest run first
    std::uint64_t served_ = 0;  ///< CTA slots of the batch; bits of those that have ended are cleared
    std::uint64_t fresh_ = 0;   ///< CTA slots that no run has served
    std::array<std::uint8_t, gpu::kMaximumContexts> live_warps_{};  ///< by CTA slot
    Cycle fresh_since_ = 0;                                         ///< some wait for a run, and the last one has ended
    Cycle run_since_ = 0;
    Cycle last_run_cycles_ = 0;
    Cycle last_start_ = 0;  ///< of a CTA
    Cycle unserved_charged_ = 0;
    std::uint16_t generation_ = 0;    ///< of the run: what was in flight for an older one is nobody's
    Cycle waits_since_ = 0;           ///< of the affine warp, at an enqueue or a branch
    Wait waits_for_ = Wait::nothing;  ///< entry: of the tuple queue; lines: of a predicate queue; report: of some warp

    // The queues
    Ring<AtqEntry> atq_;
    std::uint64_t first_entry_ = 1;  ///< number of the first one
    Unit aeu_;
    Unit peu_;
    std::array<Accumulator, gpu::kMaximumContexts> accumulators_{};  ///< of the address unit, by CTA slot
    std::array<Accumulator, gpu::kMaximumContexts> compared_{};      ///< of the predicate unit, by CTA slot
    std::vector<ContextMask> siblings_;                              ///< by CTA slot: its contexts
    /// By CTA slot: no older entry owes the CTA an address. What is known of the queue, and no state.
    std::array<std::uint64_t, gpu::kMaximumContexts> oldest_address_{};
    Expansion expansion_;
    bool lanes_wanted_ = false;  ///< the predicate expansion unit waits for an issue slot
    std::vector<Comparing> comparing_;
    std::vector<AddressQueue> address_queues_;  ///< by context
    std::vector<PredicateQueue> predicate_queues_;
    std::vector<PredicateQueue> reports_;
    std::array<std::uint32_t, gpu::kMaximumContexts> addresses_enqueued_{};
    std::array<std::uint32_t, gpu::kMaximumContexts> predicates_enqueued_{};
    std::array<std::uint32_t, gpu::kMaximumContexts> addresses_dequeued_{};
    std::array<std::uint32_t, gpu::kMaximumContexts> predicates_dequeued_{};
    std::array<std::uint32_t, gpu::kMaximumContexts> markers_enqueued_{};  ///< that the affine stream has passed
    std::array<std::uint32_t, gpu::kMaximumContexts> markers_passed_{};    ///< that the warp has passed
    std::array<std::uint32_t, gpu::kMaximumContexts> at_marker_{};         ///< PC + 1 of the one where the warp is
    std::array<Wait, gpu::kMaximumContexts> waiting_{};
    std::array<Cycle, gpu::kMaximumContexts> waiting_since_{};
    std::vector<Held> held_;
    std::vector<Awaited> awaited_;
    ContextMask came_ = 0;        ///< contexts for which a line has come, or is lost
    bool some_accessed_ = false;  ///< of held_
    unsigned locks_ = 0;          ///< out
    DacCounters counters_;
};

}  // namespace lookahead::dac
