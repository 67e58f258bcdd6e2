#pragma once

#include <cstddef>
#include <cstdint>

#include "components/device/allocator.h"
#include "components/device/device.h"
#include "components/isa/address_space.h"

namespace lookahead {

/// Global memory as one reservation of the host's address space: a device address is a host address but for a
/// constant. Pages are made when they are first touched, and are zero then.
class FlatMemory {
  public:
    /// All device addresses from kGlobalBase on.
    static constexpr std::uint64_t kBytes = isa::kConstantBankBase + isa::kConstantBankBytes - isa::kGlobalBase;

    /// Accessible from the start, for the page before all that can be allocated (Allocator::use_pages).
    static constexpr std::uint64_t kBytesBefore = Allocator::kPageBytes;

    /// In `file`, of at least kBytes, which others may map too; -1: in memory of its own.
    explicit FlatMemory(int file = -1);
    ~FlatMemory();
    FlatMemory(const FlatMemory&) = delete;
    FlatMemory& operator=(const FlatMemory&) = delete;

    /// Makes all of global memory up to `end` accessible. Addresses beyond must not be touched.
    void grow_to(DeviceAddress end);
    /// Makes a range behind what can be allocated accessible: the modules' variables, a launch's parameters.
    void open(DeviceAddress address, std::uint64_t bytes);

    /// Fills an accessible range; whole pages of zeros are given back, so that they take no room.
    void fill(DeviceAddress address, std::byte value, std::uint64_t bytes);

    /// Where kGlobalBase lies.
    std::byte* base() const { return base_; }
    std::byte* at(DeviceAddress address) const { return base_ + (address - isa::kGlobalBase); }

  private:
    std::byte* base_ = nullptr;
    bool in_file_ = false;
    std::uint64_t accessible_ = 0;  // bytes
};

}  // namespace lookahead
