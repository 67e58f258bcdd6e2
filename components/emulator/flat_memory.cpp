#include "components/emulator/flat_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "components/device/allocator.h"
#include "core/error/error.h"

namespace lookahead {

FlatMemory::FlatMemory() {
    void* const reserved =
        mmap(nullptr, Allocator::kCapacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        throw InternalError(std::string("cannot reserve address space for the emulator's memory: ") +
                            std::strerror(errno));
    base_ = static_cast<std::byte*>(reserved);
}

FlatMemory::~FlatMemory() {
    munmap(base_, Allocator::kCapacity);
}

void FlatMemory::grow_to(DeviceAddress end) {
    constexpr std::uint64_t kStep = std::uint64_t{2} << 20;
    const std::uint64_t needed = (end - isa::kGlobalBase + kStep - 1) / kStep * kStep;
    if (needed <= accessible_) return;
    if (mprotect(base_ + accessible_, needed - accessible_, PROT_READ | PROT_WRITE) != 0)
        throw ProgramError("the host has no memory for " + std::to_string(needed) +
                           " bytes of device memory: " + std::strerror(errno));
    accessible_ = needed;
}

}  // namespace lookahead
