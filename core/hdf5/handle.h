#pragma once

#include <cstdint>
#include <utility>

namespace lookahead::hdf5 {

/// HDF5's hid_t, so that headers need not include hdf5.h.
using Id = std::int64_t;

/// Owns an HDF5 identifier and closes it.
class Handle {
  public:
    using Close = int (*)(Id);

    Handle() = default;
    Handle(Id id, Close close) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { reset(); }

    Id get() const { return id_; }

    /// Closes the identifier now. Returns the result of HDF5's function, negative for an error.
    int reset() {
        const Id id = std::exchange(id_, -1);
        return id < 0 ? 0 : close_(id);
    }

  private:
    Id id_ = -1;
    Close close_ = nullptr;
};

}  // namespace lookahead::hdf5
