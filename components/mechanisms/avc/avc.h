#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "components/cache/l1_companion.h"
#include "components/mechanisms/avc/avc_lines.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Counts of one SM's affine vector cache.
struct AvcCounters {
    LOOKAHEAD_COUNTER(accesses, "access",
                      "Loads and stores of private memory, counted each time that they were performed.");
    LOOKAHEAD_COUNTER(load_hits, "access", "Loads that found all their words in the affine vector cache.");
    LOOKAHEAD_COUNTER(partial_hits, "access",
                      "Loads that found some of their words in the cache; their other lanes accessed it again.");
    LOOKAHEAD_COUNTER(load_misses, "access", "Loads that the cache left to L1D.");
    LOOKAHEAD_COUNTER(affine_stores, "access", "Stores that the cache took whole.");
    LOOKAHEAD_COUNTER(generic_stores, "access", "Stores that went to L1D.");
    LOOKAHEAD_COUNTER(added_words, "access", "Stores, vector by vector, that only added words to an equal vector.");
    LOOKAHEAD_COUNTER(store_conflicts, "vector", "Vectors that were evicted by a store of their other words.");
    LOOKAHEAD_COUNTER(fill_conflicts, "vector", "Vectors that were evicted by a fill of their other words.");
    LOOKAHEAD_COUNTER(affine_fills, "line", "Fills that the cache took.");
    LOOKAHEAD_COUNTER(generic_fills, "line", "Fills that L1D installed: their words were not affine.");
    LOOKAHEAD_COUNTER(refused_fills, "line",
                      "Affine fills that L1D installed because the line to evict could not leave.");
    LOOKAHEAD_COUNTER(evictions, "line", "Lines, of sixteen vectors, that were evicted for others.");
    LOOKAHEAD_COUNTER(evicted_vectors, "vector", "Vectors with valid words in the evicted lines.");
    LOOKAHEAD_COUNTER(write_backs, "line",
                      "Lines of 128 bytes whose words went to L2, in addition to the dirty lines of L1D.");
    LOOKAHEAD_COUNTER(merged_evictions, "line", "Lines that L1D evicted together with words of the cache.");
    LOOKAHEAD_COUNTER(dirtied_words, "word", "Words that became newer in the cache than in L1D and L2.");
    LOOKAHEAD_COUNTER(written_back_words, "word", "Part of dirtied_words: words that went to L2.");
    LOOKAHEAD_COUNTER(superseded_words, "word",
                      "Part of dirtied_words: words that L1D took over or received newer values of.");
    LOOKAHEAD_COUNTER(discarded_words, "word", "Part of dirtied_words: words of threads that had ended.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Variant "avc" of the slot l1d.companion: Collange and Kouyoumdjian, "Affine Vector Cache for memory bandwidth
/// savings", 2011, with the corrections that avc.cpp lists. README.md lists what the paper leaves open.
class AffineVectorCache final : public L1Companion {
  public:
    using Parameters = AvcParameters;

    AffineVectorCache(const Parameters& parameters, const L1CompanionArguments& arguments)
        : port_(arguments.port),
          latency_(static_cast<Cycle>(parameters.latency)),
          encodes_(parameters.encoder),
          modifies_(parameters.partial_writes == "read_modify_write"),
          lines_(parameters, arguments.configuration) {}

    Cycle latency() const override { return latency_; }
    WordMask load(const L1Access& access, WordMask wanted, std::byte* data) override;
    void missed(const L1Access& access, WordMask words) override;
    StoreResult store(const L1Access& access, const ByteMask& mask, const std::byte* data, std::byte* own) override;
    void passed(std::uint64_t line, WordMask words) override;
    bool fill(const L1Access& access, WordMask asked, const std::byte* data) override;
    ByteMask evicting(std::uint64_t line, const ByteMask& dirty, std::byte* data) override;
    bool give_up(std::uint64_t line) override;
    void begin_kernel() override { forget(); }
    void begin_launch(std::uint32_t words_of_thread) override { lines_.set_words_of_thread(words_of_thread); }
    bool flush() override {
        forget();
        return true;
    }
    const AvcCounters& counters() const { return counters_; }
    const AvcLines& lines() const { return lines_; }
    void audit(Audit& audit, const std::string& sm) const override;
    void visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const override {
        visit(visitor, sm, "avc", counters_);
    }
    void fields(StateArchive& archive) override { archive& lines_& counters_; }

  private:
    using Words = std::array<std::uint32_t, kLineWords>;

    /// The vectors of a line after a store or a fill.
    struct Encoded {
        std::array<std::optional<AffineVector>, 2> vectors;
        std::array<std::uint32_t, 2> lanes{};  ///< lanes written, for each vector
        WordMask words = 0;                    ///< words of the affine vectors
        bool generic = false;                  ///< some vector is not affine
    };

    /// The vectors of a line of memory; null if its group is not in the cache.
    CompactVector* find(const AvcPlace& place) {
        const std::uint32_t at = lines_.find(place.group);
        return at == kNoAvcLine ? nullptr : lines_.vectors(at) + place.first;
    }
    std::uint32_t lanes_of(WordMask words, unsigned vector) const {
        return words >> (vector * lines_.lanes()) & (~std::uint32_t{0} >> (kLineWords - lines_.lanes()));
    }
    WordMask words_of_lanes(std::uint32_t lanes, unsigned vector) const { return lanes << (vector * lines_.lanes()); }
    WordMask words_that_are(std::uint32_t CompactVector::*what, const CompactVector* vectors) const {
        WordMask words = 0;
        for (unsigned i = 0; i < lines_.vectors_of_line(); ++i) { words |= words_of_lanes(vectors[i].*what, i); }
        return words;
    }
    void decode(const CompactVector* vectors, WordMask words, std::byte* data) const;
    std::optional<AffineVector> encode_store(const CompactVector* vectors, const Words& words, unsigned vector,
                                             std::uint32_t lanes) const;
    Encoded encode_store(const CompactVector* vectors, WordMask stored, const std::byte* data) const;
    Encoded encode_fill(const CompactVector* vectors, const L1Access& access, WordMask asked,
                        const std::byte* data) const;
    WordMask give_along(const CompactVector* vectors, WordMask stored, WordMask parts, std::byte* own) const;
    unsigned conflicts_of_store(const CompactVector* vectors, const Encoded& encoded) const;
    void put(CompactVector* vectors, const Encoded& encoded);
    CompactVector* place_for(const AvcPlace& place);
    bool evict(std::uint32_t at);
    bool write_back(std::uint64_t line, CompactVector* vectors, unsigned leaving);
    void forget();

    L1CompanionPort& port_;
    Cycle latency_;
    bool encodes_;
    bool modifies_;
    AvcLines lines_;
    AvcCounters counters_;
};

}  // namespace lookahead::gpu
