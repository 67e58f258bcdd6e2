#include "experiments/results/run_diff.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <set>
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

/// Attributes that hold references, which mean nothing outside their file.
bool is_reference_attribute(const std::string& name) {
    return name == "DIMENSION_LIST" || name == "REFERENCE_LIST";
}

std::string text_of(double value) {
    return to_toml(value) + " (bits " + hash_text(std::bit_cast<std::uint64_t>(value)) + ")";
}

std::string text_of(const AttributeValue& value) {
    struct Writer {
        std::string operator()(std::monostate) const { return "(another type)"; }
        std::string operator()(const std::string& v) const { return "\"" + v + "\""; }
        std::string operator()(const std::vector<std::string>& v) const {
            std::string text;
            for (const std::string& each : v) {
                text += (text.empty() ? "" : ", ") + ("\"" + each + "\"");
            }
            return "[" + text + "]";
        }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(std::uint64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return text_of(v); }
    };
    return std::visit(Writer{}, value);
}

bool equal_bits(const AttributeValue& a, const AttributeValue& b) {
    const auto* x = std::get_if<double>(&a);
    const auto* y = std::get_if<double>(&b);
    return x != nullptr && y != nullptr ? std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y) : a == b;
}

template <class T>
std::string number_at(const std::byte* at) {
    T value{};
    std::memcpy(&value, at, sizeof(T));
    if constexpr (std::is_same_v<T, double>) {
        return text_of(value);
    } else {
        return std::to_string(value);
    }
}

std::string element_text(ElementType type, const std::byte* at) {
    switch (type) {
        case ElementType::boolean:
            return *at == std::byte{0} ? "false" : "true";
        case ElementType::int32:
            return number_at<std::int32_t>(at);
        case ElementType::int64:
            return number_at<std::int64_t>(at);
        case ElementType::uint32:
            return number_at<std::uint32_t>(at);
        case ElementType::uint64:
            return number_at<std::uint64_t>(at);
        case ElementType::float64:
            return number_at<double>(at);
        default:
            return "other bytes";
    }
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    std::string text;
    for (const std::uint64_t extent : shape) {
        text += (text.empty() ? "" : " × ") + std::to_string(extent);
    }
    return shape.empty() ? "scalar" : text;
}

/// "[3]", "[2, 5]", or nothing for a scalar.
std::string index_text(std::uint64_t position, const std::vector<std::uint64_t>& shape) {
    std::string text;
    for (std::size_t i = shape.size(); i-- > 0;) {
        text = std::to_string(position % shape[i]) + (text.empty() ? "" : ", ") + text;
        position /= shape[i];
    }
    return shape.empty() ? "" : "[" + text + "]";
}

std::string versus(const std::string& place, const std::string& a, const std::string& b) {
    return place + ": " + a + " in the first, " + b + " in the second";
}

/// The first name that only one of two sorted lists has.
Difference compare_names(const std::string& place, const std::vector<std::string>& a,
                         const std::vector<std::string>& b) {
    std::vector<std::string> only;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    if (only.empty()) {
        return std::nullopt;
    }
    const bool in_first = std::binary_search(a.begin(), a.end(), only.front());
    return place + only.front() + ": only in the " + (in_first ? "first" : "second");
}

Difference compare_attributes(const Object& a, const Object& b, const std::string& path) {
    const auto names = [](const Object& object) {
        auto all = object.attribute_names();
        std::erase_if(all, is_reference_attribute);
        return all;
    };
    const auto names_a = names(a);
    if (auto difference = compare_names(path + "@", names_a, names(b))) {
        return difference;
    }
    for (const std::string& name : names_a) {
        const AttributeValue x = a.attribute(name);
        const AttributeValue y = b.attribute(name);
        if (!equal_bits(x, y)) {
            return versus(path + "@" + name, text_of(x), text_of(y));
        }
    }
    return std::nullopt;
}

Difference compare_texts(const Dataset& a, const Dataset& b, const std::string& path) {
    const auto x = a.read_texts();
    const auto y = b.read_texts();
    const auto [at_a, at_b] = std::mismatch(x.begin(), x.end(), y.begin());
    if (at_a == x.end()) {
        return std::nullopt;
    }
    const auto position = static_cast<std::uint64_t>(at_a - x.begin());
    return versus(path + index_text(position, a.shape()), "\"" + *at_a + "\"", "\"" + *at_b + "\"");
}

Difference compare_datasets(const Dataset& a, const Dataset& b, const std::string& path) {
    if (a.type() != b.type()) {
        return versus(path, "type " + std::string(name_of(a.type())), "type " + std::string(name_of(b.type())));
    }
    const auto shape = a.shape();
    if (shape != b.shape()) {
        return versus(path, "shape " + shape_text(shape), "shape " + shape_text(b.shape()));
    }
    if (a.type() == ElementType::text) {
        return compare_texts(a, b, path);
    }
    const auto x = a.read_bytes();
    const auto y = b.read_bytes();
    if (x.size() != y.size()) {
        return path + ": elements of different sizes";
    }
    const auto [at_a, at_b] = std::mismatch(x.begin(), x.end(), y.begin());
    if (at_a == x.end()) {
        return std::nullopt;
    }
    const std::uint64_t element_bytes = x.size() / a.size();
    const auto position = static_cast<std::uint64_t>(at_a - x.begin()) / element_bytes;
    return versus(path + index_text(position, shape), element_text(a.type(), x.data() + position * element_bytes),
                  element_text(a.type(), y.data() + position * element_bytes));
}

Difference compare_groups(const Group& a, const Group& b, const std::string& path);

Difference compare_members(const Group& a, const Group& b, const std::string& name, const std::string& path) {
    const LinkKind kind = a.kind_of(name);
    if (kind != b.kind_of(name)) {
        return path + ": a group in one, a dataset in the other";
    }
    if (kind == LinkKind::group) {
        return compare_groups(a.open_group(name), b.open_group(name), path);
    }
    if (kind != LinkKind::dataset) {
        throw InputError(a.file_name() + ": " + path + " is neither group nor dataset");
    }
    const Dataset x = a.open_dataset(name);
    const Dataset y = b.open_dataset(name);
    if (auto difference = compare_datasets(x, y, path)) {
        return difference;
    }
    return compare_attributes(x, y, path);
}

Difference compare_groups(const Group& a, const Group& b, const std::string& path) {
    const bool is_root = path.empty();
    const auto names = [&](const Group& group) {
        auto all = group.names();
        std::erase_if(all, [&](const std::string& name) {
            return is_root && (name == run_schema::kMetaGroup || name == run_schema::kEngineGroup);
        });
        return all;
    };
    const auto names_a = names(a);
    if (auto difference = compare_names(path + "/", names_a, names(b))) {
        return difference;
    }
    for (const std::string& name : names_a) {
        if (auto difference = compare_members(a, b, name, path + "/" + name)) {
            return difference;
        }
    }
    return compare_attributes(a, b, is_root ? "/" : path);
}

/// The schema that the file says it follows.
std::string kind_of(const hdf5::InputFile& file) {
    const hdf5::Group root = file.root();
    return root.has_attribute("schema") ? "a file of " + root.text_attribute("schema") : "of no kind that is known";
}

}  // namespace

std::optional<std::string> diff_runs(const std::string& path_a, const std::string& path_b) {
    const hdf5::InputFile a(path_a);
    const hdf5::InputFile b(path_b);
    if (kind_of(a) != kind_of(b)) {
        throw InputError(path_b + ": " + kind_of(b) + ", and " + path_a + " is " + kind_of(a) +
                         "; only files of one kind can be compared");
    }
    return compare_groups(a.root(), b.root(), "");
}

}  // namespace lookahead
