#include "core/hdf5/checksum.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/error/error.h"

namespace lookahead::hdf5 {

namespace {

constexpr std::string_view kMark = "CHECKSUM";

/// The trailer's layout in the file.
struct Trailer {
    std::array<char, kMark.size()> mark;
    std::uint64_t length;
    std::uint64_t crc;
};
static_assert(sizeof(Trailer) == kChecksumBytes && std::endian::native == std::endian::little);

[[noreturn]] void fail(const std::string& path, const char* action) {
    throw InputError("{}: cannot {}: {}", path, action, std::strerror(errno));
}

std::uint64_t length_of(int descriptor, const std::string& path) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0) { fail(path, "read"); }
    return static_cast<std::uint64_t>(about.st_size);
}

void read_at(int descriptor, const std::string& path, std::uint64_t first, void* bytes, std::size_t count) {
    const ssize_t got = ::pread(descriptor, bytes, count, static_cast<off_t>(first));
    if (got != static_cast<ssize_t>(count)) {
        errno = got < 0 ? errno : EIO;  // the file became shorter
        fail(path, "read");
    }
}

std::uint64_t crc_of(int descriptor, const std::string& path, std::uint64_t length) {
    constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
    std::vector<Bytef> piece(std::min(kPieceBytes, length));
    uLong crc = crc32_z(0, nullptr, 0);
    for (std::uint64_t first = 0; first < length; first += piece.size()) {
        const std::size_t count = std::min<std::uint64_t>(piece.size(), length - first);
        read_at(descriptor, path, first, piece.data(), count);
        crc = crc32_z(crc, piece.data(), count);
    }
    return crc;
}

}  // namespace

Checksum checksum_of(int descriptor, const std::string& path) {
    const std::uint64_t length = length_of(descriptor, path);
    if (length < sizeof(Trailer)) { return Checksum::none; }
    Trailer trailer;
    read_at(descriptor, path, length - sizeof trailer, &trailer, sizeof trailer);
    if (std::string_view(trailer.mark.data(), trailer.mark.size()) != kMark) { return Checksum::none; }
    const std::uint64_t before = length - sizeof trailer;
    return trailer.length == before && trailer.crc == crc_of(descriptor, path, before) ? Checksum::right
                                                                                       : Checksum::wrong;
}

void append_checksum(int descriptor, const std::string& path) {
    Trailer trailer{{}, length_of(descriptor, path), 0};
    std::ranges::copy(kMark, trailer.mark.begin());
    trailer.crc = crc_of(descriptor, path, trailer.length);
    const ssize_t done = ::pwrite(descriptor, &trailer, sizeof trailer, static_cast<off_t>(trailer.length));
    if (done != static_cast<ssize_t>(sizeof trailer)) {
        errno = done < 0 ? errno : ENOSPC;
        fail(path, "write its checksum");
    }
}

}  // namespace lookahead::hdf5
