#include "experiments/results/run_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <functional>
#include <iterator>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "core/param/parameter_value.h"
#include "experiments/results/run_record.h"
#include "hdf5_schemas/run_schema.h"

namespace lookahead {

namespace {

using hdf5::AttributeValue;
using hdf5::Dataset;
using hdf5::ElementType;
using hdf5::Group;
using hdf5::LinkKind;
using hdf5::Object;
using Difference = std::optional<std::string>;

/// The most differing settings to name; beyond these their number is given.
constexpr std::size_t kMostSettings = 10;

/// Whether the attribute holds references, which mean nothing outside their file.
bool is_reference_attribute(const std::string& name) {
    return name == "DIMENSION_LIST" || name == "REFERENCE_LIST";
}

/// Whether the attribute tells the origin of settings: the place of one, or the text of all.
bool is_source(const std::string& name) {
    return name == "source" || name == run_schema::kConfigTomlAttribute;
}

std::string text_of(std::integral auto value) {
    return std::to_string(value);
}

std::string text_of(double value) {
    return fmt::format("{} (bits {})", to_toml(value), hash_text(std::bit_cast<std::uint64_t>(value)));
}

std::string text_of(const AttributeValue& value) {
    struct Writer {
        std::string operator()(std::monostate) const { return "(another type)"; }
        std::string operator()(const std::string& v) const { return fmt::format("\"{}\"", v); }
        std::string operator()(const std::vector<std::string>& v) const {
            return v.empty() ? "[]" : fmt::format("[\"{}\"]", fmt::join(v, "\", \""));
        }
        std::string operator()(std::int64_t v) const { return text_of(v); }
        std::string operator()(std::uint64_t v) const { return text_of(v); }
        std::string operator()(double v) const { return text_of(v); }
    };
    return std::visit(Writer{}, value);
}

bool equal_bits(const AttributeValue& a, const AttributeValue& b) {
    const auto* x = std::get_if<double>(&a);
    const auto* y = std::get_if<double>(&b);
    return x != nullptr && y != nullptr ? std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y) : a == b;
}

std::string element_text(ElementType type, const std::byte* at) {
    if (type == ElementType::boolean) { return *at == std::byte{0} ? "false" : "true"; }
    std::string text = "other bytes";
    const auto read_as = [&](auto... numbers) {
        const auto read = [&]<class T>(T& number) {
            if (type != hdf5::kElementType<T>) { return; }
            std::memcpy(&number, at, sizeof number);
            text = text_of(number);
        };
        (read(numbers), ...);
    };
    read_as(std::int32_t{}, std::int64_t{}, std::uint32_t{}, std::uint64_t{}, double{});
    return text;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " × "));
}

/// "[3]", "[2, 5]", or nothing for a scalar.
std::string index_text(std::uint64_t position, const std::vector<std::uint64_t>& shape) {
    std::string text;
    for (std::size_t i = shape.size(); i-- > 0;) {
        text = std::to_string(position % shape[i]) + (text.empty() ? "" : ", ") + text;
        position /= shape[i];
    }
    return shape.empty() ? "" : fmt::format("[{}]", text);
}

std::string versus(const std::string& place, const std::string& a, const std::string& b) {
    return fmt::format("{}: {} in the first, {} in the second", place, a, b);
}

std::string only_in(const std::string& place, bool in_first) {
    return fmt::format("{}: only in the {}", place, in_first ? "first" : "second");
}

Difference compare_names(const std::string& place, const std::vector<std::string>& a,
                         const std::vector<std::string>& b) {
    std::vector<std::string> only;
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(only));
    if (only.empty()) { return std::nullopt; }
    return only_in(place + only.front(), std::ranges::binary_search(a, only.front()));
}

Difference compare_attribute(const Object& a, const Object& b, const std::string& name, const std::string& path) {
    const AttributeValue x = a.attribute(name);
    const AttributeValue y = b.attribute(name);
    return equal_bits(x, y) ? std::nullopt
                            : Difference(versus(fmt::format("{}@{}", path, name), text_of(x), text_of(y)));
}

using Counts = std::function<bool(const std::string& name)>;

bool counts(const std::string& name) {
    return !is_reference_attribute(name);
}

bool counts_in_settings(const std::string& name) {
    return counts(name) && !is_source(name);
}

std::vector<std::string> attribute_names(const Object& object, const Counts& is_compared) {
    auto all = object.attribute_names();
    std::erase_if(all, [&](const std::string& name) { return !is_compared(name); });
    return all;
}

Difference compare_attributes(const Object& a, const Object& b, const std::string& path,
                              const Counts& is_compared = counts) {
    const auto names_a = attribute_names(a, is_compared);
    if (auto difference = compare_names(fmt::format("{}@", path), names_a, attribute_names(b, is_compared))) {
        return difference;
    }
    for (const std::string& name : names_a) {
        if (auto difference = compare_attribute(a, b, name, path)) { return difference; }
    }
    return std::nullopt;
}

Difference compare_texts(const Dataset& a, const Dataset& b, const std::string& path) {
    const auto x = a.read_texts();
    const auto y = b.read_texts();
    const auto [at_a, at_b] = std::mismatch(x.begin(), x.end(), y.begin());
    if (at_a == x.end()) { return std::nullopt; }
    const auto position = static_cast<std::uint64_t>(at_a - x.begin());
    return versus(path + index_text(position, a.shape()), fmt::format("\"{}\"", *at_a), fmt::format("\"{}\"", *at_b));
}

Difference compare_datasets(const Dataset& a, const Dataset& b, const std::string& path) {
    if (a.type() != b.type()) {
        return versus(path, fmt::format("type {}", name_of(a.type())), fmt::format("type {}", name_of(b.type())));
    }
    const auto shape = a.shape();
    if (shape != b.shape()) {
        return versus(path, fmt::format("shape {}", shape_text(shape)), fmt::format("shape {}", shape_text(b.shape())));
    }
    if (a.type() == ElementType::text) { return compare_texts(a, b, path); }
    const auto x = a.read_bytes();
    const auto y = b.read_bytes();
    if (x.size() != y.size()) { return fmt::format("{}: elements of different sizes", path); }
    const auto [at_a, at_b] = std::mismatch(x.begin(), x.end(), y.begin());
    if (at_a == x.end()) { return std::nullopt; }
    const std::uint64_t element_bytes = x.size() / a.size();
    const auto position = static_cast<std::uint64_t>(at_a - x.begin()) / element_bytes;
    return versus(path + index_text(position, shape), element_text(a.type(), x.data() + position * element_bytes),
                  element_text(a.type(), y.data() + position * element_bytes));
}

Difference compare_groups(const Group& a, const Group& b, const std::string& path);

Difference compare_members(const Group& a, const Group& b, const std::string& name, const std::string& path,
                           const Counts& is_compared = counts) {
    const LinkKind kind = a.kind_of(name);
    if (kind != b.kind_of(name)) { return fmt::format("{}: a group in one, a dataset in the other", path); }
    if (kind == LinkKind::group) { return compare_groups(a.open_group(name), b.open_group(name), path); }
    if (kind != LinkKind::dataset) { throw InputError("{}: {} is neither group nor dataset", a.file_name(), path); }
    const Dataset x = a.open_dataset(name);
    const Dataset y = b.open_dataset(name);
    if (auto difference = compare_datasets(x, y, path)) { return difference; }
    return compare_attributes(x, y, path, is_compared);
}

/// The first difference among members of these names, except one group that is compared separately.
Difference compare_named(const Group& a, const Group& b, const std::vector<std::string>& names_a,
                         const std::vector<std::string>& names_b, const std::string& path,
                         std::string_view left_out = {}) {
    if (auto difference = compare_names(fmt::format("{}/", path), names_a, names_b)) { return difference; }
    for (const std::string& name : names_a) {
        if (name == left_out) { continue; }
        if (auto difference = compare_members(a, b, name, fmt::format("{}/{}", path, name))) { return difference; }
    }
    return std::nullopt;
}

Difference compare_groups(const Group& a, const Group& b, const std::string& path) {
    if (auto difference = compare_named(a, b, a.names(), b.names(), path)) { return difference; }
    return compare_attributes(a, b, path);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::binary_search(names, name);
}

/// A sentence for each of the sorted names that only one side has, or for which `compare` finds a difference.
template <class Compare>
std::vector<std::string> compare_each(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                      const std::string& place, Compare compare) {
    std::vector<std::string> all, differences;
    std::ranges::set_union(a, b, std::back_inserter(all));
    for (const std::string& name : all) {
        const Difference difference =
            has(a, name) && has(b, name) ? compare(name) : only_in(place + name, has(a, name));
        if (difference) { differences.push_back(*difference); }
    }
    return differences;
}

/// Each setting that differs, or that only one file has.
std::vector<std::string> compare_settings(const Group& a, const Group& b, const std::string& path) {
    auto differences = compare_each(a.names(), b.names(), fmt::format("{}/", path), [&](const std::string& name) {
        return compare_members(a, b, name, fmt::format("{}/{}", path, name), counts_in_settings);
    });
    if (auto difference = compare_attributes(a, b, path, counts_in_settings)) { differences.push_back(*difference); }
    return differences;
}

/// Each attribute of the file that differs. A machine's name tells only the origin of settings: it is ignored if the
/// settings are equal.
std::vector<std::string> compare_root_attributes(const Group& a, const Group& b, bool same_settings) {
    const auto is_compared = [same_settings](const std::string& name) {
        return counts(name) && !(same_settings && name == run_schema::kMachineAttribute);
    };
    return compare_each(attribute_names(a, is_compared), attribute_names(b, is_compared), "/@",
                        [&](const std::string& name) { return compare_attribute(a, b, name, "/"); });
}

std::vector<std::string> compared_groups(const Group& root) {
    auto all = root.names();
    std::erase_if(all, [](const std::string& name) {
        return name == run_schema::kMetaGroup || name == run_schema::kEngineGroup;
    });
    return all;
}

std::vector<std::string> compare_files(const Group& a, const Group& b) {
    const auto names_a = compared_groups(a);
    const auto names_b = compared_groups(b);
    const std::string config(run_schema::kConfigGroup);
    const bool have_settings = has(names_a, config) && has(names_b, config);
    std::vector<std::string> found;
    if (have_settings) {
        found = compare_settings(a.open_group(config), b.open_group(config), fmt::format("/{}", config));
    }
    const std::size_t settings = found.size();
    if (settings > kMostSettings) {
        found.resize(kMostSettings);
        found.push_back(fmt::format("and {} more settings", settings - kMostSettings));
    }
    std::ranges::move(compare_root_attributes(a, b, have_settings && settings == 0), std::back_inserter(found));
    if (auto difference = compare_named(a, b, names_a, names_b, "", have_settings ? config : "")) {
        found.push_back(*std::move(difference));
    }
    return found;
}

std::string kind_of(const hdf5::InputFile& file) {
    const hdf5::Group root = file.root();
    return root.has_attribute("schema") ? fmt::format("a file of {}", root.text_attribute("schema"))
                                        : "of an unknown kind";
}

}  // namespace

std::optional<std::string> diff_runs(const std::string& path_a, const std::string& path_b) {
    const hdf5::InputFile a(path_a);
    const hdf5::InputFile b(path_b);
    if (kind_of(a) != kind_of(b)) {
        throw InputError("{}: {}, and {} is {}; only files of one kind can be compared", path_b, kind_of(b), path_a,
                         kind_of(a));
    }
    const std::vector<std::string> found = compare_files(a.root(), b.root());
    return found.empty() ? std::nullopt : std::optional(fmt::format("{}", fmt::join(found, "\n")));
}

}  // namespace lookahead
