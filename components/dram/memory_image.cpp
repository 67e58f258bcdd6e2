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
        const auto& pointer = groups_[group]->pages[page & kInGroup];
        if (pointer) { return pointer->data() + offset; }
    }
    return kZeroPage.data() + offset;
}

MemoryImage::Group& MemoryImage::group_of(std::uint64_t page) {
    const std::size_t group = page >> kGroupBits;
    if (group >= groups_.size()) { groups_.resize(group + 1); }
    if (!groups_[group]) { groups_[group] = std::make_unique<Group>(); }
    return *groups_[group];
}

std::byte* MemoryImage::place(std::uint64_t local) {
    const std::uint64_t page = local >> kPageBits;
    Group& group = group_of(page);
    auto& pointer = group.pages[page & kInGroup];
    if (!pointer) {
        pointer = std::make_unique<Page>();
        group.zeroed.reset(page & kInGroup);
    }
    return pointer->data() + (local & (kPageBytes - 1));
}

void MemoryImage::write(std::uint64_t local, const std::byte* bytes, std::size_t count) {
    std::memcpy(place(local), bytes, count);
}

void MemoryImage::fill(std::uint64_t local, std::byte value, std::size_t count) {
    const std::uint64_t page = local >> kPageBits;
    Group& group = group_of(page);
    if (value == std::byte{0} && !group.pages[page & kInGroup]) {
        group.zeroed.set(page & kInGroup);
        return;
    }
    std::memset(place(local), static_cast<int>(value), count);
}

void MemoryImage::fields(StateArchive& archive) {
    if (archive.loading()) {
        groups_.clear();
        std::uint64_t number = 0;
        for (archive& number; number != 0; archive & number) {
            Page page;
            archive.plain(page.data(), kPageBytes);
            const std::uint64_t local = (number - 1) << kPageBits;
            if (page == kZeroPage) {
                fill(local, std::byte{0}, kPageBytes);
            } else {
                write(local, page.data(), kPageBytes);
            }
        }
        return;
    }
    for (std::uint64_t group = 0; group < groups_.size(); ++group) {
        for (std::uint64_t i = 0; groups_[group] && i < groups_[group]->pages.size(); ++i) {
            const auto& page = groups_[group]->pages[i];
            if (page || groups_[group]->zeroed[i]) {
                std::uint64_t number = (group << kGroupBits | i) + 1;
                archive& number;
                Page zeros;
                if (!page) {
                    zeros.fill(std::byte{0});  // the archive takes no constant
                }
                archive.plain(page ? page->data() : zeros.data(), kPageBytes);
            }
        }
    }
    std::uint64_t end = 0;
    archive& end;
}

}  // namespace lookahead::gpu
