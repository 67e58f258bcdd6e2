#include "core/hdf5/output/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error/error.h"

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

OutputFile::OutputFile(std::string path) : path_(std::move(path)), image_(partial_path()) {}

OutputFile::~OutputFile() {
    if (!committed_) {
        std::remove(partial_path().c_str());
    }
}

void OutputFile::commit(Commit how) {
    image_.finish();
    if (how == Commit::synced) {
        sync_to_disk(partial_path());
    }
    if (std::rename(partial_path().c_str(), path_.c_str()) != 0) {
        fail_by_errno(path_, "rename the finished file");
    }
    committed_ = true;
    if (how == Commit::synced) {
        const auto folder = std::filesystem::path(path_).parent_path();
        sync_to_disk(folder.empty() ? "." : folder.string());
    }
}

}  // namespace lookahead::hdf5
