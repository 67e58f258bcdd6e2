#include "experiments/sweep/sweep_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "core/error/error.h"
#include "core/files/writable.h"
#include "core/hdf5/file.h"
#include "core/json/json.h"

namespace lookahead {

namespace {

/// A name that no other process has, on any node.
std::string process_name() {
    std::array<char, 64> host{};
    ::gethostname(host.data(), host.size() - 1);
    return fmt::format("{}-{}", host.data(), ::getpid());
}

[[noreturn]] void fail_by_errno(const std::string& path) {
    throw InputError("{}: the file cannot be written: {}; when that is corrected, the same command continues", path,
                     std::strerror(errno));
}

/// Writes the whole text to the file and the file to the disk; returns whether it could.
bool writes(const std::string& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) { return false; }
    bool good = true;
    while (good && !text.empty()) {
        const ssize_t bytes = ::write(file, text.data(), text.size());
        good = bytes > 0 || (bytes < 0 && errno == EINTR);
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    }
    good = good && ::fsync(file) == 0;
    const int reason = errno;
    good = ::close(file) == 0 && good;
    errno = reason;
    return good;
}

/// Other programs see the whole text or nothing.
void write_whole(const std::string& path, std::string_view text) {
    const std::string partial = fmt::format("{}.partial.{}", path, process_name());
    if (!writes(partial, text) || std::rename(partial.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        std::remove(partial.c_str());
        errno = reason;
        fail_by_errno(path);
    }
}

bool depends_on_files(const Study& study) {
    const auto is_of_file = [](const std::string& text) {
        return text.find('/') != std::string::npos || text.find(".toml") != std::string::npos ||
               text.find("file=") != std::string::npos || workload_of(text) != text;
    };
    const auto any = [&](const std::vector<std::string>& texts) { return std::ranges::any_of(texts, is_of_file); };
    return is_of_file(study.machine) || any(study.workloads) || any(study.options) ||
           std::ranges::any_of(study.axes, [&](const Axis& axis) {
               return std::ranges::any_of(axis.values, [&](const AxisValue& value) {
                   return is_of_file(value.machine) || any(value.options) || any(value.settings);
               });
           });
}

std::string key_of(const std::string& file_name) {
    return file_name.substr(0, file_name.find('.'));
}

/// Whether it is a temporary file in `points`, which a program working on the point may still need or remove.
bool is_temporary(const std::string& file_name) {
    const std::string suffix = file_name.substr(std::min(key_of(file_name).size(), file_name.size()));
    return suffix == ".claim" || suffix.starts_with(".h5.") || suffix.starts_with(".failure.json.partial.") ||
           suffix.starts_with(".begun.partial.");
}

}  // namespace

const char* name_of(PointStatus status) {
    constexpr const char* names[] = {"missing", "complete", "failed"};
    return names[static_cast<int>(status)];
}

/// Other files in the folder, such as a job's script, stay; none may have a name that the sweep writes. A program that
/// begins the same sweep at the same time writes the study's text before those files.
void SweepFolder::require_own() const {
    for (const char* name : {"/index.h5", "/plan.json"}) {
        if (std::filesystem::exists(path_ + name) && !std::filesystem::exists(fmt::format("{}/study.toml", path_))) {
            throw InputError(
                "{}{}: the folder does not belong to a sweep, and a sweep would replace this file; give another folder "
                "with --out",
                path_, name);
        }
    }
}

void SweepFolder::create(const Study& study, std::span<const SweepPoint> points) const {
    require_own();
    std::error_code fault;
    std::filesystem::create_directories(fmt::format("{}/points", path_), fault);
    if (fault) {
        throw InputError("{}: the folder cannot be made: {}; give another one with --out", path_, fault.message());
    }
    remove_abandoned();
    const std::string file = fmt::format("{}/study.toml", path_);
    const auto present = read_file(file);
    // A built-in study's text does not have its name.
    const std::string text = fmt::format("# {}\n{}", study.name, study.toml);
    if (present && *present != text) { require_grown(study, points); }
    if (!present || *present != text) { write_whole(file, text); }
}

void SweepFolder::require_grown(const Study& now, std::span<const SweepPoint> points) const {
    const Study before = study();
    const std::string advice = "; give another folder with --out";
    if (before.name != now.name) {
        throw InputError("{}: the folder belongs to another study, {}{}", path_, before.name, advice);
    }
    for (const SweepPoint& point : plan_sweep(before)) {
        if (std::ranges::find(points, point.key, &SweepPoint::key) == points.end()) {
            throw InputError(
                "{}: the folder belongs to another version of the study {}, with a point that this one does not have "
                "({}, key {}): a study may only grow{}",
                path_, now.name, point.workload, point.key, advice);
        }
    }
}

Study SweepFolder::study() const {
    const std::string file = fmt::format("{}/study.toml", path_);
    const auto text = read_file(file);
    std::error_code unknown;
    const auto end_of_name = text ? text->find('\n') : std::string::npos;
    if (end_of_name == std::string::npos || !text->starts_with("# ")) {
        throw InputError(
            "{} is not the folder of a sweep: {}; give a sweep's folder with --out, or begin the sweep with lookahead "
            "sweep run",
            path_,
            (std::filesystem::is_directory(path_, unknown) ? "it has no study.toml that lookahead sweep wrote"
                                                           : "there is no such folder"));
    }
    return parse_study(text->substr(end_of_name + 1), text->substr(2, end_of_name - 2), file);
}

PointState SweepFolder::state(const SweepPoint& point) const {
    // A host that lost power soon after a run may have kept its result's name without the contents.
    if (hdf5::is_whole_file(result_file(point))) { return {PointStatus::complete, 0, "", 0}; }
    const auto text = read_file(failure_file(point));
    if (!text) { return {}; }
    try {
        const Json failure = Json::parse(*text);
        return {PointStatus::failed, failure.at("exit_code").as_int(), failure.at("message").as_text(),
                failure.at("wall_s").as_double()};
    } catch (const JsonError& error) {
        throw InputError("{}: not a record of a failed point; remove it: {}", failure_file(point), error.what());
    }
}

void SweepFolder::record_failure(const SweepPoint& point, const PointState& state) const {
    const Json failure(
        Json::Object{{"exit_code", state.exit_code}, {"message", state.message}, {"wall_s", state.wall_s}});
    write_whole(failure_file(point), fmt::format("{}\n", failure.page()));
}

SweepFolder::Claim::~Claim() {
    if (file_ >= 0) {
        ::unlink(path_.c_str());  // while it is still held
        ::close(file_);
    }
}

std::optional<SweepFolder::Claim> SweepFolder::claim(const SweepPoint& point) const {
    return claim_file(fmt::format("{}/points/{}.claim", path_, point.key), false);
}

SweepFolder::Claim SweepFolder::claim_index() const {
    return *claim_file(fmt::format("{}/index.claim", path_), true);
}

std::optional<SweepFolder::Claim> SweepFolder::claim_file(const std::string& path, bool wait) {
    while (true) {
        const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (file < 0) { throw InputError("{}: the file cannot be written", path); }
        if (::flock(file, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0) {
            const int reason = errno;
            ::close(file);
            if (reason == EINTR) { continue; }
            if (wait || reason != EWOULDBLOCK) { throw InputError("{}: the file cannot be locked", path); }
            return std::nullopt;
        }
        struct stat held {};
        struct stat named {};
        if (::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino) {
            return Claim(file, path);
        }
        ::close(file);  // its last holder has removed it after it was opened
    }
}

std::string SweepFolder::temporary_file(const SweepPoint& point) const {
    return fmt::format("{}.{}", result_file(point), process_name());
}

void SweepFolder::remove_abandoned() const {
    std::map<std::string, std::vector<std::filesystem::path>> left;
    std::error_code ignored;  // another program may be removing files
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("{}/points", path_), ignored)) {
        const std::string name = entry.path().filename().string();
        if (is_temporary(name)) { left[key_of(name)].push_back(entry.path()); }
    }
    for (const auto& [key, files] : left) {
        if (const auto claim = claim_file(fmt::format("{}/points/{}.claim", path_, key), false)) {
            for (const std::filesystem::path& file : files) {
                if (file.extension() != ".claim") { std::filesystem::remove(file, ignored); }
            }
        }
    }
}

void SweepFolder::record_plan(const Study& study, std::span<const SweepPoint> points) const {
    if (depends_on_files(study)) {
        std::error_code ignored;  // it may not be there
        std::filesystem::remove(fmt::format("{}/plan.json", path_), ignored);
        return;
    }
    const Json plan(Json::Object{
        {"study", study.name}, {"toml", study.toml}, {"program", program_hash()}, {"points", points_to_json(points)}});
    const std::string text = fmt::format("{}\n", plan.text());
    if (read_file(fmt::format("{}/plan.json", path_)) != text) {
        write_whole(fmt::format("{}/plan.json", path_), text);
    }
}

std::optional<std::vector<SweepPoint>> SweepFolder::recorded_plan(const Study& study) const {
    const auto text = depends_on_files(study) ? std::nullopt : read_file(fmt::format("{}/plan.json", path_));
    if (!text) { return std::nullopt; }
    try {
        const Json plan = Json::parse(*text);
        const auto is = [&](const char* name, const std::string& value) { return plan.at(name).as_text() == value; };
        if (!is("study", study.name) || !is("toml", study.toml) || !is("program", program_hash())) {
            return std::nullopt;
        }
        return points_from_json(plan.at("points"));
    } catch (const JsonError&) {
        return std::nullopt;  // it will be made again
    }
}

void SweepFolder::write(const std::string& name, const std::string& text) const {
    write_whole(fmt::format("{}/{}", path_, name), text);
}

void SweepFolder::require_room() const {
    constexpr std::size_t kProbeBytes = std::size_t{1} << 20;
    const std::string probe = fmt::format("{}/points/room.h5.{}", path_, process_name());
    const bool good = writes(probe, std::string(kProbeBytes, 'x'));
    const int reason = errno;
    std::remove(probe.c_str());
    if (!good) {
        errno = reason;
        throw InputError(
            "{}: results cannot be written: {}; complete points are kept, and when there is room the same command "
            "continues",
            path_, std::strerror(errno));
    }
}

std::string SweepFolder::make_checkpoint_folder(const SweepPoint& point) const {
    const std::string folder = file_of(point, ".checkpoint");
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) { fail_by_errno(folder); }
    return folder;
}

std::string SweepFolder::last_checkpoint(const SweepPoint& point) const {
    std::string last;
    std::filesystem::file_time_type written;
    std::error_code ignored;  // there may be none
    for (const auto& entry : std::filesystem::directory_iterator(file_of(point, ".checkpoint"), ignored)) {
        if (entry.path().string().ends_with(".checkpoint.h5") && hdf5::is_whole_file(entry.path().string()) &&
            (last.empty() || entry.last_write_time() > written)) {
            last = entry.path().string();
            written = entry.last_write_time();
        }
    }
    return last;
}

void SweepFolder::remove_checkpoints(const SweepPoint& point) const {
    std::error_code ignored;  // there may be none
    std::filesystem::remove_all(file_of(point, ".checkpoint"), ignored);
}

int SweepFolder::times_begun(const SweepPoint& point) const {
    const auto text = read_file(file_of(point, ".begun"));
    return text ? std::atoi(text->c_str()) : 0;
}

void SweepFolder::note_begun(const SweepPoint& point, int times) const {
    write_whole(file_of(point, ".begun"), fmt::format("{}\n", times));
}

void SweepFolder::forget_begun(const SweepPoint& point) const {
    ::unlink(file_of(point, ".begun").c_str());
}

void SweepFolder::forget_failure(const SweepPoint& point) const {
    std::filesystem::remove(failure_file(point));
}

}  // namespace lookahead
