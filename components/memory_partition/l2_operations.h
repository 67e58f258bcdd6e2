#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/interconnect/crossbar/injection_port.h"
#include "components/memory_partition/far_copies.h"
#include "components/memory_partition/l2_contents.h"
#include "components/memory_partition/l2_counters.h"
#include "components/memory_partition/l2_parameters.h"
#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// The times at which sampled reads of SMs (ReadRequest::sample) passed an L2 slice and its DRAM channel.
class RequestSamples {
  public:
    enum class Served : std::uint8_t {
        hit,    ///< by the slice
        merge,  ///< by a fetch that was under way for another request
        dram    ///< by a fetch of its own
    };
    struct Sample {
        std::uint16_t requester = 0;
        std::uint16_t number = 0;
        std::uint16_t mshr = 0;  ///< of Served::dram
        SectorMask sectors = 0;  ///< that it fetches
        Served served = Served::hit;
        Time taken = 0;    ///< from the port
        Time queued = 0;   ///< in the DRAM's queue; 0: not there
        Time started = 0;  ///< a bank serves it
        Time ready = 0;    ///< its data are back in the slice
        Time replied = 0;  ///< 0: not yet

        void fields(StateArchive& archive) {
            archive& requester& number& mshr& sectors& served& taken& queued& started& ready& replied;
        }
    };

    void take(const Sample& sample) {
        open_.push_back(static_cast<std::uint32_t>(samples_.size()));
        samples_.push_back(sample);
    }
    /// A fetch of these sectors for the register comes back.
    void fetched(std::uint16_t mshr, SectorMask sectors, Time queued, Time started, Time ready) {
        for (const std::uint32_t i : open_) {
            Sample& each = samples_[i];
            if (each.served == Served::dram && each.queued == 0 && each.mshr == mshr && each.sectors == sectors) {
                each.queued = queued;
                each.started = started;
                each.ready = ready;
            }
        }
    }
    void reply(unsigned requester, std::uint16_t number, Time now) {
        const auto found = std::ranges::find_if(
            open_, [&](std::uint32_t i) { return samples_[i].requester == requester && samples_[i].number == number; });
        LOOKAHEAD_ASSERT(found != open_.end(), "a sampled request is answered that never came");
        samples_[*found].replied = now;
        open_.erase(found);
    }

    bool any_open() const { return !open_.empty(); }
    const std::vector<Sample>& all() const { return samples_; }

    void fields(StateArchive& archive) { archive& samples_& open_; }

  private:
    std::vector<Sample> samples_;
    std::vector<std::uint32_t> open_;  ///< that are not answered
};

/// Performs the operations of all lanes on a line's bytes, one after another. `values`, unless it is null, gets what
/// each lane found.
void perform_atomic(const AtomicRequest& request, std::byte* line, AtomicValue* values);

/// Performs requests on lines that have the bytes they need, and answers them.
class L2Operations {
  public:
    struct Environment {
        const CrossbarParameters& crossbar;
        const ClockDomain& clock;
        OutPort& replies;  ///< to the requesters, one destination each
        unsigned requesters;
        unsigned channel;
    };
    /// `counters` gets the lanes of atomics.
    L2Operations(const L2Parameters& parameters, const Environment& environment, L2Contents& contents,
                 L2Counters& counters)
        : data_latency_(parameters.data_latency),
          atomic_cycles_(parameters.atomic_cycles),
          clock_(environment.clock),
          contents_(contents),
          counters_(counters),
          far_copies_(contents.lines(), environment.channel, parameters.far_latency),
          replies_(environment.crossbar, environment.crossbar.reply_latency, environment.clock, environment.replies,
                   environment.requesters) {
        if (far_copies_.enabled()) { replies_.allow_detours(); }
    }

    /// Performs the request of requester `source` in cycle `now`; the reply port must have room. Returns the cycle from
    /// which the slice is free for the next request, or 0 if it is free at once.
    Cycle perform(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now);

    InjectionPort& replies() { return replies_; }
    const InjectionPort& replies() const { return replies_; }
    RequestSamples& samples() { return samples_; }
    const RequestSamples& samples() const { return samples_; }
    const FarCopies& far_copies() const { return far_copies_; }

    void audit(Audit& audit) const;
    void fields(StateArchive& archive) { archive& far_copies_& replies_& samples_& reads_& writes_& atomics_; }

  private:
    friend struct AuditSabotage;

    void read(std::uint32_t line, const ReadRequest& request, unsigned source, Cycle now);
    void write(std::uint32_t line, const WriteRequest& request, unsigned source, Cycle now);
    Cycle atomic(std::uint32_t line, const AtomicRequest& request, unsigned source, Cycle now);
    void acknowledge(std::uint32_t tag, unsigned source, Cycle ready, Cycle detour) {
        replies_.push<WriteAcknowledge>(source, ready, 0, detour) = {.tag = tag, .unused = 0};
    }

    Cycle data_latency_;
    Cycle atomic_cycles_;
    const ClockDomain& clock_;
    L2Contents& contents_;
    L2Counters& counters_;
    FarCopies far_copies_;
    InjectionPort replies_;
    RequestSamples samples_;
    // Counts for the audit.
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;  ///< and reductions
    std::uint64_t atomics_ = 0;
};

}  // namespace lookahead::gpu
