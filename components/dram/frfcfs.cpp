#include <algorithm>
#include <vector>

#include "components/dram/dram_scheduler.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

struct FrfcfsParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, write_high, 32, {1, 1024, "request"},
                        {.help = "Writes are drained when this many wait, and when no read waits.",
                         .source = "half of the queue's 64 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, write_low, 16, {0, 1023, "request"},
                        {.help = "Draining ends when at most this many writes wait and a read waits.",
                         .source = "a quarter of the queue's 64 entries"});
    LOOKAHEAD_PARAMETER(bool, separate_writes, true,
                        {.help = "Writes wait in a queue of their own until they are drained; false: reads and writes "
                                 "share one queue, and a bank takes them by row and age.",
                         .source = "controllers drain writes together to turn the bus around less often. GPGPU-Sim's "
                                   "stock GTX 480 does not use its separate write queue"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu

namespace lookahead::gpu {
namespace {

/// First ready, first come, first served: the oldest request that hits the bank's open row, else the oldest. Reads go
/// before writes until these are drained, unless they share a queue.
class FrfcfsScheduler final : public DramScheduler {
  public:
    using Parameters = FrfcfsParameters;

    FrfcfsScheduler(const Parameters& parameters, const DramSchedulerShape& shape)
        : high_(std::min<std::uint64_t>(static_cast<std::uint64_t>(parameters.write_high), shape.entries)),
          low_(static_cast<std::uint64_t>(parameters.write_low)),
          separate_(parameters.separate_writes),
          requests_(shape.entries),
          next_(shape.entries, kNone),
          lists_(2 * shape.banks) {
        if (low_ >= high_) {
            throw ConfigurationError(
                "frfcfs.write_low is {}; it must be less than write_high and the DRAM's queue_entries", low_);
        }
        free_.reserve(shape.entries);
        for (unsigned i = shape.entries; i-- > 0;) { free_.push_back(i); }
    }

    void add(const DramRequest& request) override {
        LOOKAHEAD_ASSERT(!free_.empty(), "the DRAM scheduler was given more requests than it has entries");
        const std::uint32_t entry = free_.back();
        free_.pop_back();
        requests_[entry] = request;
        next_[entry] = kNone;
        const bool write = separate_ && request.write;
        List& list = list_of(request.bank, write);
        (list.tail == kNone ? list.head : next_[list.tail]) = entry;
        list.tail = entry;
        banks_[write] |= std::uint64_t{1} << request.bank;
        ++waiting_[write];
        choose_direction();
    }

    std::uint64_t eligible_banks() const override { return banks_[draining_]; }

    DramRequest take(unsigned bank, std::uint64_t open_row) override {
        List& list = list_of(bank, draining_);
        std::uint32_t before = kNone;
        std::uint32_t entry = list.head;
        while (entry != kNone && requests_[entry].row != open_row) {
            before = entry;
            entry = next_[entry];
        }
        if (entry == kNone) {
            before = kNone;
            entry = list.head;
        }
        remove(list, before, entry);
        const DramRequest request = requests_[entry];
        if (list.head == kNone) { banks_[draining_] &= ~(std::uint64_t{1} << bank); }
        --waiting_[draining_];
        choose_direction();
        return request;
    }

    void fields(StateArchive& archive) override {
        std::vector<DramRequest> all;
        for (const List& list : lists_) {
            for (std::uint32_t entry = list.head; entry != kNone; entry = next_[entry]) {
                all.push_back(requests_[entry]);
            }
        }
        archive& all;
        if (archive.loading()) {
            for (const DramRequest& request : all) { add(request); }
        }
        archive& draining_;  // may have been set by `add`
    }

  private:
    static constexpr std::uint32_t kNone = ~0u;
    struct List {
        std::uint32_t head = kNone;
        std::uint32_t tail = kNone;
    };

    List& list_of(unsigned bank, bool write) { return lists_[2 * bank + write]; }

    void remove(List& list, std::uint32_t before, std::uint32_t entry) {
        (before == kNone ? list.head : next_[before]) = next_[entry];
        if (list.tail == entry) { list.tail = before; }
        free_.push_back(entry);
    }

    void choose_direction() {
        if (draining_) {
            draining_ = waiting_[1] > 0 && (waiting_[1] > low_ || waiting_[0] == 0);
        } else {
            draining_ = waiting_[1] >= high_ || (waiting_[0] == 0 && waiting_[1] > 0);
        }
    }

    std::uint64_t high_;
    std::uint64_t low_;
    bool separate_;
    std::vector<DramRequest> requests_;
    std::vector<std::uint32_t> next_;
    std::vector<List> lists_;  ///< by bank; reads, then writes; in order of arrival
    std::vector<std::uint32_t> free_;
    std::uint64_t banks_[2] = {0, 0};    ///< banks for which reads wait, and those for which writes wait
    std::uint64_t waiting_[2] = {0, 0};  ///< the number of waiting reads, and of waiting writes
    bool draining_ = false;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(
    DramScheduler, FrfcfsScheduler, "frfcfs",
    "Serves the oldest request to the open row, else the oldest; reads first, writes drained together.",
    "Rixner et al., Memory Access Scheduling, ISCA 2000")

}  // namespace lookahead::gpu
