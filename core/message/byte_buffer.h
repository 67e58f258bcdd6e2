#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "core/state/state_archive.h"

namespace lookahead {

/// A growing array of bytes, without the zeroing of std::vector. Keeps its memory when cleared.
class ByteBuffer {
  public:
    ByteBuffer() = default;
    ByteBuffer(ByteBuffer&& other) noexcept { swap(other); }
    ByteBuffer& operator=(ByteBuffer&& other) noexcept {
        swap(other);
        return *this;
    }

    std::byte* data() { return bytes_.get(); }
    const std::byte* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    void clear() { size_ = 0; }

    /// Makes room for `count` bytes at the end, a multiple of 8, and returns their address. Earlier pointers into the
    /// buffer become invalid.
    std::byte* extend(std::size_t count) {
        if (size_ + count > capacity_) [[unlikely]] { grow(size_ + count); }
        std::byte* place = bytes_.get() + size_;
        size_ += count;
        return place;
    }

    void append(const void* from, std::size_t count) { std::memcpy(extend(count), from, count); }

    void swap(ByteBuffer& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    void fields(StateArchive& archive) {
        std::uint64_t size = size_;
        archive& size;
        if (archive.loading()) {
            clear();
            extend(size);
        }
        archive.plain(data(), size_);
    }

  private:
    void grow(std::size_t least) {
        const std::size_t capacity = std::max(least, capacity_ == 0 ? std::size_t{512} : 2 * capacity_);
        // realloc leaves a large buffer in place if there is room after it, so that appending a message copies no
        // others.
        auto* bytes = static_cast<std::byte*>(std::realloc(bytes_.get(), capacity));
        if (bytes == nullptr) { throw std::bad_alloc(); }
        static_cast<void>(bytes_.release());
        bytes_.reset(bytes);
        capacity_ = capacity;
    }

    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };

    std::unique_ptr<std::byte[], Free> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace lookahead
