#include "components/frontend/cudart/fat_binary.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "components/frontend/cudart/lz4_block.h"
#include "core/error/error.h"

namespace lookahead::cudart {

namespace {

constexpr std::uint16_t kPtxKind = 1, kCubinKind = 2;
constexpr std::uint64_t kLz4Flag = 0x2000;
constexpr std::uint64_t kZstdFlag = 0x8000;

/// The part of an entry's header that all versions have. The entry's options and name may follow.
struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t payload_bytes;     ///< padded to 8
    std::uint32_t compressed_bytes;  ///< 0: plain
    std::uint32_t options_offset;
    std::uint16_t minor;
    std::uint16_t major;
    std::uint32_t architecture;
    std::uint32_t name_offset;
    std::uint32_t name_bytes;
    std::uint64_t flags;
    std::uint64_t unused;
    std::uint64_t uncompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

template <class T>
T read(std::span<const std::byte> bytes, const char* what) {
    if (bytes.size() < sizeof(T)) { throw InputError("{} is cut off after {} bytes", what, bytes.size()); }
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::vector<std::byte> decompress_zstd(std::span<const std::byte> frame, std::uint64_t bytes) {
    std::vector<std::byte> output(bytes);
    const std::size_t written = ZSTD_decompress(output.data(), output.size(), frame.data(), frame.size());
    if (ZSTD_isError(written) != 0) { throw InputError("damaged Zstandard frame: {}", ZSTD_getErrorName(written)); }
    if (written != bytes) {
        throw InputError("a Zstandard frame of {} bytes where its header says {}", written, bytes);
    }
    return output;
}

std::vector<std::byte> payload_of(const EntryHeader& entry, std::span<const std::byte> payload) {
    const std::uint64_t compression = entry.flags & (kLz4Flag | kZstdFlag);
    if (compression == 0 && entry.compressed_bytes == 0) { return {payload.begin(), payload.end()}; }
    if (entry.compressed_bytes == 0 || entry.compressed_bytes > payload.size()) {
        throw InputError("an entry's compressed size is {}, its payload has {} bytes", entry.compressed_bytes,
                         payload.size());
    }
    if (entry.uncompressed_bytes > kMostPtxBytes) {
        throw InputError("an entry of {} bytes uncompressed, more than {}", entry.uncompressed_bytes, kMostPtxBytes);
    }
    const auto compressed = payload.first(entry.compressed_bytes);
    if (compression == kZstdFlag) { return decompress_zstd(compressed, entry.uncompressed_bytes); }
    if (compression == kLz4Flag) { return decompress_lz4_block(compressed, entry.uncompressed_bytes); }
    throw InputError("an entry's flags are {:#x}: neither Zstandard nor LZ4", entry.flags);
}

/// The text ends with NUL, and padding may follow.
std::string text_of(const std::vector<std::byte>& payload) {
    const auto end = std::ranges::find(payload, std::byte{0});
    std::string text(static_cast<std::size_t>(end - payload.begin()), ' ');
    std::memcpy(text.data(), payload.data(), text.size());
    if (text.empty()) { throw InputError("an entry's PTX is empty"); }
    return text;
}

/// Calls take(architecture, payload) for each entry of the kind.
void for_each_entry(std::span<const std::byte> bytes, std::uint16_t kind, const auto& take) {
    const auto header = read<FatBinaryHeader>(bytes, "the header");
    if (header.magic != FatBinaryHeader::kMagic) {
        throw InputError("the magic number is {:#x} instead of {:#x}", header.magic,
                         std::uint32_t{FatBinaryHeader::kMagic});
    }
    if (header.version != FatBinaryHeader::kVersion || header.header_bytes < sizeof header ||
        header.header_bytes > bytes.size()) {
        throw InputError("version {} with a header of {} bytes; version 1 with 16 bytes is supported", header.version,
                         header.header_bytes);
    }
    bytes = bytes.subspan(header.header_bytes);
    if (header.entry_bytes > bytes.size()) {
        throw InputError("entries of {} bytes, but only {} bytes are there", header.entry_bytes, bytes.size());
    }
    bytes = bytes.first(header.entry_bytes);

    while (!bytes.empty()) {
        const auto entry = read<EntryHeader>(bytes, "an entry's header");
        if (entry.header_bytes < sizeof entry || entry.header_bytes > bytes.size() ||
            entry.payload_bytes > bytes.size() - entry.header_bytes) {
            throw InputError("an entry of {} and {} bytes, but only {} bytes are left", entry.header_bytes,
                             entry.payload_bytes, bytes.size());
        }
        const auto payload = bytes.subspan(entry.header_bytes, entry.payload_bytes);
        if (entry.kind == kind) { take(entry.architecture, payload_of(entry, payload)); }
        bytes = bytes.subspan(entry.header_bytes + entry.payload_bytes);
    }
}

/// The images of the kind, each with what contents_of(payload) returns.
template <class Image>
std::vector<Image> extract(std::span<const std::byte> bytes, std::string_view name, std::uint16_t kind,
                           const auto& contents_of) {
    std::vector<Image> images;
    try {
        for_each_entry(bytes, kind, [&](std::uint32_t architecture, const std::vector<std::byte>& payload) {
            images.push_back({architecture, contents_of(payload)});
        });
    } catch (const InputError& error) { throw InputError("{}: {}", name, error.what()); }
    return images;
}

}  // namespace

std::uint64_t fat_binary_bytes(std::span<const std::byte> bytes, std::string_view name) {
    FatBinaryHeader header{};
    if (bytes.size() >= sizeof header) { std::memcpy(&header, bytes.data(), sizeof header); }
    if (bytes.size() < sizeof header || header.header_bytes > bytes.size() ||
        header.entry_bytes > bytes.size() - header.header_bytes) {
        throw InputError("{}: it is cut off after {} bytes", name, bytes.size());
    }
    return header.header_bytes + header.entry_bytes;
}

std::vector<PtxImage> extract_ptx(std::span<const std::byte> fat_binary, std::string_view name) {
    return extract<PtxImage>(fat_binary, name, kPtxKind, text_of);
}

std::vector<CubinImage> extract_cubins(std::span<const std::byte> fat_binary, std::string_view name) {
    return extract<CubinImage>(fat_binary, name, kCubinKind, std::identity{});
}

}  // namespace lookahead::cudart
