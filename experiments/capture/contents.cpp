#include "experiments/capture/contents.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lookahead {

namespace {

/// Multiplicative hash, with four independent sums.
std::uint64_t hash_of(std::span<const std::byte> block) {
    constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;  // 2^64 over the golden ratio
    std::uint64_t sums[4] = {1, 2, 3, 4};
    for (std::size_t at = 0; at < block.size(); at += sizeof sums) {
        std::uint64_t words[4];
        std::memcpy(words, block.data() + at, sizeof words);
        for (unsigned i = 0; i < 4; ++i) {
            sums[i] = (sums[i] ^ words[i]) * kOdd;
            sums[i] ^= sums[i] >> 29;
        }
    }
    std::uint64_t hash = 0;
    for (const std::uint64_t sum : sums) { hash = (hash ^ sum) * kOdd; }
    return hash ^ hash >> 32;
}

std::uint64_t words_of(std::uint64_t bytes) {
    return bytes / Contents::kWordBytes + (bytes % Contents::kWordBytes != 0);
}

}  // namespace

Contents::Contents(std::vector<std::uint32_t> kept, std::vector<std::uint64_t> blocks)
    : kept_(std::move(kept)), blocks_(std::move(blocks)) {
    kept_.resize((kept_.size() + kBlockWords - 1) / kBlockWords * kBlockWords);
}

std::span<std::byte> Contents::kept_block(std::uint64_t number) {
    return std::as_writable_bytes(std::span(kept_).subspan(number * kBlockWords, kBlockWords));
}

std::span<const std::byte> Contents::kept_block(std::uint64_t number) const {
    return std::as_bytes(std::span(kept_).subspan(number * kBlockWords, kBlockWords));
}

void Contents::open_block() {
    blocks_.push_back(kept_.size() / kBlockWords);
    kept_.resize(kept_.size() + kBlockWords);
    free_words_ = kBlockWords;
}

void Contents::share_last_block() {
    free_words_ = 0;
    const std::uint64_t last = blocks_.back();
    const auto contents = std::as_const(*this).kept_block(last);
    const std::uint64_t hash = hash_of(contents);
    const auto [begin, end] = by_hash_.equal_range(hash);
    const auto equal = std::find_if(begin, end, [&](const auto& candidate) {
        return std::memcmp(std::as_const(*this).kept_block(candidate.second).data(), contents.data(), kBlockBytes) == 0;
    });
    if (equal == end) {
        by_hash_.emplace(hash, last);
        return;
    }
    blocks_.back() = equal->second;
    kept_.resize(kept_.size() - kBlockWords);
}

std::uint64_t Contents::add(std::span<const std::byte> bytes) {
    if (bytes.size() >= kBlockBytes && free_words_ != 0) { share_last_block(); }
    const std::uint64_t first = blocks_.size() * kBlockWords - free_words_;
    while (!bytes.empty()) {
        if (free_words_ == 0) { open_block(); }
        const auto room = kept_block(blocks_.back()).last(free_words_ * kWordBytes);
        const auto part = bytes.first(std::min(bytes.size(), room.size()));
        std::ranges::copy(part, room.begin());
        free_words_ -= words_of(part.size());
        if (free_words_ == 0) { share_last_block(); }
        bytes = bytes.subspan(part.size());
    }
    return first;
}

bool Contents::has(std::uint64_t first_word, std::uint64_t bytes) const {
    const std::uint64_t words = blocks_.size() * kBlockWords - free_words_;
    return first_word <= words && words_of(bytes) <= words - first_word;
}

std::vector<std::byte> Contents::at(std::uint64_t first_word, std::uint64_t bytes) const {
    std::vector<std::byte> found;
    found.reserve(bytes);
    for (std::uint64_t word = first_word; found.size() < bytes; word += kBlockWords - word % kBlockWords) {
        const auto rest = kept_block(blocks_[word / kBlockWords]).subspan(word % kBlockWords * kWordBytes);
        const auto part = rest.first(std::min(rest.size(), bytes - found.size()));
        found.insert(found.end(), part.begin(), part.end());
    }
    return found;
}

std::span<const std::uint32_t> Contents::kept() const {
    return std::span(kept_).first(kept_.size() - free_words_);
}

}  // namespace lookahead
