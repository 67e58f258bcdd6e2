#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/state/state_archive.h"

namespace lookahead {

/// A first-in, first-out queue of fixed capacity. Slots stay in place and are filled there.
template <class T>
class Ring {
  public:
    explicit Ring(std::size_t capacity = 0) : capacity_(static_cast<std::uint32_t>(capacity)), slots_(capacity) {}

    std::uint32_t capacity() const { return capacity_; }
    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == capacity_; }

    T& front() { return slots_[head_]; }
    const T& front() const { return slots_[head_]; }
    /// Element i from the front; element size() is the slot of the next push.
    T& operator[](std::uint32_t i) { return slots_[place_of(i)]; }
    const T& operator[](std::uint32_t i) const { return slots_[place_of(i)]; }

    /// Returns the slot of the new last element, which still has its old contents. The ring must not be full.
    T& push() { return (*this)[size_++]; }
    void pop() {
        head_ = place_of(1);
        --size_;
    }
    /// Keeps the first `size` elements.
    void shrink(std::uint32_t size) { size_ = size; }

    template <class F>
    void for_each(F&& f) {
        for (std::uint32_t i = 0; i < size_; ++i) { f((*this)[i]); }
    }
    template <class F>
    void for_each(F&& f) const {
        for (std::uint32_t i = 0; i < size_; ++i) { f((*this)[i]); }
    }

    /// `each(element)` lists an element's fields. The position of the elements in the storage is not part of the state.
    /// std::length_error if the state to be loaded has more elements than the capacity.
    template <class Each>
    void fields(StateArchive& archive, Each&& each) {
        std::uint32_t size = size_;
        archive& size;
        if (archive.loading()) {
            if (size > capacity_) { throw std::length_error("a ring has no room for so many elements"); }
            head_ = 0;
            size_ = size;
        }
        for_each(each);
    }

  private:
    std::uint32_t place_of(std::uint32_t i) const {
        const std::uint32_t place = head_ + i;
        return place >= capacity_ ? place - capacity_ : place;
    }

    std::uint32_t capacity_;
    std::uint32_t head_ = 0;
    std::uint32_t size_ = 0;
    std::vector<T> slots_;
};

}  // namespace lookahead
