#include "core/checkpoint/archive.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <new>
#include <sstream>
#include <stdexcept>

#include "core/error/error.h"

namespace lookahead {

std::string archive_to_bytes(const std::function<void(boost::archive::binary_oarchive&)>& save) {
    std::ostringstream stream;
    {
        boost::archive::binary_oarchive archive(stream, boost::archive::no_header);
        save(archive);
    }
    return std::move(stream).str();
}

void archive_from_bytes(std::string_view bytes, const std::string& what,
                        const std::function<void(boost::archive::binary_iarchive&)>& load) {
    std::istringstream stream{std::string(bytes)};
    try {
        boost::archive::binary_iarchive archive(stream, boost::archive::no_header);
        load(archive);
    } catch (const boost::archive::archive_exception& error) {
        throw InputError(what + " cannot be restored: " + error.what());
    } catch (const std::length_error&) {
        throw InputError(what + " cannot be restored: a length in it is impossible");
    } catch (const std::bad_alloc&) {
        throw InputError(what + " cannot be restored: a length in it is impossible");
    }
    if (stream.peek() != std::istringstream::traits_type::eof()) {
        throw InputError(what + " cannot be restored: it was saved with more members than are loaded");
    }
}

}  // namespace lookahead
