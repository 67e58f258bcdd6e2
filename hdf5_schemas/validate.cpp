#include "hdf5_schemas/validate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "hdf5_schemas/embedded_schemas.h"

namespace lookahead {

namespace {

using Json = nlohmann::json;
using hdf5::AttributeValue;
using hdf5::Dataset;
using hdf5::Group;
using hdf5::LinkKind;
using hdf5::Object;

/// Attributes that HDF5's dimension scales and netCDF use internally.
bool is_internal_attribute(const std::string& name) {
    static const std::set<std::string> kNames{"CLASS", "NAME", "DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST"};
    return kNames.contains(name) || name.starts_with("_Netcdf4") || name.starts_with("_NC");
}

/// The names of AttributeValue's alternatives.
std::string type_of(const AttributeValue& value) {
    static constexpr std::array kTypes{"another type", "text", "texts", "int64", "uint64", "float64"};
    return kTypes[value.index()];
}

const Json& member(const Json& node, const char* name) {
    static const Json kNone = Json::object();
    const auto found = node.find(name);
    return found == node.end() ? kNone : *found;
}

/// The rule for a name: its own, or that of "*"; null if there is neither.
const Json* rule_for(const Json& rules, const std::string& name) {
    auto found = rules.find(name);
    if (found == rules.end()) { found = rules.find("*"); }
    return found == rules.end() ? nullptr : &*found;
}

std::string joined(const std::string& path, const std::string& name) {
    return path == "/" ? fmt::format("/{}", name) : fmt::format("{}/{}", path, name);
}

std::string listed(const Json& names) {
    std::vector<std::string> texts;
    for (const auto& name : names) { texts.push_back(name.is_string() ? name.get<std::string>() : name.dump()); }
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// "major.minor" of a schema or a file.
struct Version {
    unsigned major = 0;
    unsigned minor = 0;

    auto operator<=>(const Version&) const = default;
};

std::optional<Version> parse_version(const std::string& text) {
    Version version;
    const char* const end = text.data() + text.size();
    const auto [dot, major_fault] = std::from_chars(text.data(), end, version.major);
    if (major_fault != std::errc{} || dot == end || *dot != '.') { return std::nullopt; }
    const auto [rest, minor_fault] = std::from_chars(dot + 1, end, version.minor);
    return minor_fault == std::errc{} && rest == end ? std::optional(version) : std::nullopt;
}

std::string text_of(Version version) {
    return fmt::format("{}.{}", version.major, version.minor);
}

/// Compares a file with its schema and collects violations.
class Validator {
  public:
    /// `long_names`: the version from which arrays of numbers have long names.
    Validator(Version version, std::optional<Version> long_names) : version_(version), long_names_(long_names) {}

    std::vector<std::string> violations;

    void check_group(const Group& group, const Json& rules, const std::string& path) {
        check_attributes(group, member(rules, "attributes"), path, {});
        check_required(group, member(rules, "datasets"), LinkKind::dataset, path);
        check_required(group, member(rules, "groups"), LinkKind::group, path);
        std::map<std::string, Extent> extents;
        for (const std::string& name : group.names()) { check_member(group, name, rules, joined(path, name), extents); }
        for (const auto& relation : member(rules, "relations")) { check_relation(relation, extents, path); }
    }

  private:
    /// A dimension's extent, and the dataset where it was first seen.
    struct Extent {
        std::uint64_t size;
        std::string dataset;
    };

    void report(const std::string& path, const std::string& sentence) {
        violations.push_back(fmt::format("{}: {}", path, sentence));
    }

    void check_required(const Group& group, const Json& rules, LinkKind kind, const std::string& path) {
        const std::string what = kind == LinkKind::group ? "group" : "dataset";
        for (const auto& [name, rule] : rules.items()) {
            if (name == "*") { continue; }
            const bool there = group.has(name) && group.kind_of(name) == kind;
            if (!there && is_of_version(rule)) {
                report(joined(path, name), fmt::format("the {} is missing", what));
            } else if (there && !is_of_version(rule)) {
                report(joined(path, name), too_new(rule));
            }
        }
    }

    /// Whether the file's version has the member: versions before its "since" do not.
    bool is_of_version(const Json& rule) const {
        return !rule.contains("since") || parse_version(rule.at("since").get<std::string>()) <= version_;
    }
    std::string too_new(const Json& rule) const { return too_new(*parse_version(rule.at("since").get<std::string>())); }
    std::string too_new(Version since) const {
        return fmt::format("the schema has it since version {}, but the file is of version {}", text_of(since),
                           text_of(version_));
    }

    void check_member(const Group& group, const std::string& name, const Json& rules, const std::string& path,
                      std::map<std::string, Extent>& extents) {
        const LinkKind kind = group.kind_of(name);
        if (kind == LinkKind::group) {
            if (const Json* rule = rule_for(member(rules, "groups"), name)) {
                check_group(group.open_group(name), *rule, path);
                return;
            }
        } else if (kind == LinkKind::dataset) {
            if (const Json* rule = rule_for(member(rules, "datasets"), name)) {
                check_dataset(group, group.open_dataset(name), *rule, path, extents);
                return;
            }
        }
        report(path, "the schema does not know it");
    }

    void check_dataset(const Group& group, const Dataset& dataset, const Json& rule, const std::string& path,
                       std::map<std::string, Extent>& extents) {
        check_type(dataset, rule, path);
        check_meaning(dataset, rule, path);
        const auto shape = dataset.shape();
        std::set<std::string> known{"units", "description"};
        if (long_names_ && !shape.empty() && dataset.type() != hdf5::ElementType::text) {
            check_long_name(dataset, rule, path);
            known.insert("long_name");
        }
        check_attributes(dataset, member(rule, "attributes"), path, known);
        const Json& dimensions = rule.at("dimensions");
        if (shape.size() != dimensions.size()) {
            report(path, fmt::format("it has {} dimensions, not {} ({})", shape.size(), dimensions.size(),
                                     listed(dimensions)));
            return;
        }
        const bool should_be_scale = rule.value("scale", false);
        if (should_be_scale != dataset.is_scale()) {
            report(path, should_be_scale ? "it is not a dimension scale" : "it must not be a dimension scale");
        }
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const auto dimension = dimensions[i].get<std::string>();
            check_extent(dimension, shape[i], path, extents);
            if (!should_be_scale) { check_scale(group, dataset, static_cast<unsigned>(i), dimension, path); }
        }
    }

    void check_type(const Dataset& dataset, const Json& rule, const std::string& path) {
        const std::string type(name_of(dataset.type()));
        const Json allowed = rule.contains("types") ? rule.at("types") : Json::array({rule.at("type")});
        if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
            report(path, fmt::format("its type is {}, not {}", type, listed(allowed)));
        }
    }

    /// Checks that the dataset has units and a description, equal to the schema's if the schema gives them.
    void check_meaning(const Dataset& dataset, const Json& rule, const std::string& path) {
        for (const std::string name : {"units", "description"}) {
            const auto text = text_attribute(dataset, name);
            if (!text) {
                report(path, fmt::format("the text attribute \"{}\" is missing", name));
            } else if (rule.contains(name) && *text != rule.at(name).get<std::string>()) {
                report(path, fmt::format("its attribute \"{}\" is \"{}\", not \"{}\"", name, *text,
                                         rule.at(name).get<std::string>()));
            } else if (name == "description" && text->empty()) {
                report(path, "its description is empty");
            }
        }
    }

    void check_long_name(const Dataset& dataset, const Json& rule, const std::string& path) {
        const auto text = text_attribute(dataset, "long_name");
        if (version_ < *long_names_) {
            if (text) { report(path, fmt::format("its attribute \"long_name\": {}", too_new(*long_names_))); }
        } else if (!text || text->empty()) {
            report(path, "the text attribute \"long_name\" is missing");
        } else if (rule.contains("long_name") && *text != rule.at("long_name").get<std::string>()) {
            report(path, fmt::format("its attribute \"long_name\" is \"{}\", not \"{}\"", *text,
                                     rule.at("long_name").get<std::string>()));
        }
    }

    void check_attributes(const Object& object, const Json& rules, const std::string& path,
                          const std::set<std::string>& known) {
        for (const auto& [name, rule] : rules.items()) {
            if (!object.has_attribute(name)) {
                if (is_of_version(rule)) { report(path, fmt::format("the attribute \"{}\" is missing", name)); }
                continue;
            }
            if (!is_of_version(rule)) { report(path, fmt::format("its attribute \"{}\": {}", name, too_new(rule))); }
            const AttributeValue value = object.attribute(name);
            const auto type = rule.at("type").get<std::string>();
            if (type_of(value) != type) {
                report(path, fmt::format("its attribute \"{}\" is {}, not {}", name, type_of(value), type));
            } else if (rule.contains("values") && !has_value(rule.at("values"), value)) {
                report(path, fmt::format("its attribute \"{}\" is none of {}", name, listed(rule.at("values"))));
            }
        }
        for (const std::string& name : object.attribute_names()) {
            if (!rules.contains(name) && !known.contains(name) && !is_internal_attribute(name)) {
                report(path, fmt::format("the schema does not know its attribute \"{}\"", name));
            }
        }
    }

    static bool has_value(const Json& values, const AttributeValue& value) {
        const auto* text = std::get_if<std::string>(&value);
        return text != nullptr && std::find(values.begin(), values.end(), *text) != values.end();
    }

    static std::optional<std::string> text_attribute(const Object& object, const std::string& name) {
        if (!object.has_attribute(name)) { return std::nullopt; }
        const AttributeValue value = object.attribute(name);
        const auto* text = std::get_if<std::string>(&value);
        return text == nullptr ? std::nullopt : std::optional(*text);
    }

    void check_extent(const std::string& dimension, std::uint64_t size, const std::string& path,
                      std::map<std::string, Extent>& extents) {
        const auto [found, is_new] = extents.try_emplace(dimension, Extent{size, path});
        if (!is_new && found->second.size != size) {
            report(path, fmt::format("its dimension {} has {} elements, but {} in {}", dimension, size,
                                     found->second.size, found->second.dataset));
        }
    }

    void check_scale(const Group& group, const Dataset& dataset, unsigned index, const std::string& dimension,
                     const std::string& path) {
        if (!group.has(dimension) || group.kind_of(dimension) != LinkKind::dataset) { return; }
        const Dataset scale = group.open_dataset(dimension);
        if (scale.is_scale() && !dataset.has_scale(index, scale)) {
            report(path, fmt::format("the scale \"{}\" is not attached to it", dimension));
        }
    }

    void check_relation(const Json& relation, const std::map<std::string, Extent>& extents, const std::string& path) {
        const auto left = extents.find(relation.at("dimension").get<std::string>());
        const auto right = extents.find(relation.at("is").get<std::string>());
        if (left == extents.end() || right == extents.end()) {
            return;  // a missing dataset was reported already
        }
        const auto plus = relation.at("plus").get<std::uint64_t>();
        if (left->second.size != right->second.size + plus) {
            report(path, fmt::format("the dimension {} has {} elements, not {} ({} + {})", left->first,
                                     left->second.size, right->second.size + plus, right->first, plus));
        }
    }

    Version version_;  ///< of the file
    std::optional<Version> long_names_;
};

Json find_schema(const Group& root, const std::string& path) {
    if (!root.has_attribute("schema")) {
        throw InputError("{}: not a file of Lookahead: it has no attribute \"schema\"", path);
    }
    const std::string id = root.text_attribute("schema");
    std::vector<std::string_view> known;
    for (const EmbeddedSchema& schema : embedded_schemas()) {
        if (schema.id == id) { return Json::parse(schema.json); }
        known.push_back(schema.id);
    }
    throw InputError("{}: unknown schema \"{}\"; known: {}", path, id, fmt::join(known, ", "));
}

std::vector<std::string> violations_of(const hdf5::InputFile& file) {
    const Group root = file.root();
    const std::string path = root.file_name();
    const Json schema = find_schema(root, path);
    const auto known = schema.at("version").get<std::string>();
    const std::string text = root.text_attribute("schema_version");
    const std::optional<Version> version = parse_version(text);
    const Version own = *parse_version(known);
    if (!version || version->major != own.major || version->minor > own.minor) {
        throw InputError("{}: version {} of its schema; this program reads versions {}.0 to {}", path, text, own.major,
                         known);
    }
    std::optional<Version> long_names;
    if (schema.contains("long_names_since")) {
        long_names = parse_version(schema.at("long_names_since").get<std::string>());
    }
    Validator validator(*version, long_names);
    validator.check_group(root, schema.at("root"), "/");
    return validator.violations;
}

}  // namespace

std::vector<std::string> validate_file(const std::string& path) {
    return violations_of(hdf5::InputFile(path));
}

bool is_file_of(const std::string& path, std::string_view id) {
    try {
        return hdf5::InputFile(path).root().text_attribute("schema") == id;
    } catch (const InputError&) { return false; }
}

void require_valid(const hdf5::InputFile& file, std::string_view id) {
    const auto violations = violations_of(file);
    const Group root = file.root();
    const std::string path = root.file_name();
    const std::string kind = root.text_attribute("schema");
    if (kind != id) { throw InputError("{}: a {} file, not a {} one", path, kind, id); }
    if (!violations.empty()) { throw InputError("{}: not a valid {} file: {}", path, kind, violations.front()); }
}

}  // namespace lookahead
