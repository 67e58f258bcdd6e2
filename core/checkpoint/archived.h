#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include "core/checkpoint/archive.h"

namespace lookahead {

/// The values as bytes of one archive. Include Boost's headers for their types.
template <class... Ts>
std::string archived(const Ts&... values) {
    return archive_to_bytes([&](boost::archive::binary_oarchive& archive) { (archive << ... << values); });
}

/// Reads the values back; see archive_from.
template <class... Ts>
void read_archived(std::string_view bytes, const std::string& what, Ts&... values) {
    archive_from_bytes(bytes, what, [&](boost::archive::binary_iarchive& archive) { (archive >> ... >> values); });
}

}  // namespace lookahead
