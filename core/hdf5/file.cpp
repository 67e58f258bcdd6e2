#include "core/hdf5/file.h"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

namespace {

[[noreturn]] void fail_by_errno(const std::string& path, const std::string& action) {
    throw InputError(path + ": cannot " + action + ": " + std::strerror(errno));
}

}  // namespace

InputFile::InputFile(const std::string& path) {
    prepare();
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fail_by_errno(path, "open");
    }
    ::close(descriptor);
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (file_.get() < 0) {
        fail(path, "read as an HDF5 file (is it truncated, or of another kind?)");
    }
}

Group InputFile::root() const {
    Handle group(H5Gopen2(file_.get(), "/", H5P_DEFAULT), H5Gclose);
    check(group.get(), file_.get(), "open /");
    return Group(std::move(group));
}

}  // namespace lookahead::hdf5
