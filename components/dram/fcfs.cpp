#include "components/dram/dram_scheduler.h"
#include "core/bits/ring.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {
namespace {

/// First come, first served: requests go to their banks in the order of arrival, reads and writes alike. Banks work in
/// parallel; a request whose bank is busy delays all later ones.
class FcfsScheduler final : public DramScheduler {
  public:
    explicit FcfsScheduler(const DramSchedulerShape& shape) : ring_(shape.entries) {}

    void add(const DramRequest& request) override {
        LOOKAHEAD_ASSERT(!ring_.full(), "the DRAM scheduler was given more requests than it has entries");
        ring_.push() = request;
    }

    std::uint64_t eligible_banks() const override { return ring_.empty() ? 0 : std::uint64_t{1} << ring_.front().bank; }

    DramRequest take(unsigned, std::uint64_t) override {
        const DramRequest request = ring_.front();
        ring_.pop();
        return request;
    }

    void fields(StateArchive& archive) override {
        ring_.fields(archive, [&](DramRequest& request) { archive& request; });
    }

  private:
    Ring<DramRequest> ring_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(DramScheduler, FcfsScheduler, "fcfs", "Serves requests in the order of their arrival.",
                           "Rixner et al., Memory Access Scheduling, ISCA 2000: the baseline")

}  // namespace lookahead::gpu
