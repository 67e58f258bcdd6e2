#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

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

}  // namespace lookahead::gpu
