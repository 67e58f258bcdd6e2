#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "components/device/device.h"
#include "components/isa/address_space.h"
#include "core/error/error.h"

namespace lookahead {

/// Hands out global memory: the lowest gap that is large enough, so that addresses hang on nothing but the calls. The
/// emulator, captures and the host of the timing model share it, so a program sees the same addresses in all.
class Allocator {
  public:
    struct Block {
        DeviceAddress address = 0;
        std::uint64_t bytes = 0;  ///< as asked for
        DeviceAddress end() const { return address + bytes; }
        bool operator==(const Block&) const = default;
    };
    /// Gives addresses in the first `reach` bytes of global memory.
    explicit Allocator(std::uint64_t reach = isa::kGlobalBytes) : reach_(reach) {}

    /// Throws ProgramError if `bytes` is 0 or does not fit.
    DeviceAddress allocate(std::uint64_t bytes) {
        if (bytes == 0) throw ProgramError("allocation of 0 bytes of device memory");
        DeviceAddress address = isa::kGlobalBase;
        auto next = blocks_.begin();
        for (; next != blocks_.end() && next->address - address < bytes; ++next) address = aligned(next->end());
        const DeviceAddress end = isa::kGlobalBase + reach_;
        if (address >= end || bytes > end - address)
            throw ProgramError(
                "allocation of " + std::to_string(bytes) + " bytes does not fit in the device memory" +
                (reach_ == isa::kPointerReach ? " of 4 GiB that addresses of 32 bits reach (isa.pointers = 32)" : ""));
        blocks_.insert(next, {address, bytes});
        return address;
    }

    /// Takes a place that is not for allocate() to give: a module's variable, behind what can be allocated.
    void place(DeviceAddress address, std::uint64_t bytes) {
        blocks_.insert(first_not_below(address), {address, bytes});
    }

    /// Bytes of the allocation that began at `address`. Throws ProgramError if none does.
    std::uint64_t release(DeviceAddress address) {
        const auto block = first_not_below(address);
        if (block == blocks_.end() || block->address != address)
            throw ProgramError("release of address " + std::to_string(address) + ", at which no allocation begins");
        const std::uint64_t bytes = block->bytes;
        blocks_.erase(block);
        return bytes;
    }

    /// The allocation that holds the byte at `address`, or nullptr.
    const Block* find(DeviceAddress address) const {
        const Block* const below = last_at_or_below(address);
        return below != nullptr && address < below->end() ? below : nullptr;
    }
    /// `bytes` > 0 from `address` on lie in one allocation.
    bool contains(DeviceAddress address, std::uint64_t bytes) const {
        const Block* const block = find(address);
        return block != nullptr && bytes <= block->end() - address;
    }
    /// The allocation that is the fewest bytes away from `address`, or nullptr if there is none at all.
    const Block* nearest(DeviceAddress address) const {
        const Block* const below = last_at_or_below(address);
        const std::size_t above_index = below == nullptr ? 0 : static_cast<std::size_t>(below - blocks_.data()) + 1;
        const Block* const above = above_index < blocks_.size() ? &blocks_[above_index] : nullptr;
        if (below == nullptr || above == nullptr) return below != nullptr ? below : above;
        const std::uint64_t to_below = address < below->end() ? 0 : address - below->end() + 1;
        return to_below <= above->address - address ? below : above;
    }
    /// All allocations, by address.
    std::span<const Block> blocks() const { return blocks_; }

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        std::uint64_t count = blocks_.size();
        archive& count;
        blocks_.resize(count);
        for (Block& block : blocks_) {
            archive& block.address;
            archive& block.bytes;
        }
    }

  private:
    static DeviceAddress aligned(DeviceAddress address) {
        return (address + isa::kAllocationAlignment - 1) / isa::kAllocationAlignment * isa::kAllocationAlignment;
    }
    std::vector<Block>::iterator first_not_below(DeviceAddress address) {
        return std::lower_bound(blocks_.begin(), blocks_.end(), address,
                                [](const Block& block, DeviceAddress a) { return block.address < a; });
    }
    const Block* last_at_or_below(DeviceAddress address) const {
        const auto above = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                            [](DeviceAddress a, const Block& block) { return a < block.address; });
        return above == blocks_.begin() ? nullptr : &*std::prev(above);
    }

    std::uint64_t reach_;
    std::vector<Block> blocks_;  // by address
};

}  // namespace lookahead
