#include "core/checkpoint/archive.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <streambuf>

#include "core/error/error.h"

namespace lookahead {

namespace {

/// Has room for one piece.
class Piecewise : public std::streambuf {
  protected:
    char* begin() { return piece_.get(); }
    char* end() { return piece_.get() + kArchivePieceBytes; }

  private:
    std::unique_ptr<char[]> piece_ = std::make_unique_for_overwrite<char[]>(kArchivePieceBytes);
};

class SinkBuffer final : public Piecewise {
  public:
    explicit SinkBuffer(const ByteSink& sink) : sink_(sink) { setp(begin(), end()); }

    void flush() {
        if (pptr() != pbase()) {
            sink_({pbase(), static_cast<std::size_t>(pptr() - pbase())});
            setp(begin(), end());
        }
    }

  private:
    int_type overflow(int_type c) override {
        flush();
        *pptr() = traits_type::to_char_type(c);
        pbump(1);
        return c;
    }

    const ByteSink& sink_;
};

class SourceBuffer final : public Piecewise {
  public:
    explicit SourceBuffer(const ByteSource& source) : source_(source) {}

  private:
    int_type underflow() override {
        const std::size_t got = source_({begin(), kArchivePieceBytes});
        setg(begin(), begin(), begin() + got);
        return got == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }

    const ByteSource& source_;
};

}  // namespace

void archive_to(const ByteSink& sink, const ArchiveSave& save) {
    SinkBuffer buffer(sink);
    {
        boost::archive::binary_oarchive archive(buffer, boost::archive::no_header);
        save(archive);
    }
    buffer.flush();
}

std::string archive_to_bytes(const ArchiveSave& save) {
    std::string bytes;
    archive_to([&](std::string_view piece) { bytes += piece; }, save);
    return bytes;
}

void archive_from(const ByteSource& source, const std::string& what, const ArchiveLoad& load) {
    SourceBuffer buffer(source);
    try {
        boost::archive::binary_iarchive archive(buffer, boost::archive::no_header);
        load(archive);
    } catch (const boost::archive::archive_exception& error) {
        throw InputError("{} cannot be restored: {}", what, error.what());
    } catch (const std::length_error&) {
        throw InputError("{} cannot be restored: a length in it is impossible", what);
    } catch (const std::out_of_range&) {
        throw InputError("{} cannot be restored: a number in it is impossible", what);
    } catch (const std::bad_alloc&) { throw InputError("{} cannot be restored: a length in it is impossible", what); }
    if (buffer.sgetc() != std::streambuf::traits_type::eof()) {
        throw InputError("{} cannot be restored: it was saved with more members than are loaded", what);
    }
}

void archive_from_bytes(std::string_view bytes, const std::string& what, const ArchiveLoad& load) {
    archive_from(source_of(bytes), what, load);
}

ByteSource source_of(std::string_view bytes) {
    return [bytes](std::span<char> room) mutable {
        const std::size_t count = bytes.copy(room.data(), room.size());
        bytes.remove_prefix(count);
        return count;
    };
}

}  // namespace lookahead
