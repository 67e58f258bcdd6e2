#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "components/interconnect/crossbar/injection_port.h"
#include "components/memory_partition/l2_cache.h"
#include "components/memory_partition/l2_contents.h"
#include "components/memory_partition/l2_counters.h"
#include "components/memory_partition/l2_parameters.h"
#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

struct FarCopyCounters {
    LOOKAHEAD_COUNTER(requests, "request", "Requests of SMs in the other half of the GPU.");
    LOOKAHEAD_COUNTER(hits, "request", "Part of requests: reads that found a copy of the line in their SM's half.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The times of an L2 cache of two halves (l2.far_latency). A line belongs to one half, which has its bytes and serves
/// all requests to it, so that a write is visible to all SMs at once. An answer to an SM in the other half takes
/// longer, unless that half has a copy of the line: the first read from there leaves a copy, and a write of any SM
/// removes it. Source: Jia and Van Sandt, "Dissecting the Ampere GPU Architecture through Microbenchmarking", GTC 2021
/// (S33322).
///
/// The parity of a line's address decides its half, like the hashes of GPUs; so here a slice has lines of both halves.
/// A copy takes a place in the line's own set, instead of one in the other half, and gives way to lines: on an H100
/// PCIe all SMs together read up to 37 of the 50 MB at the full bandwidth (gpu-benches), and that many lines with their
/// copies would not fit.
///
/// A copy is there when the answer that leaves it arrives. Another answer that is sent before takes longer only until
/// then.
class FarCopies {
  public:
    /// `channel`: the slice's channel. `latency`: cycles that an answer to the other half takes longer; 0: L2 has no
    /// halves.
    FarCopies(L2Cache& lines, unsigned channel, Cycle latency)
        : lines_(lines), channel_(channel), latency_(latency), near_from_(latency > 0 ? lines.size() : 0) {
        if (latency > 0) { lines.expect_copies(); }
    }

    bool enabled() const { return latency_ > 0; }

    /// Returns how many cycles longer the answer takes to a read of the line by requester `source` in cycle `now`.
    Cycle read(std::uint32_t line, unsigned source, Cycle now) {
        if (!is_far(line, source)) { return 0; }
        ++counters_.requests;
        if (const std::uint32_t copy = lines_.copy_of(line); copy != L2Cache::kNoLine) {
            ++counters_.hits;
            lines_.touch_copy(copy);
            return std::max<Cycle>(0, near_from_[copy] - now);
        }
        leave_copy(line, now + latency_);
        return latency_;
    }
    /// The same for a write or an atomic.
    Cycle write(std::uint32_t line, unsigned source) {
        if (!enabled()) { return 0; }
        lines_.drop_copy(line);
        if (!is_far(line, source)) { return 0; }
        ++counters_.requests;
        return latency_;
    }

    const FarCopyCounters& counters() const { return counters_; }
    void fields(StateArchive& archive) {
        if (enabled()) { archive& near_from_& counters_; }
    }

  private:
    /// Whether requester and line are in different halves. SMs with neighbouring numbers are in different halves,
    /// because CTAs go to one processing cluster after another.
    bool is_far(std::uint32_t line, unsigned source) const {
        return enabled() && (std::popcount(channel_) + std::popcount(lines_.local_address(line)) + source) % 2 != 0;
    }

    /// Leaves no copy if the place for it awaits a fill or is dirty.
    void leave_copy(std::uint32_t line, Cycle near_from) {
        const std::uint32_t place = lines_.victim_beside(line);
        if (place == L2Cache::kNoLine || place == line || lines_.dirty(place).any()) { return; }
        lines_.install_copy(place, line);
        near_from_[place] = near_from;
    }

    L2Cache& lines_;
    unsigned channel_;
    Cycle latency_;
    std::vector<Cycle> near_from_;  ///< for a copy: the cycle from which answers take no longer
    FarCopyCounters counters_;
};

/// The times at which sampled reads of SMs (ReadRequest::sample) passed an L2 slice and its DRAM channel.
class RequestSamples {
  public:
    enum class Served : std::uint8_t {
        hit,    ///< served by the slice
        merge,  ///< served by a fetch that was under way for another request
        dram    ///< served by a fetch of its own
    };
    struct Sample {
        std::uint16_t requester = 0;
        std::uint16_t number = 0;
        std::uint16_t mshr = 0;  ///< for Served::dram
        SectorMask sectors = 0;  ///< sectors that it fetches
        Served served = Served::hit;
        Time taken = 0;    ///< when the slice took it from the port
        Time queued = 0;   ///< when it entered the DRAM's queue; 0: it did not
        Time started = 0;  ///< when a bank began to serve it
        Time ready = 0;    ///< when its data were back in the slice
        Time replied = 0;  ///< when the slice answered it; 0: not yet

        void fields(StateArchive& archive) {
            archive& requester& number& mshr& sectors& served& taken& queued& started& ready& replied;
        }
    };

    void take(const Sample& sample) {
        open_.push_back(static_cast<std::uint32_t>(samples_.size()));
        samples_.push_back(sample);
    }
    /// Records the times of a fetch of these sectors for the register, which has come back.
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
        LOOKAHEAD_ASSERT(found != open_.end(), "a sampled request is answered that never arrived");
        samples_[*found].replied = now;
        open_.erase(found);
    }

    bool any_open() const { return !open_.empty(); }
    const std::vector<Sample>& all() const { return samples_; }

    void fields(StateArchive& archive) { archive& samples_& open_; }

  private:
    std::vector<Sample> samples_;
    std::vector<std::uint32_t> open_;  ///< indices of the samples that are not answered
};

/// Performs the operations of all lanes on a line's bytes, one after another. `values`, unless it is null, gets the
/// value that each lane found.
void perform_atomic(const AtomicRequest& request, std::byte* line, AtomicValue* values);

/// Performs requests on lines that have the bytes they need, and answers them.
class L2Operations {
  public:
    struct Environment {
        const CrossbarParameters& crossbar;
        const ClockDomain& clock;
        OutPort& replies;  ///< to the requesters, with one destination for each
        unsigned requesters;
        unsigned channel;
    };
    /// `counters` counts the lanes of atomics.
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
    std::uint64_t writes_ = 0;  ///< writes and reductions
    std::uint64_t atomics_ = 0;
};

}  // namespace lookahead::gpu
