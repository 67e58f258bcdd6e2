#include "experiments/workloads/workload.h"

#include "core/error/error.h"

namespace lookahead {

Size parse_size(std::string_view name) {
    if (name == "tiny") { return Size::tiny; }
    if (name == "small") { return Size::small; }
    if (name == "medium") { return Size::medium; }
    if (name == "large") { return Size::large; }
    throw ConfigurationError("unknown size '{}': give tiny, small, medium or large", name);
}

std::uint32_t input_seed(std::string_view workload, std::string_view input, const WorkloadContext& context) {
    if (input != "peer") { return context.seed; }
    if (context.size != Size::small && context.size != Size::medium) {
        throw ConfigurationError(
            "{}.input=peer exists in the sizes small and medium only: give --size small or --size medium, or leave "
            "input=seeded",
            workload);
    }
    constexpr std::uint32_t kPeerSeed = 12345;
    return kPeerSeed;
}

}  // namespace lookahead
