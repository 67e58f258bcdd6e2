#pragma once

#include <cstddef>
#include <cstdint>

#include "components/device/allocator.h"
#include "components/device/device.h"
#include "components/isa/address_space.h"

namespace lookahead {

/// Global memory as one reservation of the host's address space: a device address plus a constant is a host address.
/// Pages are allocated, with zeros, by their first access.
class FlatMemory {
  public:
    /// All device addresses from kGlobalBase on.
    static constexpr std::uint64_t kBytes = isa::kConstantBankBase + isa::kConstantBankBytes - isa::kGlobalBase;

    /// Accessible from the start: the page before all allocations (Allocator::use_pages).
    static constexpr std::uint64_t kBytesBefore = Allocator::kPageBytes;

    /// Uses `file`, of at least kBytes, which others may map too; -1: anonymous memory.
    explicit FlatMemory(int file = -1);
    ~FlatMemory();
    FlatMemory(const FlatMemory&) = delete;
    FlatMemory& operator=(const FlatMemory&) = delete;

    /// Makes all of global memory up to `end` accessible. Addresses beyond must not be touched.
    void grow_to(DeviceAddress end);
    /// Makes a range after all allocations accessible: the modules' variables, a launch's parameters.
    void open(DeviceAddress address, std::uint64_t bytes);

    /// Fills an accessible range; whole pages of zeros are released, so that they take no room.
    void fill(DeviceAddress address, std::byte value, std::uint64_t bytes);

    /// The host address of kGlobalBase.
    std::byte* base() const { return base_; }
    std::byte* at(DeviceAddress address) const { return base_ + (address - isa::kGlobalBase); }

  private:
    std::byte* base_ = nullptr;
    bool in_file_ = false;
    std::uint64_t accessible_ = 0;  // bytes
};

}  // namespace lookahead
