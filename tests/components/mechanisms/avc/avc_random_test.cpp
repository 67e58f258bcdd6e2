// Random loads and stores through the affine vector cache and L1, each loaded word compared with flat memory.
#include <doctest/doctest.h>

#include <cstdlib>

#include "core/lp/audit.h"
#include "tests/components/mechanisms/avc/private_caches.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test {
namespace {

/// A million; by hand LOOKAHEAD_AVC_OPERATIONS=100000000 (README.md of the mechanism).
std::uint64_t operations() {
    const char* const text = std::getenv("LOOKAHEAD_AVC_OPERATIONS");
    return text == nullptr ? 1'000'000 : std::stoull(text);
}

struct Shape {
    std::vector<std::string> overrides;
    unsigned rows;
};

/// Small caches of every kind, so that evictions are frequent.
Shape shape_of(std::uint64_t number, bool modifies) {
    constexpr const char* kReplacement[] = {"lru", "fifo", "tree_plru"};
    const auto of = [&](const char* key, std::uint64_t value) { return std::string(key) + std::to_string(value); };
    Shape shape{
        .overrides = {"l1d.companion=avc", "l1d.set_index=linear", "l1d.pinned_ways=0", of("l1d.sets=", 1 + number % 2),
                      of("l1d.ways=", 1 + number % 3), of("l1d.mshrs=", 1 + number % 4),
                      of("l1d.merges=", 1 + number % 3), of("l1d.miss_queue=", 1 + number % 5),
                      std::string("l1d.replacement=") + kReplacement[number / 2 % 3], of("avc.sets=", 1 << number % 2),
                      of("avc.ways=", 1 + number / 3 % 3),
                      number % 5 == 4 ? "avc.granularity=16" : "avc.granularity=32",
                      number % 7 < 2 ? "avc.layout=word_major" : "avc.layout=warp_major"},
        .rows = static_cast<unsigned>(4 + number % 6 * 12)};
    if (modifies) { shape.overrides.push_back("avc.partial_writes=read_modify_write"); }
    return shape;
}

/// Nested masks, as structured programs have, and random ones.
WordMask mask_of(std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            return ~WordMask{0};
        case 1:
            return ~WordMask{0} >> random() % 32 << random() % 8 | 1;
        case 2:
            return static_cast<WordMask>(random());
        default:
            return WordMask{1} << random() % 32;
    }
}

/// Few bases and strides, so that equal vectors are stored again and different ones conflict.
Row values_of(std::mt19937_64& random) {
    const auto kind = random() % 8;
    const std::uint32_t stride = kind < 3 ? 0 : 1u << random() % 8;
    const std::uint32_t base = static_cast<std::uint32_t>(random() % 4) * 256;
    Row row;
    for (std::uint32_t word = 0; word < kLineWords; ++word) {
        row[word] = base + word * stride;
        if (kind == 6 && word >= 16) {
            row[word] = base + 4096 + (word - 16) * stride;  // 16 x 16 blocks
        }
        if (kind == 7) { row[word] = static_cast<std::uint32_t>(random()); }
    }
    return row;
}

ByteMask part_of_words(std::mt19937_64& random, WordMask words) {
    ByteMask mask;
    const auto width = static_cast<unsigned>(1 + random() % 2);
    for (WordMask left = words; left != 0; left &= left - 1) {
        mask.set(
            static_cast<unsigned>(4 * std::countr_zero(left)) + width * static_cast<unsigned>(random() % (4 / width)),
            width);
    }
    return mask;
}

class RandomPrivate {
  public:
    RandomPrivate(std::uint64_t seed, const Shape& shape) : random_(seed), rows_(shape.rows), caches_(shape.overrides) {
        caches_.avc->begin_launch(static_cast<std::uint32_t>(1 + seed % 9));
    }

    void run(std::uint64_t operations) {
        for (std::uint64_t i = 0; i < operations; ++i) { step(); }
        caches_.drain();
        Audit audit;
        caches_.avc->audit(audit, "avc");
        caches_.l1->audit(audit, "l1");
        for (const std::string& fault : audit.faults()) { throw WrongWord(fault); }
    }
    const PrivateCaches& caches() const { return caches_; }

  private:
    void step() {
        const std::uint64_t row = random_() % rows_;
        const WordMask words = mask_of(random_);
        const bool as_vector = random_() % 16 != 0;
        const std::uint64_t what = random_() % 1024;
        if (what < 560) {
            const Row values = values_of(random_);
            until([&] { return caches_.store(row, bytes_of_words(words), values, as_vector); });
        } else if (what < 600) {
            const ByteMask mask = part_of_words(random_, words);
            const Row values = values_of(random_);
            until([&] { return caches_.store(row, mask, values, false); });
        } else if (what < 1012) {
            WordMask left = words;
            until([&] { return left = caches_.load(row, left, as_vector), left == 0; });
        } else if (what < 1022) {
            until([&] { return caches_.add(row, static_cast<unsigned>(random_() % kLineWords)); });
        } else if (random_() % 64 == 0) {
            caches_.begin_kernel();
        }
        for (std::uint64_t moves = random_() % 4; moves > 0; --moves) { move(); }
    }
    /// A refused access comes again; meanwhile other accesses under way proceed.
    template <class Attempt>
    void until(Attempt&& attempt) {
        for (unsigned attempts = 0; !attempt(); ++attempts) {
            if (attempts > 10'000) { throw WrongWord("an access is refused for ever"); }
            move();
        }
    }
    void move() {
        if (caches_.can_send() && (random_() % 2 == 0 || !caches_.can_receive())) {
            caches_.send();
        } else if (caches_.can_receive()) {
            caches_.receive();
        }
    }

    std::mt19937_64 random_;
    std::uint64_t rows_;
    PrivateCaches caches_;
};

void run(bool modifies) {
    constexpr std::uint64_t kRuns = 210;
    const std::uint64_t seed = lookahead::test::random_seed();
    AvcCounters met;
    std::uint64_t compared = 0;
    for (std::uint64_t number = 0; number < kRuns; ++number) {
        CAPTURE(number);
        RandomPrivate program(seed + number, shape_of(number, modifies));
        REQUIRE_NOTHROW(program.run(operations() / kRuns));
        const AvcCounters& counters = program.caches().avc->counters();
        met.load_hits += counters.load_hits;
        met.partial_hits += counters.partial_hits;
        met.added_words += counters.added_words;
        met.store_conflicts += counters.store_conflicts;
        met.fill_conflicts += counters.fill_conflicts;
        met.affine_fills += counters.affine_fills;
        met.generic_fills += counters.generic_fills;
        met.refused_fills += counters.refused_fills;
        met.evictions += counters.evictions;
        met.merged_evictions += counters.merged_evictions;
        met.superseded_words += counters.superseded_words;
        compared += program.caches().compared;
    }
    CHECK(compared > operations());
    for (const std::uint64_t each : {met.load_hits, met.added_words, met.affine_fills, met.generic_fills,
                                     met.refused_fills, met.evictions, met.merged_evictions, met.superseded_words}) {
        CHECK(each > 100);
    }
    if (!modifies) {
        CHECK(met.partial_hits > 100);
        CHECK(met.store_conflicts > 100);
        CHECK(met.fill_conflicts > 100);
    } else {
        CHECK(met.store_conflicts + met.fill_conflicts == 0);
    }
}

TEST_CASE("private memory behind the affine vector cache has what was stored: word masks") {
    run(false);
}

TEST_CASE("private memory behind the affine vector cache has what was stored: read-modify-write") {
    run(true);
}

}  // namespace
}  // namespace lookahead::gpu::test
