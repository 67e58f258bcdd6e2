#include "experiments/machines/machines.h"

#include <filesystem>
#include <vector>

#include "core/error/error.h"
#include "core/files/writable.h"
#include "core/param/suggestion.h"

namespace lookahead {

namespace {

constexpr int kLongestInheritance = 8;

const BuiltInMachine* find_built_in(std::string_view name) {
    for (const BuiltInMachine& machine : built_in_machines()) {
        if (machine.name == name) { return &machine; }
    }
    return nullptr;
}

bool is_file_name(const std::string& name) {
    return name.ends_with(".toml") || name.find('/') != std::string::npos;
}

/// The origin of a request for a machine: empty for the user's choice, "file:line:column: " for an `inherits`.
using Place = std::string;

Configuration parse_machine(const std::string& name, const Place& place) {
    if (is_file_name(name)) {
        const auto toml = read_file(name);
        if (!toml) { throw InputError("{}{}: the machine file cannot be read", place, name); }
        return Configuration::from_toml(*toml, name);
    }
    if (const BuiltInMachine* machine = find_built_in(name)) {
        return Configuration::from_toml(machine->toml, fmt::format("experiments/machines/{}.toml", name));
    }
    std::vector<std::string> known;
    for (const BuiltInMachine& machine : built_in_machines()) { known.emplace_back(machine.name); }
    throw ConfigurationError(
        "{}unknown machine '{}'{}; 'lookahead list machines' shows them, and a machine file's name ends in .toml",
        place, name, did_you_mean(name, known));
}

/// The path of an inherited file is relative to the inheriting file, unless it is absolute.
std::string base_name(const std::string& base, const std::string& name) {
    if (!is_file_name(base) || !is_file_name(name)) { return base; }
    return (std::filesystem::path(name).parent_path() / base).string();
}

/// `whole`: with what the machine inherits.
Configuration load_machine(const std::string& name, const Place& place, int depth, bool whole) {
    if (depth > kLongestInheritance) {
        throw ConfigurationError("{}the machines inherit from each other endlessly", place);
    }
    Configuration configuration = parse_machine(name, place);
    configuration.take_text("description");
    const auto take = [&](std::string_view key, bool wanted, bool whole_other) {
        const Place key_place = fmt::format("{}: ", configuration.place_of(key));
        const auto other = configuration.take_text(key);
        if (!other || !wanted) { return; }
        configuration.inherit(load_machine(base_name(*other, name), key_place, depth + 1, whole_other));
    };
    take("keys_of", true, false);
    take("inherits", whole, true);
    return configuration;
}

}  // namespace

Configuration load_machine(const std::string& name_or_file) {
    return load_machine(name_or_file, "", 0, true);
}

}  // namespace lookahead
