#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "components/cache/l1_companion.h"
#include "components/cache/l1_data.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu::test {

/// A companion of four direct-mapped lines of plain words, for tests of the slot. It accepts words selectively, like a
/// compressed cache: accesses that begin with an even word, and within a line only words that agree in the next bit, as
/// an affine vector has one base and one stride.
class WordCompanion final : public L1Companion {
  public:
    static constexpr unsigned kLines = 4;

    explicit WordCompanion(const L1CompanionArguments& arguments) : port_(arguments.port) {}

    Cycle latency() const override { return 1; }
    WordMask load(const L1Access& access, WordMask wanted, std::byte* data) override;
    void missed(const L1Access&, WordMask words) override { missed_words += count(words); }
    StoreResult store(const L1Access& access, const ByteMask& mask, const std::byte* data, std::byte* own) override;
    void passed(std::uint64_t line, WordMask words) override;
    bool fill(const L1Access& access, WordMask asked, const std::byte* data) override;
    ByteMask evicting(std::uint64_t line, const ByteMask& dirty, std::byte* data) override;
    bool give_up(std::uint64_t line) override;
    void begin_kernel() override { lines_ = {}; }
    bool flush() override;
    void fields(StateArchive& archive) override {
        archive& lines_& served_words& missed_words& merged& taken& absorbed;
    }

    std::uint64_t served_words = 0;
    std::uint64_t missed_words = 0;
    std::uint64_t merged = 0;    ///< evictions from L1 to which it added words
    std::uint64_t taken = 0;     ///< fills and evictions
    std::uint64_t absorbed = 0;  ///< stores

  private:
    struct Line {
        std::uint64_t line = ~std::uint64_t{0};
        WordMask valid = 0;
        WordMask dirty = 0;
        std::uint32_t key = 0;
        std::array<std::uint32_t, kLineWords> words{};

        void fields(StateArchive& archive) { archive& line& valid& dirty& key& words; }
    };

    static unsigned count(WordMask words) { return static_cast<unsigned>(std::popcount(words)); }
    static std::uint32_t first_of(WordMask words, const std::byte* data) {
        std::uint32_t word = 0;
        std::memcpy(&word, data + 4 * std::countr_zero(words), sizeof word);
        return word;
    }
    static bool encodes(WordMask words, const std::byte* data) { return words != 0 && first_of(words, data) % 2 == 0; }
    static std::uint32_t key_of(WordMask words, const std::byte* data) { return first_of(words, data) >> 1 & 1; }
    Line& slot_of(std::uint64_t line) { return lines_[line / kLineBytes % kLines]; }
    static void take(Line& slot, WordMask words, const std::byte* data);
    static void give(const Line& slot, WordMask words, std::byte* data);
    bool empty(Line& slot);
    bool make_room(Line& slot, std::uint64_t line, WordMask words, std::uint32_t key);

    L1CompanionPort& port_;
    std::array<Line, kLines> lines_;
};

}  // namespace lookahead::gpu::test
