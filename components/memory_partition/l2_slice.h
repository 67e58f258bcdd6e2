#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "components/interconnect/crossbar/ejection_port.h"
#include "components/interconnect/crossbar/packet_ring.h"
#include "components/memory_partition/address_mapping.h"
#include "components/memory_partition/l2_contents.h"
#include "components/memory_partition/l2_counters.h"
#include "components/memory_partition/l2_operations.h"
#include "components/memory_partition/l2_parameters.h"
#include "components/memory_partition/mshr_file.h"
#include "components/protocols/ports.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics_visitor.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// The input of a slice: its crossbar port and, with `l2.input_latency`, a pipeline between port and tags. The port
/// stops while `l2.input_queue` requests wait for the tags.
class SliceInput {
  public:
    SliceInput(const L2Parameters& parameters, const CrossbarParameters& crossbar, const ClockDomain& clock,
               OutPort& replies, unsigned requesters)
        : port_(crossbar, crossbar.reply_latency, clock, replies, requesters),
          latency_(parameters.input_latency),
          most_waiting_(static_cast<unsigned>(parameters.input_queue)),
          requests_(places(parameters) * kMessageBytes, kMessageBytes),
          ready_(places(parameters)) {}

    EjectionPort& port() { return port_; }
    const EjectionPort& port() const { return port_; }
    bool delays() const { return latency_ > 0; }
    bool empty() const { return port_.empty() && requests_.empty(); }

    /// Takes a request of the port into the pipeline.
    void enter(Cycle now) {
        if (!delays() || full(now)) { return; }
        if (const MessageHeader* request = port_.front(now); request != nullptr) {
            requests_.push_copy(*request);
            ready_.push() = now + latency_;
            port_.pop(now);
        }
    }
    /// Least cycle > `now` in which enter() has work.
    Cycle next_entry(Cycle now) const { return delays() && !full(now + 1) ? port_.next_event(now) : kCycleInfinity; }

    /// The request whose tags can be looked up; nullptr if none.
    const MessageHeader* front(Cycle now) const {
        if (!delays()) { return port_.front(now); }
        return !requests_.empty() && ready_.front() <= now ? &requests_.front() : nullptr;
    }
    static unsigned source_of(const MessageHeader& request) { return request.in_port & (kMaximumRequesters - 1); }
    /// Least cycle > `now` in which there is a front if nothing more comes.
    Cycle next_front(Cycle now) const {
        if (!delays()) { return port_.next_event(now); }
        return requests_.empty() ? kCycleInfinity : std::max(ready_.front(), now + 1);
    }
    void pop(Cycle now) {
        if (!delays()) { return port_.pop(now); }
        requests_.pop();
        ready_.pop();
    }

    void fields(StateArchive& archive) {
        archive& port_;
        if (delays()) {
            archive& requests_;
            ready_.fields(archive, [&](Cycle& each) { archive& each; });
        }
    }

  private:
    static constexpr std::size_t kMessageBytes = sizeof(MessageHeader) + kMaximumPayloadBytes;
    /// The port takes one request a cycle.
    static std::size_t places(const L2Parameters& parameters) {
        return static_cast<std::size_t>(parameters.input_latency + parameters.input_queue + 1);
    }
    /// Whether as many requests as allowed wait for the tags in cycle `now`.
    bool full(Cycle now) const { return ready_.size() >= most_waiting_ && ready_[most_waiting_ - 1] <= now; }

    EjectionPort port_;
    Cycle latency_;
    unsigned most_waiting_;
    PacketRing requests_;  ///< between the port and the tags
    Ring<Cycle> ready_;    ///< for each request, the first cycle in which its tags may be looked up
};

/// A slice of the L2 cache between its crossbar port and the DRAM channel: one access per cycle, write-back, and
/// write-allocate without fetch (or with it: L2Parameters::fetch_on_write). Cycles are of the clock that network and
/// slices share.
///
/// Order: requests are performed in the order of the port. While a line awaits its fill, every request to it, also
/// writes and atomics, joins the line's register; when the fill comes they are performed one after another before any
/// other request. So the requests of one requester to one line are performed, and answered, in the order in which they
/// were sent. A request without room delays all later ones.
///
/// With sectors, only sectors with a requested missing byte are fetched. A request that joins a line's register has its
/// missing sectors fetched at once; fetched sectors are used in the order of the requests.
///
/// A write is acknowledged when the slice has performed it: from then on every request reads it.
class L2Slice : private PacketRow {
  public:
    /// A slice's request to its DRAM channel.
    struct DramAccess {
        std::uint64_t local = 0;
        std::uint16_t mshr = 0;  ///< of a fetch
        SectorMask sectors = kAllSectors;
        bool write = false;

        void fields(StateArchive& archive) { archive& local& mshr& sectors& write; }
    };
    struct Environment {
        const CrossbarParameters& crossbar;
        const AddressMapping& mapping;
        const ClockDomain& clock;
        MemoryImage& image;  ///< of the channel, shared by its slices, each of which has lines of its own
        OutPort& replies;    ///< to the requesters, with one destination for each
        unsigned requesters;
        unsigned channel = 0;
    };

    L2Slice(const L2Parameters& parameters, const Environment& environment);

    /// Takes a message of requester `source` (a request, or credits for the reply port) that arrived in cycle `now`.
    void receive(const MessageHeader& message, unsigned source, Cycle now);
    /// Takes sectors that come back from DRAM and may be used from cycle `ready` on. Call it in the order of `ready`.
    void receive_fill(std::uint16_t mshr, SectorMask sectors, Cycle ready);

    Cycle next_cycle() const { return next_cycle_; }
    /// Does the work of cycle `now` == next_cycle(). Returns whether it took a fill.
    bool cycle(Cycle now);

    bool wants_dram() const { return !queue_.empty(); }
    const DramAccess& dram_access() const { return queue_.front(); }
    /// Call it when the DRAM has accepted dram_access(); the slice sees the room from cycle `now` on.
    void pop_dram_access(Cycle now);
    /// The same for the lowest sector of dram_access(), a fetch of several sectors; the others remain.
    void pop_dram_sector();

    /// For the host's copies between kernels.
    L2Contents& contents() { return contents_; }
    /// The sampled requests.
    RequestSamples& samples() { return operations_.samples(); }
    const RequestSamples& samples() const { return operations_.samples(); }

    bool idle() const { return input_.empty() && operations_.replies().empty() && mshrs_.empty() && queue_.empty(); }
    std::string waiting_for() const;
    /// The slice's part of LogicalProcess::audit; `slice` is its number over the machine.
    void audit(Audit& audit, const std::string& name, std::uint32_t slice) const;
    std::uint64_t dram_reads() const { return dram_reads_; }
    std::uint64_t dram_writes() const { return dram_writes_; }
    unsigned reply_credits(unsigned requester) const { return operations_.replies().credits(requester); }
    unsigned withheld_credits(unsigned requester) const { return input_.port().withheld_credits(requester); }
    const L2Counters& counters() const { return counters_; }

    void visit_statistics(StatisticsVisitor& visitor, const std::string& name) const;
    void fields(StateArchive& archive);

  private:
    friend struct AuditSabotage;

    struct Fill {
        std::uint16_t mshr;
        SectorMask sectors;
        Cycle ready;

        void fields(StateArchive& archive) { archive& mshr& sectors& ready; }
    };

    std::uint64_t row_of(const MessageHeader& request) const override;
    void serve_port(Cycle now);
    void hold_port(const MessageHeader& request, bool hits, std::uint64_t written_before, Cycle now);
    bool drain_fill(Cycle now);
    void begin_fill();
    bool can_perform_front(std::uint32_t line) const;
    Cycle plan(Cycle now, bool freed) const;
    void wake(Cycle now) { next_cycle_ = std::min(next_cycle_, std::max(now, busy_until_)); }

    L2Stall access(const MessageHeader& request, unsigned source, Cycle now);
    L2Stall merge(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now);
    L2Stall fetch(std::uint32_t line, unsigned set, std::uint64_t local, const MessageHeader& request, unsigned source,
                  Cycle now);
    void sample(const MessageHeader& request, unsigned source, RequestSamples::Served served, Cycle now,
                std::uint16_t mshr = 0);
    L2Stall allocate_and_write(unsigned set, std::uint64_t local, const MessageHeader& request, unsigned source,
                               Cycle now);
    void replace(std::uint32_t line, std::uint64_t local);
    void pass_on(const MessageHeader& request, std::uint64_t local);
    void enqueue(const DramAccess& access);
    unsigned queue_room() const { return queue_.capacity() - queue_.size(); }
    void fetch_sectors(std::uint16_t mshr, std::uint64_t local, SectorMask sectors);

    void perform(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now);

    unsigned port_bytes_;
    bool sectored_;
    bool fetch_on_write_;
    const AddressMapping& mapping_;
    const ClockDomain& clock_;
    L2Counters counters_;
    L2Contents contents_;
    L2Operations operations_;
    L2Cache& cache_;  ///< the lines of contents_
    SliceInput input_;
    MshrFile mshrs_;

    Ring<DramAccess> queue_;  ///< requests to the DRAM
    Ring<Fill> fills_;        ///< fetches that came back; has room for all sectors that registers can await
    std::uint16_t draining_ = L2Cache::kNoMshr;

    Cycle next_cycle_ = kCycleInfinity;
    Cycle busy_until_ = 0;
    L2StallClock stall_;
    // Counts for the audit.
    std::uint64_t dram_reads_ = 0;
    std::uint64_t dram_writes_ = 0;
};

}  // namespace lookahead::gpu
