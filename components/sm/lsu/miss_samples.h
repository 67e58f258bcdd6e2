#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/state/state_archive.h"
#include "core/time/clock_domain.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// When some misses of the SM's caches passed its stages: every kEvery-th of each source, up to kMost. A sample's
/// number, from 1 on, travels with its request and reply (ReadRequest::sample); the L2 slice records its own stages.
class MissSamples {
  public:
    /// The source of a miss: loads through L1D, or one of the other caches.
    enum class Source : std::uint8_t { global, local, constant, texture, instruction, count };
    static constexpr std::size_t kSources = static_cast<std::size_t>(Source::count);
    static constexpr std::uint64_t kEvery = 64;
    static constexpr std::size_t kMost = 1024;

    struct Sample {
        Cycle queued = 0;  ///< in the miss queue
        Cycle sent = 0;    ///< to the memory network
        Cycle came = 0;    ///< the reply; 0: not yet
        Cycle filled = 0;  ///< the waiting loads have their data
        Source source = Source::global;

        void fields(StateArchive& archive) { archive& queued& sent& came& filled& source; }
    };

    MissSamples() { until_next_.fill(1); }

    /// Counts a miss; returns true if begin() is to sample it.
    bool due(Source source) { return --until_next_[static_cast<std::size_t>(source)] == 0; }
    std::uint16_t begin(Source source, Cycle now) {
        samples_.push_back({.queued = now, .source = source});
        until_next_[static_cast<std::size_t>(source)] =
            begun(source) < kMost ? kEvery : std::numeric_limits<std::uint64_t>::max();
        return static_cast<std::uint16_t>(samples_.size());
    }
    /// Counts a miss at `now`; returns its number if it is sampled, else 0.
    std::uint16_t take(Source source, Cycle now) { return due(source) ? begin(source, now) : std::uint16_t{0}; }
    /// Record a stage of a miss; the number 0 is ignored.
    void sent(std::uint16_t number, Cycle now) {
        if (number != 0) { samples_[number - 1u].sent = now; }
    }
    void came(std::uint16_t number, Cycle now, Cycle filled) {
        if (number != 0) {
            samples_[number - 1u].came = now;
            samples_[number - 1u].filled = filled;
        }
    }

    /// By number - 1.
    const std::vector<Sample>& all() const { return samples_; }

    void fields(StateArchive& archive) { archive& until_next_& samples_; }

  private:
    std::size_t begun(Source source) const {
        return static_cast<std::size_t>(std::ranges::count(samples_, source, &Sample::source));
    }

    std::array<std::uint64_t, kSources> until_next_;
    std::vector<Sample> samples_;
};

/// An SM, to those who read its samples.
class MissSampler {
  public:
    virtual ~MissSampler() = default;
    /// Null if its memory takes none.
    virtual const MissSamples* miss_samples() const = 0;
    /// Of the samples' cycles.
    virtual const ClockDomain& clock() const = 0;
    /// The SM's number.
    virtual std::uint32_t number() const = 0;
};

}  // namespace lookahead::gpu
