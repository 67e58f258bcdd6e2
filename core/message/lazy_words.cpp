#include "core/message/lazy_words.h"

#include <sys/mman.h>

#include <new>

namespace lookahead {

LazyWords::LazyWords(std::size_t words) : words_(nullptr), bytes_(words * sizeof(std::uint64_t)) {
    if (bytes_ == 0) {
        return;
    }
    void* room = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        throw std::bad_alloc();
    }
    words_ = static_cast<std::uint64_t*>(room);
}

LazyWords::~LazyWords() {
    if (words_ != nullptr) {
        ::munmap(words_, bytes_);
    }
}

}  // namespace lookahead
