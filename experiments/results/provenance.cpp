#include "experiments/results/provenance.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <iterator>

#include "core/error/error.h"
#include "core/state/state_hasher.h"
#include "experiments/results/git_revision.h"

namespace lookahead {

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

}  // namespace

std::string git_revision() {
    return kGitRevision;
}

RunMeta make_run_meta(std::vector<std::string> argv) {
    RunMeta meta;
    meta.argv = std::move(argv);
    meta.git_revision = git_revision();
#ifdef __clang__
    meta.compiler = "clang " __clang_version__;
#else
    meta.compiler = "g++ " __VERSION__;
#endif
    meta.host = host_name();
    meta.started = utc_now();
    return meta;
}

std::string hash_of_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw InputError(path + ": cannot be read");
    }
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    StateHasher hasher;
    hasher.add_bytes(bytes.data(), bytes.size());
    return hash_text(hasher.value());
}

std::uint64_t peak_resident_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts it in KiB
}

}  // namespace lookahead
