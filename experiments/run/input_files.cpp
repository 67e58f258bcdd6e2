#include "experiments/run/input_files.h"

#include <fmt/core.h>

namespace lookahead {

std::vector<std::string> input_files(const std::string& workload, const Configuration& configuration) {
    std::vector<std::string> files;
    for (const EffectiveEntry& entry : configuration.effective_entries()) {
        if (entry.key == fmt::format("{}.file", workload)) { files.push_back(std::get<std::string>(entry.value)); }
    }
    return files;
}

}  // namespace lookahead
