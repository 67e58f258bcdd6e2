#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/cache/set_index.h"
#include "core/bits/bits_128.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct ReadOnlyCacheParameters {
    bool enabled = true;
    std::int64_t sets = 4;
    std::int64_t ways = 4;
    std::int64_t mshrs = 2;
    std::int64_t merges = 32;
};

struct ReadOnlyCacheCounters {
    LOOKAHEAD_COUNTER(hits, "access", "Accesses that found their line.");
    LOOKAHEAD_COUNTER(misses, "access", "Accesses that requested their line.");
    LOOKAHEAD_COUNTER(merges, "access", "Accesses that joined an earlier access to wait for its line.");
    LOOKAHEAD_COUNTER(refusals, "access", "Accesses that found no room to wait and were tried again.");
    LOOKAHEAD_COUNTER(prefetches, "line", "Lines that were requested ahead of a fetch.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Tags and miss registers of a read-only cache with LRU replacement; a line takes its place when it comes. It has no
/// clock, sends no requests and holds no bytes: its owner does.
class ReadOnlyCache {
  public:
    enum class Answer : std::uint8_t { hit, merged, missed, refused };
    using Readers = Bits128;

    explicit ReadOnlyCache(const ReadOnlyCacheParameters& parameters)
        : index_(SetIndexing::linear, static_cast<unsigned>(parameters.sets)),
          ways_(static_cast<unsigned>(parameters.ways)),
          merges_(static_cast<unsigned>(parameters.merges)),
          lines_(static_cast<std::size_t>(parameters.sets * parameters.ways)),
          mshrs_(static_cast<std::size_t>(parameters.mshrs)) {}

    /// Looks up the line for `reader`. `can_ask`: whether the caller can request a line. After `missed` the caller must
    /// request the line under the number last_miss(). After `merged` or `missed`, fill() names the reader.
    Answer access(std::uint64_t line, unsigned reader, bool can_ask);
    /// The same for a reader that does not wait but asks again: `merged` means that the line is under way.
    Answer ask(std::uint64_t line, bool can_ask) { return look_up(line, 0, can_ask); }
    /// The same as `ask` for a prefetch, which counts neither as an access nor as a use of the line.
    Answer prefetch(std::uint64_t line, bool can_ask);
    unsigned last_miss() const { return last_miss_; }
    /// The place, below lines(), of the line of the last hit or fill.
    std::size_t last_place() const { return last_place_; }
    std::size_t lines() const { return lines_.size(); }

    static constexpr unsigned kNoMiss = ~0u;
    /// The number of the miss that awaits the line, or kNoMiss.
    unsigned awaited(std::uint64_t line) const;
    bool can_miss() const {
        return std::ranges::any_of(mshrs_, [](const Miss& miss) { return !miss.used; });
    }
    std::uint64_t line_of(unsigned miss) const { return mshrs_[miss].address; }
    /// Counts a use of the line without an access; no effect if the line is absent.
    void touch(std::uint64_t line);
    /// Drops all lines. None may be awaited.
    void clear();

    static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
    struct Filled {
        Readers readers;        ///< readers that waited
        std::uint64_t evicted;  ///< the line that made room, or kNoLine
    };
    /// Installs the line of a miss and frees its register.
    Filled fill(unsigned miss);

    /// The number of lines that were requested and have not come.
    std::uint64_t misses_under_way() const {
        return static_cast<std::uint64_t>(
            std::ranges::count_if(mshrs_, [](const Miss& miss) { return miss.used || miss.readers != 0; }));
    }
    const ReadOnlyCacheCounters& counters() const { return counters_; }
    ReadOnlyCacheCounters& counters() { return counters_; }

    void fields(StateArchive& archive) {
        for (Line& line : lines_) { archive& line.address& line.used; }
        for (Miss& miss : mshrs_) { archive& miss.address& miss.readers& miss.used; }
        archive& uses_;
    }

  private:
    friend struct AuditSabotage;
    struct Line {
        std::uint64_t address = kNoLine;
        std::uint64_t used = 0;  ///< 0: empty
    };
    struct Miss {
        std::uint64_t address = 0;
        Readers readers = 0;
        bool used = false;
    };

    Line* find(std::uint64_t line);
    Line* set_of(std::uint64_t line) { return lines_.data() + std::size_t{index_.of(line)} * ways_; }
    Answer look_up(std::uint64_t line, Readers reader, bool can_ask);
    Answer miss(std::uint64_t line, Readers reader, bool can_ask);
    void await(Miss& entry, std::uint64_t line, Readers reader) {
        entry = {line, reader, true};
        last_miss_ = static_cast<unsigned>(&entry - mshrs_.data());
    }
    Answer refuse() {
        ++counters_.refusals;
        return Answer::refused;
    }

    SetIndex index_;
    unsigned ways_;
    unsigned merges_;
    std::vector<Line> lines_;
    std::vector<Miss> mshrs_;
    std::uint64_t uses_ = 0;
    unsigned last_miss_ = 0;
    std::size_t last_place_ = 0;
    ReadOnlyCacheCounters counters_;
};

}  // namespace lookahead::gpu
