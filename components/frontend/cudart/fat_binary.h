#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead::cudart {

/// The argument of __cudaRegisterFatBinary, in the section .nvFatBinSegment.
struct FatBinaryWrapper {
    static constexpr std::uint32_t kMagic = 0x466243B1;
    static constexpr std::uint32_t kVersion = 1;
    static constexpr std::uint32_t kRelocatableVersion = 2;  ///< nvcc -rdc=true

    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t data;    ///< address of the fat binary
    std::uint64_t linked;  ///< version 2: address of an array of the linked fat binaries' addresses, which a 0 ends
};
static_assert(sizeof(FatBinaryWrapper) == 24);

struct FatBinaryHeader {
    static constexpr std::uint32_t kMagic = 0xBA55ED50;
    static constexpr std::uint16_t kVersion = 1;

    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t entry_bytes;  ///< of all entries
};
static_assert(sizeof(FatBinaryHeader) == 16);

/// PTX text of a fat binary.
struct PtxImage {
    std::uint32_t architecture = 0;  ///< 75: compute_75
    std::string text;
};

/// Machine code of a fat binary: a cubin.
struct CubinImage {
    std::uint32_t architecture = 0;  ///< 90: sm_90
    std::vector<std::byte> bytes;
};

/// The greatest size of a PTX module or cubin; a header with a larger size is taken as damaged.
inline constexpr std::uint64_t kMostPtxBytes = std::uint64_t{256} << 20;

/// Length of the fat binary at the beginning of `bytes`, with header. InputError beginning with `name` if incomplete.
std::uint64_t fat_binary_bytes(std::span<const std::byte> bytes, std::string_view name);

/// All PTX of a fat binary, header included, uncompressed. Malformed data are an InputError that begins with `name`.
std::vector<PtxImage> extract_ptx(std::span<const std::byte> fat_binary, std::string_view name);
/// Likewise all cubins.
std::vector<CubinImage> extract_cubins(std::span<const std::byte> fat_binary, std::string_view name);

}  // namespace lookahead::cudart
