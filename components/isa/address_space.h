#pragma once

#include <cstdint>

namespace lookahead::isa {

/// The one virtual address layout, independent of machine, finaliser and front end. Generic addresses in the shared
/// and local windows name the thread's own shared and local memory; everything else is global.
inline constexpr std::uint64_t kSharedWindowBase = 0x0000'0001'0000'0000;
inline constexpr std::uint64_t kSharedWindowBytes = 0x0000'0000'0100'0000;
inline constexpr std::uint64_t kLocalWindowBase = 0x0000'0002'0000'0000;
inline constexpr std::uint64_t kLocalWindowBytes = 0x0000'0001'0000'0000;
inline constexpr std::uint64_t kGlobalBase = 0x0000'0010'0000'0000;
/// Behind what can be allocated (256 GiB): a module's .global and its .const variables (module_image.h). Addresses in
/// .const are these addresses too, so that constants need no conversion to be generic.
inline constexpr std::uint64_t kModuleBase = 0x0000'0050'0000'0000;
inline constexpr std::uint64_t kModuleBytes = 0x0000'0001'0000'0000;
inline constexpr std::uint64_t kConstantBase = kModuleBase + kModuleBytes;
inline constexpr std::uint64_t kConstantBytes = 0x0000'0001'0000'0000;
/// cudaMalloc's alignment.
inline constexpr std::uint64_t kAllocationAlignment = 256;

}  // namespace lookahead::isa
