#include "components/mechanisms/avc/avc_lines.h"

#include <algorithm>
#include <bit>

#include "components/isa/address_space.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// All caches of the paper replace by a tree of pseudo-LRU bits (section 5.1).
AvcLines::AvcLines(const AvcParameters& parameters, const Configuration& configuration)
    : ways_(static_cast<unsigned>(parameters.ways)),
      sets_(static_cast<unsigned>(parameters.sets)),
      lanes_(static_cast<unsigned>(parameters.granularity)),
      vectors_(kLineWords / lanes_),
      word_major_(parameters.layout == "word_major"),
      tags_(std::size_t{sets_} * ways_, kNoLine),
      vectors_of_lines_(tags_.size() * kVectorsOfLine),
      replacement_(make_variant<ReplacementPolicy>("tree_plru", configuration, ReplacementArguments{sets_, ways_})) {
    if (lanes_ != 16 && lanes_ != 32) {
        throw ConfigurationError("avc.granularity = {} is neither half a warp (16) nor a whole one (32)", lanes_);
    }
    if (!std::has_single_bit(sets_)) { throw ConfigurationError("avc.sets = {} is not a power of two", sets_); }
}

/// Warp-major tags are addresses without their lowest bits. So a line may hold the last words of one warp and the first
/// of the next, a tag match needs no division, and no room is lost if a thread's words are no multiple of sixteen.
/// Word-major tags have the warp's number in place of those bits.
AvcPlace AvcLines::place_of(std::uint64_t line) const {
    const std::uint64_t row = (line - isa::kLocalMemoryBase) / isa::kLocalRowBytes;
    const unsigned covered = memory_lines();
    if (!word_major_ || reciprocal_ == 0) { return {row / covered, static_cast<unsigned>(row % covered) * vectors_}; }
    const std::uint64_t warp = warp_of(row);
    const std::uint64_t word = row - warp * words_of_thread_;
    return {warp / covered * words_of_thread_ + word, static_cast<unsigned>(warp % covered) * vectors_};
}

std::uint64_t AvcLines::line_of(std::uint64_t group, unsigned which) const {
    std::uint64_t row = group * memory_lines() + which;
    if (word_major_ && reciprocal_ != 0) {
        const std::uint64_t warps = warp_of(group);
        const std::uint64_t word = group - warps * words_of_thread_;
        row = (warps * memory_lines() + which) * words_of_thread_ + word;
    }
    return isa::kLocalMemoryBase + row * isa::kLocalRowBytes;
}

std::uint32_t AvcLines::find(std::uint64_t group) const {
    const auto first = static_cast<std::uint32_t>(group & (sets_ - 1)) * ways_;
    for (std::uint32_t at = first; at < first + ways_; ++at) {
        if (tags_[at] == group) { return at; }
    }
    return kNoAvcLine;
}

std::uint32_t AvcLines::choose(std::uint64_t group) const {
    const auto set = static_cast<std::uint32_t>(group & (sets_ - 1));
    for (std::uint32_t at = set * ways_; at < (set + 1) * ways_; ++at) {
        if (tags_[at] == kNoLine) { return at; }
    }
    return set * ways_ + replacement_->victim(set, (std::uint64_t{1} << ways_) - 1);
}

void AvcLines::assign(std::uint32_t at, std::uint64_t group) {
    tags_[at] = group;
    std::fill_n(vectors(at), kVectorsOfLine, CompactVector{});
    replacement_->reserve(at / ways_, at % ways_);
}

void AvcLines::clear() {
    std::ranges::fill(tags_, kNoLine);
    std::ranges::fill(vectors_of_lines_, CompactVector{});
    replacement_->clear();
}

/// The reciprocal is too large by less than 1, so its product with a row (less than 2^40) is too large by less than
/// 2^-24 of a warp. A row is at least one word of 2^18 from the next warp, so the error cannot reach it.
void AvcLines::set_words_of_thread(std::uint32_t words) {
    LOOKAHEAD_ASSERT(words < 1u << 18, "a thread has more local memory than a program can have");
    words_of_thread_ = std::max(words, 1u);
    reciprocal_ = words_of_thread_ == 1 ? 0 : ~std::uint64_t{0} / words_of_thread_ + 1;
}

std::uint64_t AvcLines::dirty_words() const {
    std::uint64_t count = 0;
    for (const CompactVector& each : vectors_of_lines_) { count += static_cast<unsigned>(std::popcount(each.dirty)); }
    return count;
}

void AvcLines::fields(StateArchive& archive) {
    archive& tags_& vectors_of_lines_& words_of_thread_;
    if (archive.loading()) { set_words_of_thread(words_of_thread_); }
    replacement_->fields(archive);
}

}  // namespace lookahead::gpu
