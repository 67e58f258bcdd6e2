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

/// The most that an archive hands out or asks for at once.
constexpr std::size_t kArchivePieceBytes = std::size_t{1} << 20;

/// Takes the next bytes.
using ByteSink = std::function<void(std::string_view piece)>;
/// Puts the next bytes into the room; their number, which is less than the room has only at the end.
using ByteSource = std::function<std::size_t(std::span<char> room)>;

/// Gives the bytes that `save` puts into a Boost archive to the sink, in pieces of kArchivePieceBytes at most.
void archive_to(const ByteSink&, const ArchiveSave& save);
/// The same as one string: an LP's state, a counter struct.
std::string archive_to_bytes(const ArchiveSave& save);

/// Gives what the source has to `load`. Bytes that end too early, or of which some are left, are an InputError that names
/// `what` ("the state of sm3").
void archive_from(const ByteSource&, const std::string& what, const ArchiveLoad& load);
void archive_from_bytes(std::string_view bytes, const std::string& what, const ArchiveLoad& load);

/// Hands out the bytes, which must outlive it.
ByteSource source_of(std::string_view bytes);

}  // namespace lookahead
