#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "components/memory_partition/address_mapping.h"
#include "components/sm/lsu/request_path.h"
#include "core/bits/ring.h"
#include "core/lp/audit.h"
#include "core/mutation/rule.h"
#include "core/param/configuration.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct BatchParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, entries, 4, {1, 64, "batch"},
                        {.help = "Batches that the unit holds, including those that are leaving.",
                         .source = "Crago et al., TACO 2018, table 1: 4 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, requests, 16, {1, 64, "request"},
                        {.help = "Requests of a batch.",
                         .source = "choice: the 16 lines of the table's DRAM row of 2 KB"});
    LOOKAHEAD_PARAMETER(std::int64_t, store_entries, 16, {1, 1024, "request"},
                        {.help = "Stores and atomics, whose data are held beside the batches.",
                         .source = "Crago et al., table 1: 16-entry store data buffer"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, age, 16, {1, 4096, "cycle"},
        {.help = "SM cycles from a batch's first request until the batch leaves, full or not.",
         .source = "choice: at one request per cycle, a batch fills in as many cycles; the paper does not say"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Why a batch is sent.
enum class BatchEnd : std::uint8_t { full, replaced, drained, atomic, data, age, count };
inline constexpr std::size_t kBatchEnds = static_cast<std::size_t>(BatchEnd::count);

/// Bins of the histogram of requests in a batch.
inline constexpr std::size_t kBatchSizes = 7;
inline constexpr Histogram<kBatchSizes>::Edges kBatchEdges = doubling_edges<kBatchSizes>(1);

/// Counts of one SM's batching unit. Once all batches are sent, batches = the sum of `ends`.
struct BatchCounters {
    LOOKAHEAD_COUNTER(requests, "request", "Requests that entered the unit.");
    LOOKAHEAD_COUNTER(with_data, "request",
                      "Part of requests: stores and atomics, whose data the store data buffer holds.");
    LOOKAHEAD_COUNTER(batches, "batch", "Batches that were opened.");
    LOOKAHEAD_COUNTER(joined, "request", "Requests that joined a batch that was open.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle", "Cycles from entering the unit to leaving it, over all requests.");
    LOOKAHEAD_COUNTERS(ends, kBatchEnds, {"ends_full", "batch", "Batches that left because they were full."},
                       {"ends_replaced", "batch", "Batches that left because another row needed an entry."},
                       {"ends_drained", "batch", "Batches that left for a fence, a release or the kernel's end."},
                       {"ends_atomic", "batch", "Batches that left for an atomic."},
                       {"ends_data", "batch", "Batches that left because the store data buffer was full."},
                       {"ends_age", "batch", "Batches that left because of their age."});
    LOOKAHEAD_HISTOGRAM(sizes, kBatchSizes, "request", "Requests of a batch when it begins to leave.",
                        lookahead::gpu::kBatchEdges);
    LOOKAHEAD_ALL_DECLARED;
};

namespace {

/// A row of a DRAM bank.
struct DramRow {
    std::uint32_t channel = 0;
    std::uint32_t bank = 0;
    std::uint64_t row = 0;
    bool operator==(const DramRow&) const = default;
};

void copy(const QueuedRequest& from, Cycle taken, QueuedRequest& to) {
    to.due = taken;
    to.line = from.line;
    to.type = from.type;
    to.bytes = from.bytes;
    std::memcpy(to.payload, from.payload, from.bytes);
}

bool carries_data(const QueuedRequest& request) {
    return request.type != GpuMessage::read_request;
}

/// An SM's batching unit (Kim et al., PACT 2011, as in Crago et al., TACO 2018): it gathers L1's requests for one row
/// of DRAM and sends them one after another. README.md has the rules and choices.
///
/// A batch is open until it starts to leave; batches leave one by one, in that order. All requests of a line are of one
/// row, so they are in one batch, or the earlier ones in a batch that leaves first.
class BatchingUnit final : public RequestPath {
  public:
    using Parameters = BatchParameters;

    BatchingUnit(const Parameters& parameters, const RequestPathArguments& arguments)
        : most_data_(static_cast<unsigned>(parameters.store_entries)),
          age_(parameters.age),
          mapping_(arguments.configuration.read<AddressMappingParameters>("address_mapping")),
          batches_(static_cast<std::size_t>(parameters.entries), Batch(static_cast<unsigned>(parameters.requests))) {
        leaving_.reserve(batches_.size());
    }

    bool can_take(const QueuedRequest& request) const override {
        return !waits_ && (!carries_data(request) || data_ < most_data_);
    }

    void take(const QueuedRequest& request, Cycle now) override {
        end_aged(now);
        ++counters_.requests;
        counters_.with_data += carries_data(request);
        data_ += carries_data(request);
        const DramRow row = row_of(request.line);
        if (Batch* batch = open_batch(row); batch != nullptr) {
            ++counters_.joined;
            add(*batch, request, now);
        } else if (batch = free_batch(); batch != nullptr) {
            open(*batch, row, request, now);
        } else {
            copy(request, now, waiting_);
            waits_ = true;
            end_oldest(BatchEnd::replaced, false);
        }
        if (LOOKAHEAD_RULE(atomic_ends_batches) && request.type == GpuMessage::atomic_request) {
            end_all(BatchEnd::atomic);
        }
        if (LOOKAHEAD_RULE(full_data_buffer_ends_batch) && data_ == most_data_) { end_oldest(BatchEnd::data, true); }
    }

    const QueuedRequest* next(Cycle now, bool drain) override {
        end_aged(now);
        if (LOOKAHEAD_RULE(drain_ends_batches) && drain) { end_all(BatchEnd::drained); }
        return leaving_.empty() ? nullptr : &batches_[leaving_.front()].requests.front();
    }

    void sent(Cycle now) override {
        Batch& batch = batches_[leaving_.front()];
        const QueuedRequest& request = batch.requests.front();
        counters_.wait_cycles += static_cast<std::uint64_t>(now - request.due);
        data_ -= carries_data(request);
        batch.requests.pop();
        if (!batch.requests.empty()) { return; }
        batch.use = Use::free;
        leaving_.erase(leaving_.begin());
        if (waits_) {
            waits_ = false;
            open(batch, row_of(waiting_.line), waiting_, waiting_.due);
            if (waiting_.type == GpuMessage::atomic_request && batch.use == Use::open) { end(batch, BatchEnd::atomic); }
        }
    }

    Cycle next_event(Cycle now, bool drain) const override {
        if (!leaving_.empty()) { return now + 1; }
        Cycle next = kCycleInfinity;
        for (const Batch& batch : batches_) {
            if (batch.use == Use::open) {
                next = std::min(next, drain ? now + 1 : std::max(now + 1, batch.opened + age_));
            }
        }
        return next;
    }

    unsigned size() const override {
        unsigned size = waits_;
        for (const Batch& batch : batches_) { size += batch.requests.size(); }
        return size;
    }

    void audit(Audit& audit, const std::string& sm) const override {
        audit.leak(sm, "places of the batching unit's store data buffer", data_);
    }
    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override {
        visit(visitor, sm, "batch", counters_);
    }
    void fields(StateArchive& archive) override {
        for (Batch& batch : batches_) {
            archive& batch.use& batch.opened& batch.row.channel& batch.row.bank& batch.row.row;
            batch.requests.fields(archive, [&](QueuedRequest& request) { archive& request; });
        }
        archive& leaving_& data_& waits_& counters_;
        if (waits_) { archive& waiting_; }
    }

  private:
    enum class Use : std::uint8_t { free, open, leaving };
    struct Batch {
        explicit Batch(unsigned size) : requests(size) {}
        Use use = Use::free;
        Cycle opened = 0;  ///< when its first request entered
        DramRow row;
        Ring<QueuedRequest> requests;  ///< `due`: when each entered
    };

    DramRow row_of(std::uint64_t line) const {
        const DramAddress place = mapping_.decode(mapping_.local_address(line));
        return {mapping_.channel(line), place.bank, place.row};
    }
    Batch* open_batch(const DramRow& row) {
        const auto found = std::find_if(batches_.begin(), batches_.end(),
                                        [&](const Batch& batch) { return batch.row == row && batch.use == Use::open; });
        return found == batches_.end() ? nullptr : &*found;
    }
    Batch* free_batch() {
        const auto found = std::ranges::find(batches_, Use::free, &Batch::use);
        return found == batches_.end() ? nullptr : &*found;
    }

    void open(Batch& batch, const DramRow& row, const QueuedRequest& request, Cycle entered) {
        ++counters_.batches;
        batch.use = Use::open;
        batch.opened = entered;
        batch.row = row;
        add(batch, request, entered);
    }
    void add(Batch& batch, const QueuedRequest& request, Cycle entered) {
        copy(request, entered, batch.requests.push());
        if (batch.requests.full() && batch.use == Use::open) { end(batch, BatchEnd::full); }
    }

    /// Starts sending the batch, after those that are leaving already.
    void end(Batch& batch, BatchEnd why) {
        batch.use = Use::leaving;
        leaving_.push_back(static_cast<std::uint8_t>(&batch - batches_.data()));
        ++counters_.ends[static_cast<std::size_t>(why)];
        counters_.sizes.add(batch.requests.size(), kBatchEdges);
    }
    /// The batch that was opened first; with `with_data`, among those that hold data.
    Batch* oldest(bool with_data) {
        Batch* oldest = nullptr;
        for (Batch& batch : batches_) {
            const bool may = batch.use == Use::open && (!with_data || holds_data(batch));
            if (may && (oldest == nullptr || batch.opened < oldest->opened)) { oldest = &batch; }
        }
        return oldest;
    }
    static bool holds_data(const Batch& batch) {
        for (std::uint32_t i = 0; i < batch.requests.size(); ++i) {
            if (carries_data(batch.requests[i])) { return true; }
        }
        return false;
    }
    void end_oldest(BatchEnd why, bool with_data) {
        if (Batch* batch = oldest(with_data); batch != nullptr) { end(*batch, why); }
    }
    void end_all(BatchEnd why) {
        while (Batch* batch = oldest(false)) { end(*batch, why); }
    }
    void end_aged(Cycle now) {
        for (Batch* batch = oldest(false);
             LOOKAHEAD_RULE(old_batches_leave) && batch != nullptr && batch->opened + age_ <= now;
             batch = oldest(false)) {
            end(*batch, BatchEnd::age);
        }
    }

    unsigned most_data_;
    Cycle age_;
    AddressMapping mapping_;
    std::vector<Batch> batches_;
    std::vector<std::uint8_t> leaving_;  ///< in this order
    unsigned data_ = 0;                  ///< requests with data, including waiting_
    bool waits_ = false;
    QueuedRequest waiting_;  ///< for the first batch to leave
    BatchCounters counters_;
};

}  // namespace

LOOKAHEAD_REGISTER_STATISTICS(BatchCounters, "batch", "Batching unit of an SM.")
LOOKAHEAD_REGISTER_VARIANT(
    RequestPath, BatchingUnit, "batch",
    "Requests for one DRAM row gather and leave together; crossbar.row_grants keeps them together up to L2.",
    "Kim, Lee and Kim, PACT 2011; Yuan, Bakhoda and Aamodt, MICRO 2009")

}  // namespace lookahead::gpu
