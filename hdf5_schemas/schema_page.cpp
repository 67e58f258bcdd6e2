#include "hdf5_schemas/schema_page.h"

#include <string_view>

#include <fmt/format.h>

#include "core/json/json.h"
#include "hdf5_schemas/embedded_schemas.h"

namespace lookahead {

namespace {

std::string text_of(const Json& object, std::string_view member) {
    const Json* found = object.find(member);
    return found == nullptr ? "" : found->as_text();
}

std::string joined(const Json& object, std::string_view member, std::string_view between) {
    const Json* found = object.find(member);
    return found == nullptr ? "" : fmt::format("{}", fmt::join(found->as_texts(), between));
}

std::string type_of(const Json& member) {
    const std::string type = text_of(member, "type");
    return type.empty() ? joined(member, "types", " or ") : type;
}

std::string cell(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
        text.insert(at, "\\");
    }
    return text;
}

std::string meaning_of(const Json& member) {
    const std::string since = text_of(member, "since");
    const std::string values = joined(member, "values", ", ");
    return cell(text_of(member, "description") + (values.empty() ? "" : fmt::format(" One of: {}.", values)) +
                (since.empty() ? "" : fmt::format(" Since {}.", since)));
}

std::string attributes_of(const Json& group) {
    const Json* attributes = group.find("attributes");
    if (attributes == nullptr || attributes->members().empty()) { return ""; }
    std::string text = "\n| attribute | type | meaning |\n|---|---|---|\n";
    for (const auto& [name, attribute] : attributes->members()) {
        text += fmt::format("| `{}` | {} | {} |\n", name, type_of(attribute), meaning_of(attribute));
    }
    return text;
}

std::string datasets_of(const Json& group) {
    const Json* datasets = group.find("datasets");
    if (datasets == nullptr || datasets->members().empty()) { return ""; }
    std::string text = "\n| dataset | type | dimensions | unit | meaning |\n|---|---|---|---|---|\n";
    for (const auto& [name, dataset] : datasets->members()) {
        const std::string dimensions = joined(dataset, "dimensions", ", ");
        text += fmt::format("| `{}` | {} | {} | {} | {} |\n", name, type_of(dataset),
                            (dimensions.empty() ? "one value" : dimensions), text_of(dataset, "units"),
                            meaning_of(dataset));
    }
    return text;
}

// NOLINTNEXTLINE(misc-no-recursion): groups are nested
std::string group_text(const std::string& path, const Json& group) {
    std::string text = fmt::format("\n### `{}`\n{}\n", (path.empty() ? "/" : path), meaning_of(group));
    text += attributes_of(group) + datasets_of(group);
    if (const Json* groups = group.find("groups")) {
        for (const auto& [name, inner] : groups->members()) {
            text += group_text(fmt::format("{}/{}", path, name), inner);
        }
    }
    return text;
}

}  // namespace

std::string schema_page() {
    std::string text =
        "# File formats\nHDF5 files and their groups. `*` stands for any name. `lookahead validate FILE` checks a "
        "file; "
        "`hdf5_schemas` in the sources has these descriptions as data, and their history.\n";
    for (const EmbeddedSchema& embedded : embedded_schemas()) {
        const Json schema = Json::parse(embedded.json);
        text += fmt::format("\n## `{}` {}\n{}\n", embedded.id, text_of(schema, "version"), meaning_of(schema));
        text += group_text("", schema.at("root"));
    }
    return text;
}

}  // namespace lookahead
