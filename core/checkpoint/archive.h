#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace boost::archive {
class binary_oarchive;
class binary_iarchive;
}  // namespace boost::archive

namespace lookahead {

using ArchiveSave = std::function<void(boost::archive::binary_oarchive&)>;
using ArchiveLoad = std::function<void(boost::archive::binary_iarchive&)>;

/// The largest piece that an archive passes to a sink or requests from a source, in bytes.
constexpr std::size_t kArchivePieceBytes = std::size_t{1} << 20;

/// Receives the next bytes.
using ByteSink = std::function<void(std::string_view piece)>;
/// Writes the next bytes into `room` and returns their number, which is less than the size of `room` only at the end.
using ByteSource = std::function<std::size_t(std::span<char> room)>;

/// Passes the bytes that `save` writes to a Boost archive to the sink, in pieces of at most kArchivePieceBytes.
void archive_to(const ByteSink&, const ArchiveSave& save);
/// The same as one string: an LP's state, a counter struct.
std::string archive_to_bytes(const ArchiveSave& save);

/// Passes the bytes of the source to `load`. If the bytes end too early, or some are left, an InputError names `what`
/// ("the state of sm3").
void archive_from(const ByteSource&, const std::string& what, const ArchiveLoad& load);
void archive_from_bytes(std::string_view bytes, const std::string& what, const ArchiveLoad& load);

/// A source of these bytes, which must outlive it.
ByteSource source_of(std::string_view bytes);

}  // namespace lookahead
