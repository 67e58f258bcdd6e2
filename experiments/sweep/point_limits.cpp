#include "experiments/sweep/point_limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace lookahead {

std::uint64_t resident_bytes(pid_t process) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/statm", static_cast<int>(process));
    std::FILE* const file = std::fopen(path, "re");
    unsigned long pages = 0;
    if (file != nullptr) {
        if (std::fscanf(file, "%*u %lu", &pages) != 1) { pages = 0; }
        std::fclose(file);
    }
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string time_overrun(double timeout_s) {
    return fmt::format("took longer than {:.15g}s", timeout_s);
}

std::string memory_overrun(std::uint64_t memory_bytes) {
    constexpr std::uint64_t kMegabyte = 1'000'000;
    return fmt::format("needed more memory than {} MB", memory_bytes / kMegabyte);
}

}  // namespace lookahead
