#include "experiments/machines/brought_transforms.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace lookahead {

void bring_transforms(Configuration& configuration) {
    if (configuration.is_set("kernel.transform")) { return; }
    const std::vector<std::string> transforms = variant_names<finaliser::KernelTransform>();
    std::string brought;
    for (const std::string& extension : joined_variants<gpu::IssueExtension>(configuration)) {
        if (std::find(transforms.begin(), transforms.end(), extension) != transforms.end()) {
            brought += (brought.empty() ? "" : "+") + extension;
        }
    }
    if (!brought.empty()) { configuration.override_value(fmt::format("kernel.transform={}", brought)); }
}

}  // namespace lookahead
