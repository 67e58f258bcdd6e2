#include "experiments/checkpoint/abandoned.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace lookahead {

namespace {

bool is_being_written(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return true;  // not ours to judge
    }
    const bool is_locked = ::flock(file, LOCK_EX | LOCK_NB) != 0;
    ::close(file);
    return is_locked;
}

}  // namespace

void remove_abandoned_checkpoints(const std::string& folder, const std::string& workload) {
    std::error_code fault;  // another run may clean up at the same time
    std::filesystem::directory_iterator entries(folder, fault);
    for (; !fault && entries != std::filesystem::directory_iterator(); entries.increment(fault)) {
        const std::string name = entries->path().filename().string();
        if (name.starts_with(workload + "-") && name.ends_with(".checkpoint.h5.partial") &&
            !is_being_written(entries->path())) {
            std::error_code ignored;
            std::filesystem::remove(entries->path(), ignored);
        }
    }
}

}  // namespace lookahead
