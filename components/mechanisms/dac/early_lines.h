#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "components/cache/l1_data.h"
#include "components/cache/l1_events.h"
#include "components/mechanisms/dac/dac_counters.h"
#include "components/mechanisms/dac/warp_queues.h"
#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::dac {

/// Lines that the address unit has asked L1 for ahead of the warps' loads (Wang and Lin, ISCA 2017, section 4.2): those
/// that have not come, and the locks of those that a load has dequeued and not accessed yet. It follows both by L1's
/// events.
class EarlyLines final : private gpu::L1Listener {
  public:
    EarlyLines(const gpu::IssueExtensionArguments& sm, WarpQueues& queues, DacCounters& counters)
        : state_(sm.state), queues_(queues), counters_(counters) {
        sm.memory.subscribe(*this);
    }
    /// L1 outlives the lines' use.
    void joined(gpu::L1Data& l1) { l1_ = &l1; }

    /// The record's line, of the context's last access, was asked for and locked; `waits`: it has not come.
    void locked(unsigned context, QueuedAccess& access, QueuedRecord& record, gpu::LineLock&& lock, bool waits);
    /// The warp dequeues the record of its load with that number: the load's access ends the lock.
    void dequeued(unsigned context, std::uint32_t sequence, QueuedRecord& record);
    /// No load of the warp is in flight any more. Loads of which no access has been seen, as those that a companion of
    /// L1 has served, give their locks back. True: there may be some.
    bool loads_ended(unsigned context);
    bool holds_for(unsigned context) const;

    bool some_came() const { return came_ != 0; }
    bool some_accessed() const { return some_accessed_; }
    /// Tells the warps of the lines that have come, or are lost.
    void note_lines_that_came();
    /// The listener changes nothing in L1: locks of lines that were accessed end in the next cycle.
    void release_accessed();

    std::string waiting_for() const;
    void audit(Audit& audit, const std::string& sm) const;
    void fields(StateArchive& archive) { archive& held_& awaited_& came_& some_accessed_& locks_; }

  private:
    /// A lock of a load that has been dequeued and has not accessed its line yet.
    struct Held {
        std::uint16_t context = 0;
        bool accessed = false;
        std::uint32_t sequence = 0;  ///< of the load, among what its warp dequeues
        std::uint64_t line = 0;
        gpu::LineLock lock;

        void fields(StateArchive& archive) { archive& context& accessed& sequence& line& lock; }
    };
    /// A line that was asked for and has not come.
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
    gpu::ContextMask came_ = 0;   ///< contexts for which a line has come, or is lost
    bool some_accessed_ = false;  ///< of held_
    unsigned locks_ = 0;          ///< out
};

}  // namespace lookahead::dac
