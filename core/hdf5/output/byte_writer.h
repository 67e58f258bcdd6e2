#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lookahead::hdf5 {

static_assert(std::endian::native == std::endian::little, "HDF5's metadata are little-endian");

/// Bytes of an HDF5 file that are being put together.
class ByteWriter {
  public:
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void put(const T& value) {
        const std::size_t end = bytes_.size();
        bytes_.resize(end + sizeof(T));
        std::memcpy(bytes_.data() + end, &value, sizeof(T));
    }
    void put_byte(unsigned value) { bytes_.push_back(static_cast<std::byte>(value)); }
    void put_bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    void put_text(std::string_view text) { put_bytes(std::as_bytes(std::span(text))); }
    void put_terminated(std::string_view text) {
        put_text(text);
        put_byte(0);
    }
    void put_zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void set(std::size_t offset, const T& value) { std::memcpy(bytes_.data() + offset, &value, sizeof(T)); }
    void cut(std::size_t size) { bytes_.resize(size); }
    void reserve(std::size_t size) { bytes_.reserve(size); }

    std::size_t size() const { return bytes_.size(); }
    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace lookahead::hdf5
