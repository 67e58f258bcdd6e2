#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace boost::archive {
class binary_oarchive;
class binary_iarchive;
}  // namespace boost::archive

namespace lookahead {

/// The bytes that `save` puts into a Boost archive: an LP's state, a counter struct.
std::string archive_to_bytes(const std::function<void(boost::archive::binary_oarchive&)>& save);

/// Gives the bytes to `load`. Bytes that end too early, or of which some are left, are an InputError that names
/// `what` ("the state of sm3").
void archive_from_bytes(std::string_view bytes, const std::string& what,
                        const std::function<void(boost::archive::binary_iarchive&)>& load);

}  // namespace lookahead
