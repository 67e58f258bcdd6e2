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

/// The file must be closed by nobody but us: an object left open would keep it incomplete.
Handle access_properties(Commit how) {
    Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(properties.get(), H5F_CLOSE_SEMI);
    H5Pset_libver_bounds(properties.get(), H5F_LIBVER_V18, H5F_LIBVER_V110);
    constexpr hsize_t kMetadataBytes = 16 * 1024;  // headers next to one another go to the file in one write
    H5Pset_meta_block_size(properties.get(), kMetadataBytes);
    if (how == Commit::renamed) {
        constexpr std::size_t kStep = 512 * 1024;  // the file of a short run has less
        constexpr hbool_t kWriteAtClose = 1;
        H5Pset_fapl_core(properties.get(), kStep, kWriteAtClose);
    }
    return properties;
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
    Handle group(H5Gopen2(file_.get(), "/", H5P_DEFAULT), H5Gclose);
    check(group.get(), file_.get(), "open /");
    return Group(std::move(group));
}

OutputFile::OutputFile(std::string path, Commit how) : path_(std::move(path)), how_(how) {
    prepare();
    const Handle properties = access_properties(how);
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_obj_track_times(creation.get(), false);
    file_ = Handle(H5Fcreate(partial_path().c_str(), H5F_ACC_TRUNC, creation.get(), properties.get()), H5Fclose);
    if (file_.get() < 0) {
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
    Handle group(H5Gopen2(file_.get(), "/", H5P_DEFAULT), H5Gclose);
    check(group.get(), file_.get(), "open /");
    return Group(std::move(group));
}

void OutputFile::commit() {
    if (file_.reset() < 0) {
        fail(partial_path(), "close");
    }
    if (how_ == Commit::synced) {
        sync_to_disk(partial_path());
    }
    if (std::rename(partial_path().c_str(), path_.c_str()) != 0) {
        fail_by_errno(path_, "rename the finished file");
    }
    committed_ = true;
    if (how_ == Commit::synced) {
        const auto folder = std::filesystem::path(path_).parent_path();
        sync_to_disk(folder.empty() ? "." : folder.string());
    }
}

}  // namespace lookahead::hdf5
