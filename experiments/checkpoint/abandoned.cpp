#include "experiments/checkpoint/abandoned.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/hdf5/file.h"

namespace lookahead {

void remove_abandoned_checkpoints(const std::string& folder, const std::string& workload) {
    std::error_code fault;  // another run may clean up at the same time
    std::filesystem::directory_iterator entries(folder, fault);
    for (; !fault && entries != std::filesystem::directory_iterator(); entries.increment(fault)) {
        const std::string name = entries->path().filename().string();
        if (name.starts_with(fmt::format("{}-", workload)) && name.ends_with(".checkpoint.h5.partial") &&
            ::access(entries->path().c_str(), W_OK) == 0 && !hdf5::is_being_written(entries->path())) {
            std::error_code ignored;
            std::filesystem::remove(entries->path(), ignored);
        }
    }
}

}  // namespace lookahead
