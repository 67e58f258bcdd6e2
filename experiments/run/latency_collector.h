#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/lp/logical_process.h"
#include "core/time/time.h"
#include "experiments/results/run_record.h"

namespace lookahead {

/// Combines the records of SMs and L2 slices on the sampled misses of a run. Rank 0 merges the other ranks' records.
class LatencyCollector {
  public:
    void add(const LogicalProcess& process);

    std::string to_bytes() const;
    void merge(std::string_view bytes);

    /// Fills record.latency, by SM and number of the sample. Samples under way at the end are left out.
    void write_into(RunRecord& record);

  private:
    /// The SM's side of a sample: in the miss queue, sent, reply, data in the registers.
    struct Miss {
        std::uint32_t sm;
        std::uint32_t number;
        std::uint64_t source;  ///< MissSamples::Source
        Time queued, sent, came, filled;

        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& sm& number& source& queued& sent& came& filled;
        }
    };
    /// The memory partition's side.
    struct Request {
        std::uint32_t sm;
        std::uint32_t number;
        std::uint32_t channel;
        std::uint16_t slice;
        std::uint16_t served;
        Time taken, queued, started, ready, replied;

        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& sm& number& channel& slice& served& taken& queued& started& ready& replied;
        }
    };

    std::vector<Miss> misses_;
    std::vector<Request> requests_;
};

}  // namespace lookahead
