#pragma once

#include <cstdint>

#include "components/interconnect/crossbar/injection_port.h"
#include "components/memory_partition/far_copies.h"
#include "components/memory_partition/l2_contents.h"
#include "components/memory_partition/l2_counters.h"
#include "components/memory_partition/l2_parameters.h"
#include "components/memory_partition/request_samples.h"
#include "core/state/state_archive.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

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
