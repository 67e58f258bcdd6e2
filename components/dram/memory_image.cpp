#include "components/dram/memory_image.h"

#include <cstring>

#include "core/state/state_archive.h"

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

void MemoryImage::write(std::uint64_t local, const std::byte* bytes, std::size_t count) {
    std::memcpy(place(local), bytes, count);
}

void MemoryImage::fill(std::uint64_t local, std::byte value, std::size_t count) {
    std::memset(place(local), static_cast<int>(value), count);
}

void MemoryImage::fields(StateArchive& archive) {
    if (archive.loading()) {
        groups_.clear();
        std::uint64_t number = 0;
        for (archive& number; number != 0; archive & number) {
            archive.plain(place((number - 1) << kPageBits), kPageBytes);
        }
        return;
    }
    for (std::uint64_t group = 0; group < groups_.size(); ++group) {
        for (std::uint64_t i = 0; groups_[group] && i < groups_[group]->size(); ++i) {
            if (const auto& page = (*groups_[group])[i]) {
                std::uint64_t number = (group << kGroupBits | i) + 1;
                archive& number;
                archive.plain(page->data(), kPageBytes);
            }
        }
    }
    std::uint64_t end = 0;
    archive& end;
}

}  // namespace lookahead::gpu
