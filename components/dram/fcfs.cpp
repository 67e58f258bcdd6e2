#include <vector>

#include "components/dram/dram_scheduler.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {
namespace {

/// First come, first served: requests go to their banks in the order of arrival, reads and writes alike. Banks work at
/// the same time; a request whose bank is busy holds up all behind it.
class FcfsScheduler final : public DramScheduler {
  public:
    explicit FcfsScheduler(const DramSchedulerShape& shape) : ring_(shape.entries) {}

    void add(const DramRequest& request) override {
        LOOKAHEAD_ASSERT(count_ < ring_.size(), "the DRAM scheduler was given more requests than it has entries");
        at(count_) = request;
        ++count_;
    }

    std::uint64_t eligible_banks() const override { return count_ == 0 ? 0 : std::uint64_t{1} << ring_[head_].bank; }

    DramRequest take(unsigned, std::uint64_t) override {
        const DramRequest request = ring_[head_];
        head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
        --count_;
        return request;
    }

    void fields(StateArchive& archive) override {
        std::vector<DramRequest> all;
        for (std::size_t i = 0; i < count_; ++i) {
            all.push_back(at(i));
        }
        archive& all;
        if (archive.loading()) {
            count_ = 0;
            for (const DramRequest& request : all) {
                add(request);
            }
        }
    }

  private:
    std::size_t place(std::size_t i) const {
        const std::size_t sum = head_ + i;
        return sum >= ring_.size() ? sum - ring_.size() : sum;
    }
    DramRequest& at(std::size_t i) { return ring_[place(i)]; }
    const DramRequest& at(std::size_t i) const { return ring_[place(i)]; }

    std::vector<DramRequest> ring_;
    std::size_t head_ = 0;
    std::size_t count_ = 0;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(DramScheduler, FcfsScheduler, "fcfs", "Requests in the order of their arrival.",
                           "Rixner et al., Memory Access Scheduling, ISCA 2000: the baseline")

}  // namespace lookahead::gpu
