#include "experiments/results/run_record.h"

#include <fmt/core.h>

#include "core/state/state_hasher.h"

namespace lookahead {

void RunRecord::set_configuration(const Configuration& configuration) {
    config = configuration.effective_entries();
    config_toml = configuration.effective_toml();
    config_hash = configuration.effective_hash();
}

std::string hash_text(std::uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

std::string make_run_id(std::string_view workload, std::string_view size, std::uint64_t seed, std::uint64_t config_hash,
                        const std::vector<std::string>& limits) {
    StateHasher hasher;
    hasher.add_bytes(workload.data(), workload.size());
    hasher.add_bytes(size.data(), size.size());
    hasher.add(seed);
    hasher.add(config_hash);
    for (const std::string& limit : limits) { hasher.add_bytes(limit.data(), limit.size()); }
    return hash_text(hasher.value());
}

}  // namespace lookahead
