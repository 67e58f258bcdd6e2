#include "components/cache/read_only_cache.h"

#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

[[gnu::hot]] ReadOnlyCache::Answer ReadOnlyCache::access(std::uint64_t line, unsigned reader, bool can_ask) {
    return look_up(line, Readers::of(reader), can_ask);
}

[[gnu::hot]] ReadOnlyCache::Line* ReadOnlyCache::find(std::uint64_t line) {
    Line* const set = set_of(line);
    Line* const way = std::find_if(set, set + ways_, [line](const Line& each) { return each.address == line; });
    return way == set + ways_ ? nullptr : way;
}

ReadOnlyCache::Answer ReadOnlyCache::look_up(std::uint64_t line, Readers reader, bool can_ask) {
    if (Line* const way = find(line); way != nullptr) {
        way->used = ++uses_;
        last_place_ = static_cast<std::size_t>(way - lines_.data());
        ++counters_.hits;
        return Answer::hit;
    }
    return miss(line, reader, can_ask);
}

void ReadOnlyCache::touch(std::uint64_t line) {
    if (Line* const way = find(line); way != nullptr) { way->used = ++uses_; }
}

void ReadOnlyCache::clear() {
    std::ranges::fill(lines_, Line{});
    uses_ = 0;
}

unsigned ReadOnlyCache::awaited(std::uint64_t line) const {
    const auto entry =
        std::ranges::find_if(mshrs_, [line](const Miss& each) { return each.used && each.address == line; });
    return entry == mshrs_.end() ? kNoMiss : static_cast<unsigned>(entry - mshrs_.begin());
}

ReadOnlyCache::Answer ReadOnlyCache::miss(std::uint64_t line, Readers reader, bool can_ask) {
    Miss* free = nullptr;
    for (Miss& each : mshrs_) {
        if (!each.used) {
            free = free == nullptr ? &each : free;
        } else if (each.address == line) {
            if (each.readers.count() >= merges_) { return refuse(); }
            each.readers |= reader;
            ++counters_.merges;
            return Answer::merged;
        }
    }
    if (free == nullptr || !can_ask) { return refuse(); }
    await(*free, line, reader);
    ++counters_.misses;
    return Answer::missed;
}

ReadOnlyCache::Answer ReadOnlyCache::prefetch(std::uint64_t line, bool can_ask) {
    if (find(line) != nullptr) { return Answer::hit; }
    if (awaited(line) != kNoMiss) { return Answer::merged; }
    const auto free = std::ranges::find_if(mshrs_, [](const Miss& each) { return !each.used; });
    if (free == mshrs_.end() || !can_ask) { return Answer::refused; }
    await(*free, line, 0);
    ++counters_.prefetches;
    return Answer::missed;
}

ReadOnlyCache::Filled ReadOnlyCache::fill(unsigned miss) {
    Miss& entry = mshrs_[miss];
    Line* set = set_of(entry.address);
    Line& victim = *std::min_element(set, set + ways_, [](const Line& a, const Line& b) { return a.used < b.used; });
    const Filled filled{entry.readers, victim.address};
    victim = {entry.address, ++uses_};
    last_place_ = static_cast<std::size_t>(&victim - lines_.data());
    entry = {};
    return filled;
}

LOOKAHEAD_REGISTER_STATISTICS(ReadOnlyCacheCounters, "read_only_cache", "Instruction or constant cache of an SM")

}  // namespace lookahead::gpu
