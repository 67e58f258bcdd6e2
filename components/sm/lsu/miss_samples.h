#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/stats/state_hasher.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// When some misses of L1 passed the SM's stages: every kEvery-th, up to kMost of them. A sample's number, from 1 on,
/// travels with its request and reply (ReadRequest::sample), and the L2 slice keeps the times of its own stages.
class MissSamples {
  public:
    static constexpr std::uint64_t kEvery = 64;
    static constexpr std::size_t kMost = 1024;

    struct Sample {
        Cycle queued = 0;  ///< in the miss queue
        Cycle sent = 0;    ///< to the memory network
        Cycle came = 0;    ///< the reply; 0: not yet
        Cycle filled = 0;  ///< the waiting loads have their data
    };

    /// Counts a miss; true: it is to be sampled, by begin().
    bool due() { return --until_next_ == 0; }
    std::uint16_t begin(Cycle now) {
        samples_.push_back({.queued = now});
        until_next_ = samples_.size() < kMost ? kEvery : std::numeric_limits<std::uint64_t>::max();
        return static_cast<std::uint16_t>(samples_.size());
    }
    void sent(std::uint16_t number, Cycle now) { samples_[number - 1u].sent = now; }
    void came(std::uint16_t number, Cycle now, Cycle filled) {
        samples_[number - 1u].came = now;
        samples_[number - 1u].filled = filled;
    }

    /// By number, less 1.
    const std::vector<Sample>& all() const { return samples_; }

    void hash_state(StateHasher& hasher) const {
        hasher.add(until_next_);
        hasher.add_bytes(samples_.data(), samples_.size() * sizeof(Sample));
    }
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        std::uint64_t count = samples_.size();
        archive& until_next_& count;
        samples_.resize(count);
        for (Sample& each : samples_) {
            archive& each.queued& each.sent& each.came& each.filled;
        }
    }

  private:
    std::uint64_t until_next_ = 1;
    std::vector<Sample> samples_;
};

}  // namespace lookahead::gpu
