#include "core/hdf5/file.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "core/error/error.h"
#include "core/files/writable.h"
#include "core/hdf5/checksum.h"
#include "core/hdf5/library.h"
#include "core/hdf5/trial.h"

namespace lookahead::hdf5 {

namespace {

[[noreturn]] void fail_by_errno(const std::string& path, const std::string& action) {
    throw InputError("{}: cannot {}: {}", path, action, std::strerror(errno));
}

/// An open file or folder. Throws InputError if it cannot be opened.
class Descriptor {
  public:
    Descriptor(const std::string& path, int flags) : value_(::open(path.c_str(), flags | O_CLOEXEC)) {
        if (value_ < 0) { fail_by_errno(path, "open"); }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(value_); }

    int get() const { return value_; }

  private:
    int value_;
};

void sync_to_disk(const Descriptor& descriptor, const std::string& path) {
    if (::fsync(descriptor.get()) != 0) { fail_by_errno(path, "write to disk"); }
}

Checksum checksum_of_file(const std::string& path) {
    const Descriptor file(path, O_RDONLY | O_NONBLOCK);  // a pipe would wait for its writer
    struct stat about {};
    if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
        throw InputError("{}: cannot be read: it is {}, not an HDF5 file", path,
                         (S_ISDIR(about.st_mode) ? "a folder" : "a device or a pipe"));
    }
    return checksum_of(file.get(), path);
}

/// Renames a file; fails with EEXIST if the new name exists.
bool gives_new_name(const std::string& from, const std::string& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) { return true; }
    // Some file systems, such as NFS, need two steps.
    return errno == EINVAL && ::link(from.c_str(), to.c_str()) == 0 && ::unlink(from.c_str()) == 0;
}

/// The position of the file's length in a superblock of this version, from its start; 0 for an unknown version.
std::size_t place_of_length(unsigned version) {
    constexpr std::size_t kBeforeAddresses[] = {24, 28, 12, 12};
    constexpr std::size_t kAddressBytes = 8;  // in this project's files
    return version < std::size(kBeforeAddresses) ? kBeforeAddresses[version] + 2 * kAddressBytes : 0;
}

}  // namespace

bool is_whole_file(const std::string& path) {
    constexpr std::array<unsigned char, 8> kSignature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) { return false; }
    std::array<unsigned char, 64> block{};
    struct stat about {};
    const bool is_read = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
                         ::read(descriptor, block.data(), block.size()) == static_cast<ssize_t>(block.size());
    ::close(descriptor);
    if (!is_read || !std::equal(kSignature.begin(), kSignature.end(), block.begin())) { return false; }
    const std::size_t place = place_of_length(block[kSignature.size()]);
    std::uint64_t length = 0;
    std::memcpy(&length, block.data() + place, sizeof length);
    return place != 0 && length <= static_cast<std::uint64_t>(about.st_size);
}

InputFile::InputFile(const std::string& path) {
    prepare();
    const Checksum checksum = checksum_of_file(path);
    if (checksum == Checksum::wrong) {
        throw InputError("{}: was damaged after it was written (its checksum is wrong); copy it again or make it anew",
                         path);
    }
    has_checksum_ = checksum == Checksum::right;
    if (!has_checksum_) { read_on_trial(path); }
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (file_.get() < 0) { fail(path, kOpenAction); }
}

Group InputFile::root() const {
    return Group::root_of(file_.get());
}

bool is_being_written(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) { return false; }
    const bool is_locked = ::flock(file, LOCK_EX | LOCK_NB) != 0;
    ::close(file);
    return is_locked;
}

OutputFile::OutputFile(std::string path) : path_(followed(path)), partial_path_(fmt::format("{}.partial", path_)) {
    prepare();
    if (is_being_written(partial_path())) { throw InputError("{}: another run is writing it", partial_path()); }
    const Handle properties = access_properties();
    const Handle creation = creation_properties();
    file_ = Handle(H5Fcreate(partial_path().c_str(), H5F_ACC_TRUNC, creation.get(), properties.get()), H5Fclose);
    if (file_.get() < 0) {
        std::remove(partial_path().c_str());  // it may exist without its beginning
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

void OutputFile::close_on_disk() {
    if (file_.reset() < 0) { fail(partial_path(), "close"); }
    const Descriptor file(partial_path(), O_RDWR);
    append_checksum(file.get(), partial_path());
    sync_to_disk(file, partial_path());
}

void OutputFile::commit() {
    close_on_disk();
    if (std::rename(partial_path().c_str(), path_.c_str()) != 0) { fail_by_errno(path_, "rename the finished file"); }
    note_commit();
}

void OutputFile::commit_beside(const std::function<std::string()>& other) {
    close_on_disk();
    while (!gives_new_name(partial_path(), path_)) {
        if (errno != EEXIST) { fail_by_errno(path_, "rename the finished file"); }
        path_ = other();
    }
    note_commit();
}

void OutputFile::note_commit() {
    committed_ = true;
    const std::string parent = std::filesystem::path(path_).parent_path().string();
    const std::string folder = parent.empty() ? "." : parent;
    sync_to_disk(Descriptor(folder, O_RDONLY), folder);
}

}  // namespace lookahead::hdf5
