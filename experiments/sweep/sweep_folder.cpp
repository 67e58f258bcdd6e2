#include "experiments/sweep/sweep_folder.h"

#include <unistd.h>

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

void SweepFolder::create(const Study& study) const {
    std::error_code fault;
    std::filesystem::create_directories(path_ + "/points", fault);
    if (fault) {
        throw InputError(path_ + ": the folder cannot be made: " + fault.message());
    }
    const std::string file = path_ + "/study.toml";
    const auto present = read_file(file);
    if (!present) {
        // The name of a built-in study is not in its text.
        write_whole(file, "# " + study.name + "\n" + study.toml);
    } else if (*present != "# " + study.name + "\n" + study.toml) {
        throw InputError(file +
                         ": the folder is of another study, or of another version of this one; give another "
                         "one with --out");
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

void SweepFolder::forget_failure(const SweepPoint& point) const {
    std::filesystem::remove(failure_file(point));
}

}  // namespace lookahead
