#include "core/message/lazy_words.h"

#include <sys/mman.h>

#include <new>

namespace lookahead {

namespace {

constexpr std::size_t kRegionBytes = std::size_t{16} << 20;
constexpr std::size_t kLineBytes = 64;

}  // namespace

class LazyWords::Region {
  public:
    explicit Region(std::size_t bytes) : bytes_(bytes) {
        void* room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) {
            throw std::bad_alloc();
        }
        begin_ = static_cast<std::byte*>(room);
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region() { ::munmap(begin_, bytes_); }

    std::size_t room() const { return bytes_ - used_; }
    /// Bytes that nobody has had. There must be room for them.
    std::uint64_t* take(std::size_t bytes) {
        std::byte* block = begin_ + used_;
        used_ += bytes;
        return reinterpret_cast<std::uint64_t*>(block);
    }

  private:
    std::byte* begin_ = nullptr;
    std::size_t bytes_;
    std::size_t used_ = 0;
};

namespace {

/// The region that blocks are being taken from, or one of its own for a block that is larger.
std::shared_ptr<LazyWords::Region> region_with(std::size_t bytes) {
    thread_local std::weak_ptr<LazyWords::Region> open;
    if (bytes > kRegionBytes) {
        return std::make_shared<LazyWords::Region>(bytes);
    }
    auto region = open.lock();
    if (region == nullptr || region->room() < bytes) {
        region = std::make_shared<LazyWords::Region>(kRegionBytes);
        open = region;
    }
    return region;
}

}  // namespace

LazyWords::LazyWords(std::size_t words) {
    if (words == 0) {
        return;
    }
    const std::size_t bytes = (words * sizeof(std::uint64_t) + kLineBytes - 1) / kLineBytes * kLineBytes;
    region_ = region_with(bytes);
    words_ = region_->take(bytes);
}

LazyWords::~LazyWords() = default;

}  // namespace lookahead
