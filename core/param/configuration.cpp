#include "core/param/configuration.h"

#define TOML_IMPLEMENTATION  // the other sources that read TOML use this one's functions (TOML_HEADER_ONLY=0)
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <sstream>

#include "core/checkpoint/archive.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"
#include "core/param/suggestion.h"
#include "core/state/state_hasher.h"

namespace lookahead {

namespace {

struct SetValue {
    ParameterValue value;
    std::string raw;  ///< the override "key=value" as typed; empty for a file's value
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    bool is_override() const { return !raw.empty(); }
    std::string raw_value() const { return raw.substr(raw.find('=') + 1); }
    std::string line_text() const { return is_override() ? "override" : fmt::format("{}:{}", file, line); }
    std::string place() const {
        return is_override() ? fmt::format("override \"{}\"", raw) : fmt::format("{}:{}", line_text(), column);
    }
};

using SetValues = std::map<std::string, SetValue, std::less<>>;

bool is_key_text(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

/// Words joined by single dots.
bool is_dotted_key(std::string_view key) {
    while (true) {
        const auto dot = key.find('.');
        if (!is_key_text(key.substr(0, dot))) { return false; }
        if (dot == std::string_view::npos) { return true; }
        key.remove_prefix(dot + 1);
    }
}

std::optional<ParameterValue> value_of(const toml::node& node) {
    if (const auto* boolean = node.as_boolean()) { return ParameterValue(boolean->get()); }
    if (const auto* integer = node.as_integer()) { return ParameterValue(integer->get()); }
    if (const auto* real = node.as_floating_point()) { return ParameterValue(real->get()); }
    if (const auto* text = node.as_string()) { return ParameterValue(text->get()); }
    return std::nullopt;
}

std::string place_in(const std::string& file, const toml::source_region& source) {
    return fmt::format("{}:{}:{}", file, source.begin.line, source.begin.column);
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& file, SetValues& result) {
    for (const auto& [key, node] : table) {
        if (!is_key_text(key.str())) {
            throw ConfigurationError("{}: the key \"{}\" may have only letters, digits, _ and -",
                                     place_in(file, key.source()), key.str());
        }
        const std::string full = dotted(prefix, key.str());
        if (const auto* inner = node.as_table()) {
            flatten(*inner, full, file, result);
            continue;
        }
        const auto value = value_of(node);
        if (!value) {
            std::ostringstream kind;
            kind << node.type();
            throw ConfigurationError("{}: {} is of type {}; a key holds one number, switch (true or false) or text",
                                     place_in(file, node.source()), full, kind.str());
        }
        result[full] = {*value, "", file, node.source().begin.line, node.source().begin.column};
    }
}

/// The text as a TOML value, or as plain text if it is not a TOML value.
ParameterValue parse_loosely(const std::string& text) {
    try {
        const toml::table table = toml::parse(fmt::format("value = {}", text), std::string_view("override"));
        if (const auto* node = table.get("value"); node != nullptr && table.size() == 1) {
            if (auto value = value_of(*node)) { return *value; }
        }
    } catch (const toml::parse_error&) {}
    return text;
}

std::string type_phrase(const ParameterValue& value) {
    static constexpr const char* kPhrases[] = {"a switch", "an integer", "a number", "a text"};
    return kPhrases[value.index()];
}

std::string expectation(const Parameter& parameter) {
    const bool has_unit = parameter.choices.empty() && !parameter.unit.empty();
    return parameter.values_text() + (has_unit ? fmt::format(" (unit: {})", parameter.unit) : "");
}

/// The value in the parameter's type. Throws ConfigurationError if it does not fit.
ParameterValue checked(const Parameter& parameter, const std::string& key, const SetValue& set) {
    ParameterValue value = set.value;
    if (parameter.type == ParameterType::real && std::holds_alternative<std::int64_t>(value)) {
        value = static_cast<double>(std::get<std::int64_t>(value));
    }
    if (parameter.type == ParameterType::text && set.is_override() && !std::holds_alternative<std::string>(value)) {
        value = set.raw_value();
    }
    const auto start = [&] { return fmt::format("{}: {} = {}", set.place(), key, to_toml(set.value)); };
    if (!parameter.accepts_type(value)) {
        throw ConfigurationError("{} is {}; expected: {}", start(), type_phrase(set.value), expectation(parameter));
    }
    if (!parameter.accepts_range(value)) {
        const auto hint =
            parameter.choices.empty() ? "" : did_you_mean(std::get<std::string>(value), parameter.choices);
        throw ConfigurationError("{} is out of range{}; expected: {}", start(), hint, expectation(parameter));
    }
    return value;
}

/// The registered parameter of a full key, and its set.
struct KnownParameter {
    const Parameter* parameter = nullptr;
    const ParameterSetEntry* set = nullptr;
};

std::map<std::string, KnownParameter> registered_parameters() {
    std::map<std::string, KnownParameter> all;
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        for (const Parameter& parameter : *set.parameters) {
            all[dotted(set.prefix, parameter.name)] = {&parameter, &set};
        }
    }
    return all;
}

}  // namespace

struct Configuration::State {
    SetValues set;
    std::map<std::string, EffectiveEntry, std::less<>> effective;
    /// Results of reading, by list and prefix, because each of a machine's many components reads its parameters.
    std::map<std::pair<const ParameterList*, std::string>, Given> read;

    Given take_note(const ParameterList& list, std::string_view prefix);
};

Configuration::Given Configuration::State::take_note(const ParameterList& list, std::string_view prefix) {
    Given given;
    for (const Parameter& parameter : list) {
        std::string key = dotted(prefix, parameter.name);
        EffectiveEntry entry{key, parameter.default_value, parameter.unit, "default", parameter.help};
        if (const auto found = set.find(key); found != set.end()) {
            entry.value = checked(parameter, key, found->second);
            entry.source = found->second.line_text();
            given.emplace_back(&parameter, entry.value);
        }
        effective[std::move(key)] = std::move(entry);
    }
    return given;
}

Configuration::Configuration() : state_(std::make_unique<State>()) {}
Configuration::Configuration(const Configuration& other) : state_(std::make_unique<State>(*other.state_)) {}
Configuration::Configuration(Configuration&&) noexcept = default;
Configuration& Configuration::operator=(const Configuration& other) {
    *state_ = *other.state_;
    return *this;
}
Configuration& Configuration::operator=(Configuration&&) noexcept = default;
Configuration::~Configuration() = default;

Configuration Configuration::from_toml(std::string_view text, std::string file_name) {
    Configuration result;
    try {
        flatten(toml::parse(text, std::string_view(file_name)), "", file_name, result.state_->set);
    } catch (const toml::parse_error& error) {
        throw InputError("{}: {}", place_in(file_name, error.source()), error.description());
    }
    return result;
}

void Configuration::override_value(std::string_view key_equals_value) {
    const auto equals = key_equals_value.find('=');
    if (equals == std::string_view::npos || !is_dotted_key(key_equals_value.substr(0, equals))) {
        throw ConfigurationError("override \"{}\": expected key=value, as in l1d.ways=8", key_equals_value);
    }
    SetValue set;
    set.raw = key_equals_value;
    set.value = parse_loosely(set.raw_value());
    state_->set[std::string(key_equals_value.substr(0, equals))] = std::move(set);
    state_->read.clear();
}

void Configuration::inherit(const Configuration& base) {
    state_->set.insert(base.state_->set.begin(), base.state_->set.end());
    state_->read.clear();
}

std::optional<std::string> Configuration::take_text(std::string_view key) {
    const auto found = state_->set.find(key);
    if (found == state_->set.end()) { return std::nullopt; }
    const SetValue set = found->second;
    if (!std::holds_alternative<std::string>(set.value)) {
        throw ConfigurationError("{}: {} = {} is {}; expected: text", set.place(), key, to_toml(set.value),
                                 type_phrase(set.value));
    }
    state_->set.erase(found);
    state_->read.clear();
    return std::get<std::string>(set.value);
}

std::string Configuration::variant(std::string_view slot_key, std::string_view default_name) const {
    Parameter slot;
    slot.type = ParameterType::text;
    EffectiveEntry entry{std::string(slot_key), std::string(default_name), "", "default", "Variant of the slot."};
    if (const auto found = state_->set.find(slot_key); found != state_->set.end()) {
        entry.value = checked(slot, entry.key, found->second);
        entry.source = found->second.line_text();
    }
    const std::string name = std::get<std::string>(entry.value);
    state_->effective[entry.key] = std::move(entry);
    return name;
}

const Configuration::Given& Configuration::given(const ParameterList& list, std::string_view prefix) const {
    const std::pair place(&list, std::string(prefix));
    auto known = state_->read.find(place);
    if (known == state_->read.end()) { known = state_->read.emplace(place, state_->take_note(list, prefix)).first; }
    return known->second;
}

void Configuration::read_into(const ParameterList& list, std::string_view prefix, void* object) const {
    for (const auto& [parameter, value] : given(list, prefix)) {
        parameter->store(static_cast<char*>(object) + parameter->offset, value);
    }
}

void Configuration::check_all_used() const {
    const auto registered = registered_parameters();
    for (const auto& [key, set] : state_->set) {
        if (state_->effective.contains(key)) { continue; }
        if (const auto found = registered.find(key); found != registered.end()) {
            checked(*found->second.parameter, key, set);
            if (set.is_override()) {
                throw ConfigurationError("{}: {} has no effect: nothing in this configuration uses \"{}\" ({})",
                                         set.place(), key, found->second.set->prefix, found->second.set->description);
            }
            continue;
        }
        std::vector<std::string> known;
        for (const auto& each : state_->effective) { known.push_back(each.first); }
        for (const auto& each : registered) { known.push_back(each.first); }
        throw ConfigurationError("{}: unknown key {}{}", set.place(), key, did_you_mean(key, known));
    }
}

bool Configuration::is_set(std::string_view key) const {
    return state_->set.contains(key);
}

std::string Configuration::place_of(std::string_view key) const {
    const auto found = state_->set.find(key);
    return found == state_->set.end() ? "default" : found->second.place();
}

std::vector<EffectiveEntry> Configuration::effective_entries() const {
    std::vector<EffectiveEntry> entries;
    entries.reserve(state_->effective.size());
    for (const auto& each : state_->effective) { entries.push_back(each.second); }
    return entries;
}

std::string Configuration::effective_toml() const {
    std::map<std::string, std::string> tables;
    for (const auto& [key, entry] : state_->effective) {
        const auto dot = key.rfind('.');
        const std::string table = dot == std::string::npos ? "" : key.substr(0, dot);
        const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
        const std::string unit = entry.unit.empty() ? "" : fmt::format("{}; ", entry.unit);
        tables[table] += fmt::format("{} = {}  # {}{}\n", name, to_toml(entry.value), unit, entry.source);
    }
    std::string text;
    for (const auto& [table, lines] : tables) {
        text += table.empty() ? lines : fmt::format("{}{}]\n{}", (text.empty() ? "[" : "\n["), table, lines);
    }
    return text;
}

std::uint64_t Configuration::effective_hash() const {
    StateHasher hasher;
    for (const auto& [key, entry] : state_->effective) {
        hasher.add_bytes(key.data(), key.size());
        const std::string value = to_toml(entry.value);
        hasher.add_bytes(value.data(), value.size());
    }
    return hasher.value();
}

std::string Configuration::to_bytes() const {
    std::ostringstream stream;
    {
        boost::archive::binary_oarchive archive(stream, boost::archive::no_header);
        const std::size_t size = state_->set.size();
        archive << size;
        for (const auto& [key, set] : state_->set) {
            const std::uint8_t type = static_cast<std::uint8_t>(set.value.index());
            archive << key << set.raw << set.file << set.line << set.column << type;
            std::visit([&](const auto& value) { archive << value; }, set.value);
        }
    }
    return std::move(stream).str();
}

namespace {

template <class T>
ParameterValue load_value(boost::archive::binary_iarchive& archive) {
    T value{};
    archive >> value;
    return value;
}

}  // namespace

Configuration Configuration::from_bytes(std::string_view bytes) {
    using Load = ParameterValue (*)(boost::archive::binary_iarchive&);
    static constexpr std::array<Load, 4> kLoad{&load_value<bool>, &load_value<std::int64_t>, &load_value<double>,
                                               &load_value<std::string>};
    Configuration result;
    archive_from_bytes(bytes, "the configuration", [&](boost::archive::binary_iarchive& archive) {
        std::size_t size = 0;
        archive >> size;
        for (std::size_t i = 0; i < size; ++i) {
            std::string key;
            SetValue set;
            std::uint8_t type = 0;
            archive >> key >> set.raw >> set.file >> set.line >> set.column >> type;
            set.value = kLoad.at(type)(archive);
            result.state_->set.emplace(std::move(key), std::move(set));
        }
    });
    return result;
}

}  // namespace lookahead
