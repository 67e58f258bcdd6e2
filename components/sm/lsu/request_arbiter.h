#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "components/cache/miss_queue.h"
#include "components/sm/constant/constant_cache.h"
#include "components/sm/lsu/access_order.h"
#include "components/sm/lsu/memory_port.h"
#include "components/sm/lsu/miss_samples.h"
#include "components/sm/lsu/request_path.h"
#include "components/sm/texture/texture_unit.h"

namespace lookahead::gpu {

/// Counts of the messages that an SM has exchanged with the memory network, which the audit compares with the slices'.
struct NetworkTraffic {
    std::uint64_t reads = 0;
    std::uint64_t read_replies = 0;
    std::uint64_t writes = 0;  ///< stores and reductions
    std::uint64_t acknowledgements = 0;
    std::uint64_t atomics = 0;  ///< requests for atomics with a result
    std::uint64_t atomic_replies = 0;
    std::uint64_t written_bytes = 0;  ///< those of atomics once for each lane

    void audit(Audit& audit, const std::string& name) const;
    void fields(StateArchive& archive) {
        archive& reads& read_replies& writes& acknowledgements& atomics& atomic_replies& written_bytes;
    }
};

/// Lines requested by caches of the SM other than L1D: queued for the network, and awaited.
class LineRequests {
  public:
    /// GPGPU-Sim's GTX480 configuration: miss queues of four entries.
    static constexpr unsigned kCapacity = 4;

    bool full() const { return queued_ == kCapacity; }
    bool empty() const { return queued_ == 0; }
    bool idle() const { return queued_ + awaited_ == 0; }

    void push(std::uint64_t line, SectorMask sectors, std::uint32_t reader, std::uint16_t sample) {
        queue_[(head_ + queued_) % kCapacity] = {
            .line = line, .tag = reader, .client = Client::read_only, .sectors = sectors, .sample = sample};
        ++queued_;
    }
    const ReadRequest& front() const { return queue_[head_]; }
    /// The first one has left.
    void sent() {
        head_ = (head_ + 1) % kCapacity;
        --queued_;
        ++awaited_;
    }
    /// Takes a reply to Client::read_only; returns its reader.
    std::uint32_t came(const ReadReply& reply) {
        --awaited_;
        return reply.tag;
    }

    void fields(StateArchive& archive) {
        archive& head_& queued_& awaited_;
        for (ReadRequest& request : queue_) {
            archive& request.line& request.tag& request.client& request.sectors& request.sample;
        }
    }

  private:
    std::array<ReadRequest, kCapacity> queue_{};
    std::uint32_t head_ = 0;
    std::uint32_t queued_ = 0;
    std::uint32_t awaited_ = 0;
};

/// Sends the SM's requests to the memory network, one per cycle. Lines for the instruction and constant caches go
/// first: they are few, and whole warps wait for each. L1D and the texture unit alternate if both have a request. L1D's
/// requests leave its miss queue directly or through the request path, if there is one.
class RequestArbiter {
  public:
    /// What a departed request makes room for.
    enum class Freed : std::uint8_t { nothing, line_request, l1_request };

    /// The references must outlive the arbiter.
    RequestArbiter(const Configuration& configuration, MemoryPort& port, MissQueue& l1, TextureUnit& texture,
                   AccessOrder& order, MissSamples& samples)
        : port_(port),
          l1_(l1),
          texture_(texture),
          order_(order),
          samples_(samples),
          path_(make_request_path(configuration)) {}

    bool can_request_line() const { return !lines_.full(); }
    /// As LoadStoreUnit::request_line.
    void request_line(std::uint64_t line, SectorMask sectors, std::uint32_t reader, Cycle now) {
        const bool constant = (reader & ConstantCache::kReader) != 0;
        const auto source = constant ? MissSamples::Source::constant : MissSamples::Source::instruction;
        lines_.push(line, sectors, reader, samples_.take(source, now));
    }
    /// Takes such a line; returns its reader.
    std::uint32_t line_came(const ReadReply& reply) { return lines_.came(reply); }

    /// Moves L1's requests through its miss queue and into the path. Call it once a cycle, before `send`. Returns true
    /// if the miss queue has more room.
    bool advance(Cycle now) {
        const bool moves = l1_.advance(now);
        return path_ == nullptr ? moves : enter_path(now) || moves;
    }
    /// Sends a request if there is one and the network takes it. `release_waits`: the oldest instruction is a release
    /// that waits for earlier accesses.
    Freed send(Cycle now, bool release_waits);
    /// Least cycle > `now` in which `advance` or `send` has work.
    Cycle next_event(Cycle now, bool release_waits) const;

    void begin_kernel() { ended_ = false; }
    /// The kernel's CTAs have ended, but perhaps not its accesses.
    void end_launch() { ended_ = true; }
    bool drained() const { return lines_.idle() && requests_in_path() == 0; }
    /// L1's requests that have not left.
    unsigned l1_requests() const { return l1_.size() + requests_in_path(); }

    NetworkTraffic& traffic() { return traffic_; }
    void audit(Audit& audit, const std::string& name) const;
    void visit_statistics(StatisticsVisitor& visitor, const std::string& name) const;
    /// Archives the path; `fields` archives everything else.
    void path_fields(StateArchive& archive);
    void fields(StateArchive& archive) { archive& texture_first_& traffic_& lines_; }

  private:
    friend struct AuditSabotage;

    unsigned requests_in_path() const { return path_ != nullptr ? path_->size() : 0; }
    /// Whether an instruction or the launch's end waits for earlier accesses.
    bool drains(bool release_waits) const { return ended_ || release_waits || order_.fences_wait(); }
    bool enter_path(Cycle now);
    void send_read(const ReadRequest& request, Cycle now);
    void note_read(const ReadRequest& request, Cycle now);
    void note_sent(const QueuedRequest& request, Cycle now);

    MemoryPort& port_;
    MissQueue& l1_;
    TextureUnit& texture_;
    AccessOrder& order_;
    MissSamples& samples_;
    std::unique_ptr<RequestPath> path_;  // null: direct
    bool ended_ = false;
    bool texture_first_ = false;  // whose turn it is if L1 and the texture unit have a request
    NetworkTraffic traffic_;
    LineRequests lines_;
};

}  // namespace lookahead::gpu
