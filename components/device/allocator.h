#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "components/device/device.h"
#include "components/isa/address_space.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead {

/// Allocates global memory in the lowest gap that is large enough, so that addresses depend only on the calls. The
/// emulator, captures and the host of the timing model use it, so a program sees the same addresses in all of them.
class Allocator {
  public:
    struct Block {
        DeviceAddress address = 0;
        std::uint64_t bytes = 0;  ///< the size that was asked for
        DeviceAddress end() const { return address + bytes; }
        bool operator==(const Block&) const = default;
        void fields(StateArchive& archive) { archive& address& bytes; }
    };
    /// Allocates in the first `reach` bytes of global memory.
    explicit Allocator(std::uint64_t reach = isa::kGlobalBytes) : reach_(reach) {}

    /// Lets kernels access the pages that hold an allocation, and the page before all allocations, as on a GPU, whose
    /// context uses that page. Some published programs access bytes before and after their arrays without notice.
    void use_pages() { pages_ = true; }

    /// Throws ProgramError if `bytes` is 0 or does not fit.
    DeviceAddress allocate(std::uint64_t bytes) {
        if (bytes == 0) { throw ProgramError("allocation of 0 bytes of device memory"); }
        DeviceAddress address = isa::kGlobalBase;
        auto next = blocks_.begin();
        for (; next != blocks_.end() && next->address - address < bytes; ++next) { address = aligned(next->end()); }
        const DeviceAddress end = isa::kGlobalBase + reach_;
        if (address >= end || bytes > end - address) {
            throw ProgramError(
                "allocation of {} bytes does not fit in the device memory{}", bytes,
                (reach_ == isa::kPointerReach ? " of 4 GiB that 32-bit addresses reach (isa.pointers = 32)" : ""));
        }
        blocks_.insert(next, {address, bytes});
        return address;
    }

    /// Reserves a place for a module's variable, outside the range of allocate() and after it.
    void place(DeviceAddress address, std::uint64_t bytes) {
        blocks_.insert(first_not_below(address), {address, bytes});
    }

    /// Frees the allocation that begins at `address` and returns its size. Throws ProgramError if none begins there.
    std::uint64_t release(DeviceAddress address) {
        const auto block = first_not_below(address);
        if (block == blocks_.end() || block->address != address) {
            throw ProgramError("release of address {}, at which no allocation begins", address);
        }
        const std::uint64_t bytes = block->bytes;
        blocks_.erase(block);
        return bytes;
    }

    /// The allocation that holds the byte at `address`, or nullptr.
    const Block* find(DeviceAddress address) const {
        const Block* const below = last_at_or_below(address);
        return below != nullptr && address < below->end() ? below : nullptr;
    }
    /// Whether `bytes` > 0 bytes from `address` on are in one allocation.
    bool contains(DeviceAddress address, std::uint64_t bytes) const {
        const Block* const block = find(address);
        return block != nullptr && bytes <= block->end() - address;
    }
    /// Whether kernels may access `bytes` > 0 bytes from `address` on, which is a multiple of `bytes`.
    bool is_mapped(DeviceAddress address, std::uint64_t bytes) const {
        if (contains(address, bytes)) { return true; }
        if (!pages_) { return false; }
        const DeviceAddress page = address / kPageBytes * kPageBytes;
        const Block* const last = last_at_or_below(page + kPageBytes - 1);
        const bool mapped = page == kContextPage || (last != nullptr && last->end() > page);
        needed_pages_ = needed_pages_ || mapped;
        return mapped;
    }
    /// Whether is_mapped() has returned true for bytes outside the allocations.
    bool needed_pages() const { return needed_pages_; }
    /// The memory that kernels may access, by address: the allocations, or the runs of pages that hold them.
    std::vector<Block> mapped() const {
        if (!pages_) { return blocks_; }
        std::vector<Block> runs{{kContextPage, kPageBytes}};
        for (const Block& block : blocks_) {
            const DeviceAddress begin = block.address / kPageBytes * kPageBytes;
            const DeviceAddress end = (block.end() + kPageBytes - 1) / kPageBytes * kPageBytes;
            if (begin > runs.back().end()) { runs.push_back({begin, 0}); }
            runs.back().bytes = std::max(runs.back().end(), end) - runs.back().address;
        }
        return runs;
    }
    /// The allocation nearest to `address`, or nullptr if there is none.
    const Block* nearest(DeviceAddress address) const {
        const Block* const below = last_at_or_below(address);
        const std::size_t above_index = below == nullptr ? 0 : static_cast<std::size_t>(below - blocks_.data()) + 1;
        const Block* const above = above_index < blocks_.size() ? &blocks_[above_index] : nullptr;
        if (below == nullptr || above == nullptr) { return below != nullptr ? below : above; }
        const std::uint64_t to_below = address < below->end() ? 0 : address - below->end() + 1;
        return to_below <= above->address - address ? below : above;
    }
    /// All allocations, by address.
    std::span<const Block> blocks() const { return blocks_; }

    void fields(StateArchive& archive) { archive& pages_& blocks_; }

    /// CUDA maps device memory in pages of this size (cuMemGetAllocationGranularity).
    static constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20;
    /// The page before all allocations.
    static constexpr DeviceAddress kContextPage = isa::kGlobalBase - kPageBytes;

  private:
    static DeviceAddress aligned(DeviceAddress address) {
        return (address + isa::kAllocationAlignment - 1) / isa::kAllocationAlignment * isa::kAllocationAlignment;
    }
    std::vector<Block>::iterator first_not_below(DeviceAddress address) {
        return std::ranges::lower_bound(blocks_, address, {}, &Block::address);
    }
    const Block* last_at_or_below(DeviceAddress address) const {
        const auto above = std::ranges::upper_bound(blocks_, address, {}, &Block::address);
        return above == blocks_.begin() ? nullptr : &*std::prev(above);
    }

    std::uint64_t reach_;
    bool pages_ = false;
    mutable bool needed_pages_ = false;
    std::vector<Block> blocks_;  // by address
};

}  // namespace lookahead
