#include "components/dram/memory_image.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <cstring>

#include "core/stats/state_hasher.h"

namespace lookahead::gpu {
namespace {

alignas(64) constexpr std::array<std::byte, MemoryImage::kPageBytes> kZeroPage{};

}  // namespace

const std::byte* MemoryImage::read(std::uint64_t local) const {
    const std::uint64_t page = local >> kPageBits;
    const std::size_t group = page >> kGroupBits;
    const std::size_t offset = local & (kPageBytes - 1);
    if (group < groups_.size() && groups_[group]) {
        const auto& pointer = (*groups_[group])[page & ((1u << kGroupBits) - 1)];
        if (pointer) {
            return pointer->data() + offset;
        }
    }
    return kZeroPage.data() + offset;
}

std::byte* MemoryImage::place(std::uint64_t local) {
    const std::uint64_t page = local >> kPageBits;
    const std::size_t group = page >> kGroupBits;
    if (group >= groups_.size()) {
        groups_.resize(group + 1);
    }
    if (!groups_[group]) {
        groups_[group] = std::make_unique<Group>();
    }
    auto& pointer = (*groups_[group])[page & ((1u << kGroupBits) - 1)];
    if (!pointer) {
        pointer = std::make_unique<Page>();
    }
    return pointer->data() + (local & (kPageBytes - 1));
}

void MemoryImage::written(std::uint64_t local, std::size_t count) {
    add_to_history(local, read(local), count);
}

void MemoryImage::add_to_history(std::uint64_t local, const std::byte* bytes, std::size_t count) {
    StateHasher hasher;
    hasher.add(history_);
    hasher.add(local);
    hasher.add_bytes(bytes, count);
    history_ = hasher.value();
}

void MemoryImage::write(std::uint64_t local, const std::byte* bytes, std::size_t count) {
    std::memcpy(place(local), bytes, count);
    add_to_history(local, bytes, count);  // those given are in the host's cache, the written ones need not be
}

void MemoryImage::fill(std::uint64_t local, std::byte value, std::size_t count) {
    std::memset(place(local), static_cast<int>(value), count);
    written(local, count);
}

void MemoryImage::hash_state(StateHasher& hasher) const {
    hasher.add(history_);
}

void MemoryImage::save(boost::archive::binary_oarchive& archive) const {
    archive << history_;
    for (std::uint64_t group = 0; group < groups_.size(); ++group) {
        if (!groups_[group]) {
            continue;
        }
        for (std::uint64_t i = 0; i < groups_[group]->size(); ++i) {
            const auto& page = (*groups_[group])[i];
            if (page) {
                const std::uint64_t number = (group << kGroupBits | i) + 1;
                archive << number;
                archive.save_binary(page->data(), kPageBytes);
            }
        }
    }
    const std::uint64_t end = 0;
    archive << end;
}

void MemoryImage::load(boost::archive::binary_iarchive& archive) {
    groups_.clear();
    archive >> history_;
    std::uint64_t number = 0;
    for (archive >> number; number != 0; archive >> number) {
        archive.load_binary(place((number - 1) << kPageBits), kPageBytes);
    }
}

}  // namespace lookahead::gpu
