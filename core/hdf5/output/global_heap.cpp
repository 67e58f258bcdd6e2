#include "core/hdf5/output/global_heap.h"

#include <algorithm>

namespace lookahead::hdf5 {

namespace {

/// A collection's size, unless one text alone needs more. HDF5 reads at least 4096 bytes.
constexpr std::size_t kCollectionBytes = 16 * 1024;
constexpr std::size_t kHeaderBytes = 16;  // of a collection, and of an object in it

std::size_t padded(std::size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

}  // namespace

HeapReference GlobalHeap::add(std::span<const std::byte> bytes, std::uint32_t length) {
    const std::size_t needed = kHeaderBytes + padded(bytes.size());
    if (collection_.size() == 0 || collection_.size() + needed > capacity_) {
        finish();
        open(std::max(kCollectionBytes, kHeaderBytes + needed));
    }
    return put(bytes, length);
}

void GlobalHeap::open(std::size_t bytes) {
    capacity_ = bytes;
    address_ = space_.reserve(bytes);
    objects_ = 0;
    collection_.reserve(bytes);
    collection_.put_text("GCOL");
    collection_.put<std::uint32_t>(1);  // version
    collection_.put<std::uint64_t>(bytes);
}

HeapReference GlobalHeap::put(std::span<const std::byte> bytes, std::uint32_t length) {
    collection_.put<std::uint16_t>(++objects_);
    collection_.put_zeros(6);  // references, which HDF5 does not count, and reserved
    collection_.put<std::uint64_t>(bytes.size());
    collection_.put_bytes(bytes);
    collection_.put_zeros(padded(bytes.size()) - bytes.size());
    return {length, address_, objects_};
}

void GlobalHeap::finish() {
    if (collection_.size() == 0) {
        return;
    }
    const std::size_t free = capacity_ - collection_.size();
    if (free >= kHeaderBytes) {  // object 0 is the free room
        collection_.put_zeros(8);
        collection_.put<std::uint64_t>(free);
    }
    space_.write(address_, collection_.bytes());
    collection_.cut(0);
}

}  // namespace lookahead::hdf5
