#include "core/hdf5/output/file_space.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error/error.h"

namespace lookahead::hdf5 {

namespace {

constexpr std::size_t kWindowBytes = 4 * 1024 * 1024;
constexpr std::uint64_t kAlignment = 8;

[[noreturn]] void fail_by_errno(const std::string& path, const char* action) {
    throw InputError(path + ": cannot " + action + ": " + std::strerror(errno));
}

}  // namespace

FileSpace::FileSpace(std::string path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) {
        fail_by_errno(path_, "create");
    }
}

FileSpace::~FileSpace() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::uint64_t FileSpace::reserve(std::uint64_t bytes) {
    if (window_.size() >= kWindowBytes) {
        flush();
    }
    const std::uint64_t address = size();
    window_.resize(window_.size() + (bytes + kAlignment - 1) / kAlignment * kAlignment);
    return address;
}

void FileSpace::write(std::uint64_t address, std::span<const std::byte> bytes) {
    if (address < base_) {
        write_through(address, bytes);
    } else {
        std::ranges::copy(bytes, window_.begin() + static_cast<std::ptrdiff_t>(address - base_));
    }
}

std::uint64_t FileSpace::append(std::span<const std::byte> bytes) {
    const std::uint64_t address = reserve(bytes.size());
    write(address, bytes);
    return address;
}

void FileSpace::write_through(std::uint64_t address, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            fail_by_errno(path_, "write");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        address += static_cast<std::uint64_t>(written);
    }
}

void FileSpace::flush() {
    write_through(base_, window_);
    base_ += window_.size();
    window_.clear();
}

void FileSpace::close() {
    flush();
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) {
        fail_by_errno(path_, "close");
    }
}

}  // namespace lookahead::hdf5
