#include "components/cache/l1_parameters.h"

#include <charconv>
#include <sstream>
#include <system_error>

#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

std::vector<std::uint32_t> L1Parameters::sizes_of_shared_memory() const {
    const std::int64_t most = sets * kLineBytes * (ways - 1) / 1024;
    std::vector<std::uint32_t> sizes;
    std::istringstream words(shared_sizes);
    for (std::string word; words >> word;) {
        std::uint32_t size = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
        if (error != std::errc{} || end != word.data() + word.size() || size > most ||
            (!sizes.empty() && size * 1024 <= sizes.back())) {
            throw ConfigurationError(
                "l1d.shared_sizes = \"{}\" has \"{}\"; expected: ascending sizes in KB, at most {}, so that L1D keeps "
                "one of its l1d.ways = {}",
                shared_sizes, word, most, ways);
        }
        sizes.push_back(size * 1024);
    }
    return sizes;
}

void L1Parameters::check() const {
    if (set_index == "fermi_hash" && sets != 32 && sets != 64) {
        throw ConfigurationError(
            "l1d.set_index = \"fermi_hash\" needs l1d.sets = 32 or 64, not {}; choose \"linear\" for other numbers of "
            "sets",
            sets);
    }
    if (sector_bytes != kSectorBytes && sector_bytes != kLineBytes) {
        throw ConfigurationError("l1d.sector_bytes is {}; it must be 32 or 128", sector_bytes);
    }
    if (tags_per_set() > 64) {
        throw ConfigurationError("l1d.ways + l1d.prefetch_ways + l1d.pending_ways = {} must be at most 64",
                                 tags_per_set());
    }
    if (prefetch_ways != 0 && pending_ways != 0) {
        throw ConfigurationError(
            "l1d.pending_ways needs l1d.prefetch_ways = 0: fills of prefetches have no tags of their own");
    }
}

LOOKAHEAD_REGISTER_PARAMETERS(L1Parameters, "l1d", "The L1 data cache of an SM.")

}  // namespace lookahead::gpu
