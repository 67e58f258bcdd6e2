#include "components/frontend/trace/trace_text.h"

#include <lzma.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/error/error.h"

namespace lookahead::trace {

/// The bytes of the file, decompressed.
struct LineReader::Source {
    Source(const std::string& path, bool compressed) : file(std::fopen(path.c_str(), "rb")), is_xz(compressed) {
        if (file == nullptr) { throw InputError("{}: cannot be read", path); }
        if (is_xz && lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
            throw InputError("{}: xz has no memory to read it", path);
        }
    }
    ~Source() {
        if (is_xz) { lzma_end(&stream); }
        std::fclose(file);
    }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    /// Writes up to `size` bytes; returns how many, 0 at the end.
    std::size_t read(const std::string& path, char* to, std::size_t size) {
        if (!is_xz) {
            const std::size_t got = std::fread(to, 1, size, file);
            if (got == 0 && std::ferror(file) != 0) { throw InputError("{}: cannot be read; give a trace", path); }
            return got;
        }
        stream.next_out = reinterpret_cast<std::uint8_t*>(to);
        stream.avail_out = size;
        while (stream.avail_out == size && !at_end) {
            if (stream.avail_in == 0) {
                stream.next_in = input;
                stream.avail_in = std::fread(input, 1, sizeof input, file);
            }
            const lzma_ret result = lzma_code(&stream, stream.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
            at_end = result == LZMA_STREAM_END;
            if (result != LZMA_OK && !at_end) { throw InputError("{}: this is no complete xz file", path); }
        }
        return size - stream.avail_out;
    }

    std::FILE* file;
    bool is_xz;
    bool at_end = false;
    lzma_stream stream = LZMA_STREAM_INIT;
    std::uint8_t input[1 << 16];
};

LineReader::LineReader(const std::string& path)
    : path_(path), source_(std::make_unique<Source>(path, path.ends_with(".xz"))), buffer_(1 << 18) {}

LineReader::~LineReader() = default;

/// Reads more after what is in the buffer. Returns false at the file's end.
bool LineReader::fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) { buffer_.resize(2 * buffer_.size()); }
    const std::size_t got = source_->read(path_, buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    return got != 0;
}

bool LineReader::next(std::string_view& line) {
    std::size_t searched = 0;
    for (;;) {
        const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
        const std::size_t end = rest.find('\n', searched);
        searched = rest.size();
        if (end == std::string_view::npos && fill()) { continue; }
        if (searched == 0) { return false; }
        const std::size_t length = std::min(end, searched);
        line = std::string_view(buffer_.data() + begin_, length);
        begin_ = std::min(begin_ + length + 1, end_);
        if (line.ends_with('\r')) { line.remove_suffix(1); }
        ++number_;
        return true;
    }
}

std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 200;
    std::string result(text.substr(0, kMost));
    std::ranges::replace_if(
        result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
}

std::string_view Words::next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(" \t"), rest_.size());
    rest_.remove_prefix(begin);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(word.size());
    return word;
}

}  // namespace lookahead::trace
