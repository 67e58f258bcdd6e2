#include "experiments/sweep/sweep_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error/error.h"
#include "core/hdf5/file.h"

namespace lookahead {

namespace {

std::optional<std::string> read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        return std::nullopt;
    }
    return std::string{std::istreambuf_iterator<char>(in), {}};
}

/// Other programs see the whole text or none.
void write_whole(const std::string& path, const std::string& text) {
    const std::string partial = path + ".partial." + std::to_string(::getpid());
    std::ofstream out(partial, std::ios::binary);
    out << text;
    if (!out.flush() || std::rename(partial.c_str(), path.c_str()) != 0) {
        throw InputError(path + ": the file cannot be written");
    }
}

/// A host that lost power soon after a run may have kept the name of its result without the contents.
bool is_whole(const std::string& path) {
    if (!std::filesystem::exists(path)) {
        return false;
    }
    try {
        const hdf5::InputFile file(path);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

void SweepFolder::create(const Study& study, std::span<const SweepPoint> points) const {
    std::error_code fault;
    std::filesystem::create_directories(path_ + "/points", fault);
    if (fault) {
        throw InputError(path_ + ": the folder cannot be made: " + fault.message());
    }
    const std::string file = path_ + "/study.toml";
    const auto present = read_file(file);
    // The name of a built-in study is not in its text.
    const std::string text = "# " + study.name + "\n" + study.toml;
    if (present && *present != text) {
        require_grown(study, points);
    }
    if (!present || *present != text) {
        write_whole(file, text);
    }
}

void SweepFolder::require_grown(const Study& now, std::span<const SweepPoint> points) const {
    const Study before = study();
    const std::string advice = "; give another folder with --out";
    if (before.name != now.name) {
        throw InputError(path_ + ": the folder is of another study, " + before.name + advice);
    }
    for (const SweepPoint& point : plan_sweep(before)) {
        if (std::ranges::find(points, point.key, &SweepPoint::key) == points.end()) {
            throw InputError(path_ + ": the folder is of another version of the study " + now.name +
                             ", with a point that this one does not have (" + point.workload + ", key " + point.key +
                             "): a study may only grow" + advice);
        }
    }
}

Study SweepFolder::study() const {
    const std::string file = path_ + "/study.toml";
    const auto text = read_file(file);
    const auto end_of_name = text ? text->find('\n') : std::string::npos;
    if (end_of_name == std::string::npos || !text->starts_with("# ")) {
        throw InputError(path_ + " is not the folder of a sweep: it has no study.toml that `lookahead sweep` wrote");
    }
    return parse_study(text->substr(end_of_name + 1), text->substr(2, end_of_name - 2), file);
}

PointState SweepFolder::state(const SweepPoint& point) const {
    if (is_whole(result_file(point))) {
        return {PointStatus::complete, 0, "", 0};
    }
    const auto text = read_file(failure_file(point));
    if (!text) {
        return {};
    }
    try {
        const auto failure = nlohmann::json::parse(*text);
        return {PointStatus::failed, failure.at("exit_code").get<int>(), failure.at("message").get<std::string>(),
                failure.at("wall_s").get<double>()};
    } catch (const nlohmann::json::exception& error) {
        throw InputError(failure_file(point) + ": not a record of a failed point; remove it: " + error.what());
    }
}

void SweepFolder::record_failure(const SweepPoint& point, const PointState& state) const {
    const nlohmann::ordered_json failure{
        {"exit_code", state.exit_code}, {"message", state.message}, {"wall_s", state.wall_s}};
    write_whole(failure_file(point),
                failure.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

SweepFolder::Claim::~Claim() {
    if (file_ >= 0) {
        ::unlink(path_.c_str());  // while it is still held
        ::close(file_);
    }
}

std::optional<SweepFolder::Claim> SweepFolder::claim(const SweepPoint& point) const {
    return claim_file(path_ + "/points/" + point.key + ".claim", false);
}

SweepFolder::Claim SweepFolder::claim_index() const {
    return *claim_file(path_ + "/index.claim", true);
}

std::optional<SweepFolder::Claim> SweepFolder::claim_file(const std::string& path, bool wait) {
    while (true) {
        const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (file < 0) {
            throw InputError(path + ": the file cannot be written");
        }
        if (::flock(file, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0) {
            const int reason = errno;
            ::close(file);
            if (reason == EINTR) {
                continue;
            }
            if (wait || reason != EWOULDBLOCK) {
                throw InputError(path + ": the file cannot be locked");
            }
            return std::nullopt;
        }
        struct stat held {};
        struct stat named {};
        if (::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino) {
            return Claim(file, path);
        }
        ::close(file);  // its last holder has removed it since it was opened
    }
}

void SweepFolder::forget_failure(const SweepPoint& point) const {
    std::filesystem::remove(failure_file(point));
}

}  // namespace lookahead
