#include "experiments/machines/machines.h"

#include <fstream>
#include <iterator>
#include <vector>

#include "core/error/error.h"
#include "core/param/suggestion.h"

namespace lookahead {

namespace {

constexpr int kLongestInheritance = 8;

const BuiltInMachine* find_built_in(std::string_view name) {
    for (const BuiltInMachine& machine : built_in_machines()) {
        if (machine.name == name) {
            return &machine;
        }
    }
    return nullptr;
}

bool is_file_name(const std::string& name) { return name.ends_with(".toml") || name.find('/') != std::string::npos; }

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw InputError(path + ": the machine file cannot be read");
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

Configuration parse_machine(const std::string& name) {
    if (is_file_name(name)) {
        return Configuration::from_toml(read_file(name), name);
    }
    if (const BuiltInMachine* machine = find_built_in(name)) {
        return Configuration::from_toml(machine->toml, "experiments/machines/" + name + ".toml");
    }
    std::vector<std::string> known;
    for (const BuiltInMachine& machine : built_in_machines()) {
        known.emplace_back(machine.name);
    }
    throw ConfigurationError("unknown machine '" + name + "'" + did_you_mean(name, known) +
                             "; 'lookahead list machines' shows them, and a machine file's name ends in .toml");
}

Configuration load_machine(const std::string& name, int depth) {
    if (depth > kLongestInheritance) {
        throw ConfigurationError("machine '" + name + "' inherits from itself");
    }
    Configuration configuration = parse_machine(name);
    configuration.take_text("description");
    if (const auto base = configuration.take_text("inherits")) {
        configuration.inherit(load_machine(*base, depth + 1));
    }
    return configuration;
}

}  // namespace

Configuration load_machine(const std::string& name_or_file) { return load_machine(name_or_file, 0); }

}  // namespace lookahead
