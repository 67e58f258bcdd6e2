#pragma once

#include <cstdint>

#include "components/frontend/cudart/protocol.h"

namespace lookahead::cudart {

/// An allocation that the host can access.
struct HostBlock {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool is_managed = false;       ///< else pinned
    unsigned flags = 0;            ///< of cudaHostAlloc
    void* registered = nullptr;    ///< cudaHostRegister: the program's own address of it
    std::uint64_t allocation = 0;  ///< address to release; 0: a managed variable
};

/// Whether an address belongs to the device, accessible by the host or not.
bool is_on_device(const void* address);
/// The block that holds an address of the program or of kernels; nullptr if none.
const HostBlock* host_block(const void* address);

/// Makes `bytes` bytes of the device's memory accessible to the host. False if the program uses that address range for
/// something else.
bool make_visible(std::uint64_t address, std::uint64_t bytes);
/// Marks the pinned allocation or managed variable as used by kernels, so that the host's writes to it are recorded.
void share_with_kernels(std::uint64_t address);

}  // namespace lookahead::cudart
