#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/cache/l1_data.h"
#include "components/cache/l1_events.h"
#include "components/mechanisms/dac/dac_counters.h"
#include "components/mechanisms/dac/warp_queues.h"
#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::dac {

/// Lines that the address unit has requested from L1 before the warps' loads (Wang and Lin, ISCA 2017, section 4.2):
/// those under way, and locks of loads that have dequeued but not accessed their line. L1's events update both.
class EarlyLines final : private gpu::L1Listener {
  public:
    EarlyLines(const gpu::IssueExtensionArguments& sm, WarpQueues& queues, DacCounters& counters)
        : state_(sm.state), queues_(queues), counters_(counters) {
        sm.memory.subscribe(*this);
    }
    /// Sets the L1, which must outlive its use here.
    void joined(gpu::L1Data& l1) { l1_ = &l1; }

    /// The line of a record of the context's last access was requested and locked. `waits`: it has not come.
    void locked(unsigned context, QueuedAccess& access, QueuedRecord& record, gpu::LineLock&& lock, bool waits);
    /// The warp dequeues a record of its load number `sequence`; the load's access will end the lock.
    void dequeued(unsigned context, std::uint32_t sequence, QueuedRecord& record);
    /// Call it when no load of the warp is in flight any more. Marks its remaining locks to end: a companion of L1
    /// served their loads, so L1 saw no access. Returns whether any lock is held, of any warp.
    bool loads_ended(unsigned context);
    /// Whether a lock is held for a load that the warp has dequeued.
    bool holds_for(unsigned context) const;

    bool some_came() const { return came_ != 0; }
    bool some_accessed() const { return some_accessed_; }
    /// Notifies the warps whose lines have come or are lost.
    void note_lines_that_came();
    /// Ends the locks of accessed lines, a cycle after the access because a listener may not change L1.
    void release_accessed();

    std::string waiting_for() const;
    void audit(Audit& audit, const std::string& sm) const;
    void fields(StateArchive& archive) { archive& held_& awaited_& came_& some_accessed_& locks_; }

  private:
    /// The lock of a load that has dequeued and has not accessed its line yet.
    struct Held {
        std::uint16_t context = 0;
        bool accessed = false;
        std::uint32_t sequence = 0;  ///< number of the load in its warp's queue
        std::uint64_t line = 0;
        gpu::LineLock lock;

        void fields(StateArchive& archive) { archive& context& accessed& sequence& line& lock; }
    };
    /// A requested line that has not come.
    struct Awaited {
        std::uint64_t line = 0;
        std::uint16_t context = 0;

        void fields(StateArchive& archive) { archive& line& context; }
    };

    void on_l1_event(const gpu::L1Event& event) override;
    void await_no_more(unsigned context, QueuedRecord& record);
    bool is_awaited(const QueuedRecord& record) const;

    gpu::PipelineState& state_;
    WarpQueues& queues_;
    DacCounters& counters_;
    gpu::L1Data* l1_ = nullptr;
    std::vector<Held> held_;
    std::vector<Awaited> awaited_;
    gpu::ContextMask came_ = 0;   ///< contexts with a line that has come or is lost
    bool some_accessed_ = false;  ///< some lock in held_ has been accessed
    unsigned locks_ = 0;          ///< locks held at present
};

}  // namespace lookahead::dac
