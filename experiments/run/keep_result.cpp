#include "experiments/run/keep_result.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>

#include "core/error/error.h"
#include "experiments/results/run_writer.h"

namespace lookahead {

namespace {

KeptResult written(const RunRecord& record, const std::string& path, const FreePath& free_path) {
    try {
        return {write_run(record, path, free_path), {}};
    } catch (const std::exception& error) { return {{}, error.what()}; }
}

std::string other_place(const RunRecord& record, const std::string& path) {
    std::error_code none;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
    const std::filesystem::path file(path);
    return none ? std::string()
                : (folder / (fmt::format("{}-{}{}", file.stem().string(), record.run_id, file.extension().string())))
                      .string();
}

}  // namespace

KeptResult keep_result(const RunRecord& record, const std::string& path, bool may_be_elsewhere,
                       const FreePath& free_path) {
    const KeptResult kept = written(record, free_path ? free_path() : path, free_path);
    if (!kept.file.empty()) { return kept; }
    const std::string lost = fmt::format("the simulation has ended, but its result cannot be written: {}", kept.reason);
    const std::string other = may_be_elsewhere ? other_place(record, path) : std::string();
    if (!other.empty() && !written(record, other, nullptr).file.empty()) {
        return {other, fmt::format("{}; it is in {}", lost, other)};
    }
    return {{}, lost + (other.empty() ? "" : fmt::format("; it cannot be written as {} either", other))};
}

void write_whole_file(const std::string& path, const std::string& text) {
    const std::string partial = fmt::format("{}.partial", path);
    std::ofstream file(partial, std::ios::binary);
    file << text;
    file.close();
    if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
        const std::string reason = std::strerror(errno);
        std::remove(partial.c_str());
        throw InputError("{}: the file cannot be written: {}", path, reason);
    }
}

}  // namespace lookahead
