#include "core/hdf5/memory_file.h"

#include <hdf5.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

namespace {

void* allocate(std::size_t size, H5FD_file_image_op_t, void*) {
    return std::malloc(size);
}

void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
    return std::memcpy(to, from, size);
}

void* resize(void* bytes, std::size_t size, H5FD_file_image_op_t, void*) {
    return std::realloc(bytes, size);
}

/// HDF5 gives the file's contents back when it has closed it, which is when they are complete. (H5Fget_file_image() of
/// HDF5 1.10.8 leaves a wrong checksum in the superblock of files of the versions we write.)
herr_t release(void* bytes, H5FD_file_image_op_t operation, void* closed) {
    if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
        *static_cast<std::byte**>(closed) = static_cast<std::byte*>(bytes);
    } else {
        std::free(bytes);
    }
    return 0;
}

void* share(void* closed) {
    return closed;
}

herr_t keep(void*) {
    return 0;
}

Handle memory_properties(std::byte** closed) {
    Handle properties = access_properties();
    constexpr std::size_t kStep = 512 * 1024;  // the file of a short run has less
    constexpr hbool_t kOnDisk = 0;
    H5Pset_fapl_core(properties.get(), kStep, kOnDisk);
    H5FD_file_image_callbacks_t callbacks{&allocate, &copy, &resize, &release, &share, &keep, closed};
    H5Pset_file_image_callbacks(properties.get(), &callbacks);
    return properties;
}

/// HDF5 would read a file that has the name first, or refuse it.
std::string name_of_none(const std::string& path) {
    return path + "/";
}

/// The buffer is larger than the file, whose end stands in its superblock (HDF5 File Format Specification, II.A).
std::size_t file_size(const std::byte* bytes) {
    constexpr std::size_t kVersion = 8;
    constexpr std::size_t kEndOfFile = 28;
    const auto version = std::to_integer<unsigned>(bytes[kVersion]);
    LOOKAHEAD_ASSERT(version == 2 || version == 3, "HDF5 wrote a superblock of another version");
    std::uint64_t end;
    std::memcpy(&end, bytes + kEndOfFile, sizeof end);
    return end;
}

}  // namespace

MemoryFile::MemoryFile(std::string path) : path_(std::move(path)) {
    prepare();
    const Handle creation = creation_properties();
    file_ =
        Handle(H5Fcreate(name_of_none(path_).c_str(), H5F_ACC_TRUNC, creation.get(), memory_properties(&closed_).get()),
               H5Fclose);
    if (file_.get() < 0) {
        fail(path_, "create");
    }
}

MemoryFile::MemoryFile(std::string path, const FileImage& image) : path_(std::move(path)) {
    prepare();
    const Handle properties = memory_properties(&closed_);
    auto* const bytes = const_cast<std::byte*>(image.bytes().data());  // which HDF5 copies
    H5Pset_file_image(properties.get(), bytes, image.bytes().size());
    file_ = Handle(H5Fopen(name_of_none(path_).c_str(), H5F_ACC_RDWR, properties.get()), H5Fclose);
    if (file_.get() < 0) {
        fail(path_, "go on with");
    }
}

MemoryFile::~MemoryFile() {
    file_.reset();
    std::free(closed_);
}

Group MemoryFile::root() const {
    return Group::root_of(file_.get());
}

FileImage MemoryFile::close() {
    if (file_.reset() < 0 || closed_ == nullptr) {
        fail(path_, "close");
    }
    std::byte* const bytes = std::exchange(closed_, nullptr);
    return FileImage(bytes, file_size(bytes));
}

void write_image(const std::string& path, const FileImage& image) {
    const std::string partial = path + ".partial";
    std::ofstream file(partial, std::ios::binary);
    const auto bytes = image.bytes();
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        std::remove(partial.c_str());
        throw InputError(path + ": cannot write the file: " + std::strerror(reason));
    }
}

}  // namespace lookahead::hdf5
