#include "components/cache/read_only_cache.h"

#include <algorithm>

#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

ReadOnlyCache::Answer ReadOnlyCache::access(std::uint64_t line, unsigned reader, bool can_ask) {
    return look_up(line, Readers::of(reader), can_ask);
}

ReadOnlyCache::Answer ReadOnlyCache::look_up(std::uint64_t line, Readers reader, bool can_ask) {
    Line* set = set_of(line);
    for (Line* way = set; way < set + ways_; ++way) {
        if (way->address == line) {
            way->used = ++uses_;
            ++counters_.hits;
            return Answer::hit;
        }
    }
    return miss(line, reader, can_ask);
}

ReadOnlyCache::Answer ReadOnlyCache::miss(std::uint64_t line, Readers reader, bool can_ask) {
    Miss* free = nullptr;
    for (Miss& each : mshrs_) {
        if (!each.used) {
            free = free == nullptr ? &each : free;
        } else if (each.address == line) {
            if (each.readers.count() >= merges_) {
                return refuse();
            }
            each.readers |= reader;
            ++counters_.merges;
            return Answer::merged;
        }
    }
    if (free == nullptr || !can_ask) {
        return refuse();
    }
    *free = {line, reader, true};
    last_miss_ = static_cast<unsigned>(free - mshrs_.data());
    ++counters_.misses;
    return Answer::missed;
}

ReadOnlyCache::Readers ReadOnlyCache::fill(unsigned miss) {
    Miss& entry = mshrs_[miss];
    Line* set = set_of(entry.address);
    Line& victim = *std::min_element(set, set + ways_, [](const Line& a, const Line& b) { return a.used < b.used; });
    victim = {entry.address, ++uses_};
    const Readers readers = entry.readers;
    entry = {};
    return readers;
}

LOOKAHEAD_REGISTER_PARAMETERS(ReadOnlyCacheParameters, "l1i", "Instruction cache of an SM.")
LOOKAHEAD_REGISTER_STATISTICS(ReadOnlyCacheCounters, "read_only_cache", "Instruction or constant cache of an SM")

}  // namespace lookahead::gpu
