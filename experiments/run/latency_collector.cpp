#include "experiments/run/latency_collector.h"

#include <algorithm>
#include <array>
#include <boost/serialization/vector.hpp>
#include <tuple>

#include <fmt/format.h>

#include "components/memory_partition/memory_partition.h"
#include "components/sm/lsu/miss_samples.h"
#include "core/checkpoint/archived.h"

namespace lookahead {
namespace {

constexpr std::array kServed{"hit", "merge", "dram"};
/// In the order of MissSamples::Source.
constexpr std::array kSources{"global", "local", "constant", "texture", "instruction"};
static_assert(kSources.size() == gpu::MissSamples::kSources);
constexpr std::array kStages{"miss_queue", "network_there", "l2", "dram_queue", "dram", "network_back", "fill"};

auto key = [](const auto& row) { return std::tuple(row.sm, row.number); };

}  // namespace

void LatencyCollector::add(const LogicalProcess& process) {
    if (const auto* sm = dynamic_cast<const gpu::MissSampler*>(&process)) {
        if (const gpu::MissSamples* samples = sm->miss_samples(); samples != nullptr) {
            const ClockDomain& clock = sm->clock();
            for (std::uint32_t i = 0; i < samples->all().size(); ++i) {
                const auto& each = samples->all()[i];
                if (each.came != 0) {
                    misses_.push_back({sm->number(), i + 1, static_cast<std::uint64_t>(each.source),
                                       clock.edge(each.queued), clock.edge(each.sent), clock.edge(each.came),
                                       clock.edge(each.filled)});
                }
            }
        }
    } else if (const auto* partition = dynamic_cast<const gpu::MemoryPartition*>(&process)) {
        for (std::uint16_t slice = 0; slice < partition->slices(); ++slice) {
            for (const auto& each : partition->slice(slice).samples().all()) {
                requests_.push_back({each.requester, each.number, partition->channel(), slice,
                                     static_cast<std::uint16_t>(each.served), each.taken, each.queued, each.started,
                                     each.ready, each.replied});
            }
        }
    }
}

std::string LatencyCollector::to_bytes() const {
    return archived(misses_, requests_);
}

void LatencyCollector::merge(std::string_view bytes) {
    LatencyCollector other;
    read_archived(bytes, "the latencies of another rank", other.misses_, other.requests_);
    misses_.insert(misses_.end(), other.misses_.begin(), other.misses_.end());
    requests_.insert(requests_.end(), other.requests_.begin(), other.requests_.end());
}

void LatencyCollector::write_into(RunRecord& record) {
    std::ranges::sort(misses_, {}, key);
    std::ranges::sort(requests_, {}, key);
    LatencySamples& latency = record.latency;
    latency.stages.assign(kStages.begin(), kStages.end());
    auto request = requests_.begin();
    for (const Miss& miss : misses_) {
        while (request != requests_.end() && key(*request) < key(miss)) { ++request; }
        if (request == requests_.end() || key(*request) != key(miss)) {
            continue;  // this SM's memory takes no samples
        }
        latency.sms.push_back(fmt::format("sm{}", miss.sm));
        latency.slices.push_back(fmt::format("partition{}.slice{}", request->channel, request->slice));
        latency.served.emplace_back(kServed[request->served]);
        latency.sources.emplace_back(kSources[miss.source]);
        latency.start_fs.push_back(miss.queued);
        latency.end_fs.push_back(miss.filled);
        const Time in_dram = request->ready - request->queued;
        const std::array<Time, kStages.size()> durations{miss.sent - miss.queued,
                                                         request->taken - miss.sent,
                                                         request->replied - request->taken - in_dram,
                                                         request->started - request->queued,
                                                         request->ready - request->started,
                                                         miss.came - request->replied,
                                                         miss.filled - miss.came};
        latency.durations_fs.insert(latency.durations_fs.end(), durations.begin(), durations.end());
    }
}

}  // namespace lookahead
