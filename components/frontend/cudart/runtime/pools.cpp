// Memory pools. All memory comes from the device's one allocator; a pool retains none and only stores its attributes.
#include <cstring>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"

namespace lookahead::cudart {

namespace {

/// cudaMemPoolAttr's numbers up to the release threshold; higher ones report retained memory.
enum PoolAttribute { kFollowEvents = 1, kAllowOpportunistic, kAllowInternal, kReleaseThreshold };

struct MemoryPool {
    int reuse[kAllowInternal] = {1, 1, 1};  ///< the three attributes from kFollowEvents on
    std::uint64_t release_threshold = 0;
};

/// The used parts of cudaMemPoolProps, and cudaMemLocation.
struct Location {
    int type, device;
};
/// cudaMemAccessDesc.
struct Access {
    Location location;
    int flags;
};
struct PoolProperties {
    int allocation, handles;
    Location location;
};

MemoryPool& default_pool() {
    static MemoryPool pool;
    return pool;
}
MemoryPool* current_pool = &default_pool();

constexpr int kPinnedAllocation = 1;
constexpr int kOnDevice = 1;
constexpr int kReadWrite = 3;

bool is_this_device(const Location& location) {
    return location.type == kOnDevice && location.device == 0;
}

/// The place and size of the stored attribute; nullptr if it is not stored.
std::pair<void*, std::size_t> place_of(MemoryPool& pool, int attribute) {
    if (attribute >= kFollowEvents && attribute <= kAllowInternal) {
        return {&pool.reuse[attribute - kFollowEvents], sizeof(int)};
    }
    if (attribute == kReleaseThreshold) { return {&pool.release_threshold, sizeof pool.release_threshold}; }
    return {nullptr, 0};
}

[[noreturn]] void refuse_usage() {
    Connection::get().refuse("it asks how much memory a memory pool holds, which is not supported");
}

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaDeviceGetDefaultMemPool(MemoryPool** pool, int device) {
    if (pool == nullptr) { return remember(kInvalidValue); }
    if (device != 0) { return remember(kInvalidDevice); }
    *pool = &default_pool();
    return kSuccess;
}
CudaError cudaDeviceGetMemPool(MemoryPool** pool, int device) {
    if (pool == nullptr) { return remember(kInvalidValue); }
    if (device != 0) { return remember(kInvalidDevice); }
    *pool = current_pool;
    return kSuccess;
}
CudaError cudaDeviceSetMemPool(int device, MemoryPool* pool) {
    if (device != 0) { return remember(kInvalidDevice); }
    if (pool == nullptr) { return remember(kInvalidValue); }
    current_pool = pool;
    return kSuccess;
}
CudaError cudaMemPoolCreate(MemoryPool** pool, const PoolProperties* properties) {
    if (pool == nullptr || properties == nullptr || properties->allocation != kPinnedAllocation ||
        !is_this_device(properties->location)) {
        return remember(kInvalidValue);
    }
    if (properties->handles != 0) {
        Connection::get().refuse("it makes a memory pool that processes can share, which is not supported");
    }
    *pool = new MemoryPool;
    return kSuccess;
}
CudaError cudaMemPoolDestroy(MemoryPool* pool) {
    if (pool == nullptr || pool == &default_pool()) { return remember(kInvalidValue); }
    if (pool == current_pool) { current_pool = &default_pool(); }
    delete pool;
    return kSuccess;
}
CudaError cudaMemPoolSetAttribute(MemoryPool* pool, int attribute, const void* value) {
    constexpr int kHighMarks[] = {6, 8};  // these may be set to zero
    if (pool == nullptr || value == nullptr) { return remember(kInvalidValue); }
    const auto [place, bytes] = place_of(*pool, attribute);
    if (place != nullptr) { std::memcpy(place, value, bytes); }
    return place != nullptr || attribute == kHighMarks[0] || attribute == kHighMarks[1] ? kSuccess
                                                                                        : remember(kInvalidValue);
}
CudaError cudaMemPoolGetAttribute(MemoryPool* pool, int attribute, void* value) {
    constexpr int kLast = 8;
    if (pool == nullptr || value == nullptr || attribute < kFollowEvents || attribute > kLast) {
        return remember(kInvalidValue);
    }
    const auto [place, bytes] = place_of(*pool, attribute);
    if (place == nullptr) { refuse_usage(); }
    std::memcpy(value, place, bytes);
    return kSuccess;
}
/// The device always has access to its own memory.
CudaError cudaMemPoolSetAccess(MemoryPool* pool, const Access* accesses, std::size_t count) {
    if (pool == nullptr || (accesses == nullptr && count != 0)) { return remember(kInvalidValue); }
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_this_device(accesses[i].location) || accesses[i].flags != kReadWrite) {
            return remember(kInvalidDevice);
        }
    }
    return kSuccess;
}
CudaError cudaMemPoolGetAccess(int* flags, MemoryPool* pool, const Location* location) {
    if (flags == nullptr || pool == nullptr || location == nullptr) { return remember(kInvalidValue); }
    *flags = is_this_device(*location) ? kReadWrite : 0;
    return kSuccess;
}
CudaError cudaMemPoolTrimTo(MemoryPool* pool, std::size_t) {
    return pool == nullptr ? remember(kInvalidValue) : kSuccess;
}

}  // extern "C"
