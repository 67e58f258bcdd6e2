#include "core/hdf5/file.h"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

namespace {

[[noreturn]] void fail_by_errno(const std::string& path, const std::string& action) {
    throw InputError(path + ": cannot " + action + ": " + std::strerror(errno));
}

void sync_to_disk(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fail_by_errno(path, "open");
    }
    const int result = ::fsync(descriptor);
    ::close(descriptor);
    if (result != 0) {
        fail_by_errno(path, "write to disk");
    }
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
    return Group::root_of(file_.get());
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    prepare();
    const Handle properties = access_properties();
    const Handle creation = creation_properties();
    file_ = Handle(H5Fcreate(partial_path().c_str(), H5F_ACC_TRUNC, creation.get(), properties.get()), H5Fclose);
    if (file_.get() < 0) {
        std::remove(partial_path().c_str());  // it may be there without a beginning
        fail(partial_path(), "create");
    }
}

OutputFile::~OutputFile() {
    if (!committed_) {
        file_.reset();
        std::remove(partial_path().c_str());
    }
}

Group OutputFile::root() const {
    return Group::root_of(file_.get());
}

void OutputFile::commit() {
    if (file_.reset() < 0) {
        fail(partial_path(), "close");
    }
    sync_to_disk(partial_path());
    if (std::rename(partial_path().c_str(), path_.c_str()) != 0) {
        fail_by_errno(path_, "rename the finished file");
    }
    committed_ = true;
    const auto folder = std::filesystem::path(path_).parent_path();
    sync_to_disk(folder.empty() ? "." : folder.string());
}

}  // namespace lookahead::hdf5
