#include "components/emulator/flat_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/error/error.h"

namespace lookahead {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLeastGivenBack = 64 * kPage;  ///< for less, the call costs more than it saves
static_assert(isa::kModuleBase >= isa::kGlobalBase + isa::kGlobalBytes);

void make_accessible(std::byte* begin, std::uint64_t bytes) {
    if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) {
        throw ProgramError("the host has no memory for {} more bytes of device memory: {}", bytes,
                           std::strerror(errno));
    }
}

}  // namespace

FlatMemory::FlatMemory(int file) {
    const auto map = [](void* place, std::uint64_t bytes, int flags, int from) {
        void* const reserved = mmap(place, bytes, PROT_NONE, MAP_NORESERVE | flags, from, 0);
        if (reserved == MAP_FAILED) {
            throw InternalError(std::string("cannot reserve address space for the emulator's memory: ") +
                                std::strerror(errno));
        }
        return static_cast<std::byte*>(reserved);
    };
    std::byte* const before = map(nullptr, kBytesBefore + kBytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    base_ = before + kBytesBefore;
    in_file_ = file >= 0;
    if (file >= 0) { map(base_, kBytes, MAP_SHARED | MAP_FIXED, file); }
    make_accessible(before, kBytesBefore);
}

FlatMemory::~FlatMemory() {
    munmap(base_ - kBytesBefore, kBytesBefore + kBytes);
}

void FlatMemory::grow_to(DeviceAddress end) {
    constexpr std::uint64_t kStep = std::uint64_t{2} << 20;
    const std::uint64_t needed = (end - isa::kGlobalBase + kStep - 1) / kStep * kStep;
    if (needed <= accessible_) { return; }
    make_accessible(base_ + accessible_, needed - accessible_);
    accessible_ = needed;
}

void FlatMemory::open(DeviceAddress address, std::uint64_t bytes) {
    constexpr std::uint64_t kWhole = Allocator::kPageBytes;  // as kernels may access it (Allocator::use_pages)
    const DeviceAddress begin = address / kWhole * kWhole;
    const DeviceAddress end = (address + bytes + kWhole - 1) / kWhole * kWhole;
    make_accessible(at(begin), end - begin);
}

void FlatMemory::fill(DeviceAddress address, std::byte value, std::uint64_t bytes) {
    const auto set = [&](DeviceAddress from, DeviceAddress to) {
        if (from < to) { std::memset(at(from), std::to_integer<int>(value), to - from); }
    };
    const DeviceAddress end = address + bytes;
    const DeviceAddress first_page = std::min(end, (address + kPage - 1) / kPage * kPage);
    const DeviceAddress last_page = std::max(first_page, end / kPage * kPage);
    set(address, first_page);
    const bool is_gone = value == std::byte{0} && last_page - first_page >= kLeastGivenBack &&
                         madvise(at(first_page), last_page - first_page, in_file_ ? MADV_REMOVE : MADV_DONTNEED) == 0;
    if (!is_gone) { set(first_page, last_page); }
    set(last_page, end);
}

}  // namespace lookahead
