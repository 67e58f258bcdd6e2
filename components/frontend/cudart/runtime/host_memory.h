#pragma once

#include <cstddef>
#include <cstdint>

#include "components/frontend/cudart/protocol.h"

namespace lookahead::cudart {

/// An allocation that the host can touch.
struct HostBlock {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool is_managed = false;       ///< else pinned
    unsigned flags = 0;            ///< of cudaHostAlloc
    void* registered = nullptr;    ///< cudaHostRegister: the program's own address of it
    std::uint64_t allocation = 0;  ///< address to release; 0: a managed variable
};

/// Whether an address is one of the device's, touchable by the host or not.
bool is_on_device(const void* address);
/// The block that holds the address, as the program or as kernels see it; nullptr: none.
const HostBlock* host_block(const void* address);

/// Lets the host touch `bytes` bytes of the device's memory. False: the program has something else at that address.
bool make_visible(std::uint64_t address, std::uint64_t bytes);
/// Kernels use the pinned allocation or the managed variable at `address`: what the host writes there matters to them.
void share_with_kernels(std::uint64_t address);

}  // namespace lookahead::cudart
