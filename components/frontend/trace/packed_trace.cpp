#include "components/frontend/trace/packed_trace.h"

#include <zstd.h>

#include <cstring>
#include <memory>

#include "core/error/error.h"
#include "core/files/writable.h"

namespace lookahead::trace {
namespace {

/// The file's numbers from a place on.
class Numbers {
  public:
    Numbers(const std::string& path, const std::string& bytes, std::uint64_t at)
        : path_(path), bytes_(bytes), at_(at) {}

    template <class T>
    T next() {
        T value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    const char* take(std::uint64_t count) {
        if (at_ > bytes_.size() || count > bytes_.size() - at_) {
            throw InputError("{}: this is no complete packed trace", path_);
        }
        at_ += count;
        return bytes_.data() + at_ - count;
    }
    /// A count of things that take `bytes` bytes each in the file.
    std::uint32_t count(std::uint64_t bytes) {
        const auto value = next<std::uint32_t>();
        if (value > bytes_.size() / bytes) { throw InputError("{}: this is no complete packed trace", path_); }
        return value;
    }

  private:
    const std::string& path_;
    const std::string& bytes_;
    std::uint64_t at_;
};

}  // namespace

PackedTrace::PackedTrace(const std::string& path) : path_(path) {
    auto bytes = read_file(path);
    if (!bytes) { throw InputError("{}: cannot be read; give a trace", path); }
    bytes_ = *std::move(bytes);
    header_ = bytes_.substr(0, bytes_.find('\0'));
    Numbers begin(path_, bytes_, header_.size() + 1);
    const auto dictionary_bytes = begin.next<std::uint32_t>();
    begin.next<std::uint32_t>();  // instructions of a chunk
    dictionary_.assign(begin.take(dictionary_bytes), dictionary_bytes);
    constexpr std::uint64_t kPlace = 12, kWarp = 20;
    Numbers end(path_, bytes_, bytes_.size() < 8 ? bytes_.size() : bytes_.size() - 8);
    Numbers index(path_, bytes_, end.next<std::uint64_t>());
    ctas_.resize(index.count(3 * kPlace + 8));
    for (Cta& cta : ctas_) {
        cta.place.x = index.next<std::uint32_t>();
        cta.place.y = index.next<std::uint32_t>();
        cta.place.z = index.next<std::uint32_t>();
        index.take(2 * kPlace + 4);
        cta.warps.resize(index.count(kWarp));
        for (Warp& warp : cta.warps) {
            warp.instructions = index.next<std::uint32_t>();
            warp.chunks = index.next<std::uint32_t>();
            warp.offset = index.next<std::uint64_t>();
            index.take(4);
        }
    }
}

std::string PackedTrace::text_of(const Warp& warp) const {
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    Numbers chunks(path_, bytes_, warp.offset);
    chunks.take(8);  // instructions and chunks again
    std::string text;
    for (std::uint32_t chunk = 0; chunk < warp.chunks; ++chunk) {
        const auto bytes = chunks.next<std::uint32_t>();
        const char* const frame = chunks.take(bytes);
        const unsigned long long size = ZSTD_getFrameContentSize(frame, bytes);
        constexpr unsigned long long kMost = 1 << 30;
        if (size > kMost) { throw InputError("{}: a frame of it is damaged", path_); }
        const std::size_t begin = text.size();
        text.resize(begin + size);
        const std::size_t got = ZSTD_decompress_usingDict(context.get(), text.data() + begin, size, frame, bytes,
                                                          dictionary_.data(), dictionary_.size());
        if (ZSTD_isError(got) != 0 || got != size) { throw InputError("{}: a frame of it is damaged", path_); }
    }
    return text;
}

}  // namespace lookahead::trace
