#include "core/json/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace lookahead {

using LibraryJson = nlohmann::ordered_json;

/// Converts to and from the library's type.
struct JsonConversion {
    LibraryJson operator()(const Json& json) const { return std::visit(*this, json.value_); }

    LibraryJson operator()(const Json::Array& elements) const {
        LibraryJson array = LibraryJson::array();
        for (const Json& element : elements) { array.push_back((*this)(element)); }
        return array;
    }

    LibraryJson operator()(const Json::Object& members) const {
        LibraryJson object = LibraryJson::object();
        for (const auto& [name, value] : members) { object[name] = (*this)(value); }
        return object;
    }

    LibraryJson operator()(const auto& value) const { return value; }

    static Json from(const LibraryJson& value) {
        if (value.is_object()) {
            Json::Object members;
            for (const auto& [name, member] : value.items()) { members.emplace_back(name, from(member)); }
            return members;
        }
        if (value.is_array()) {
            Json::Array elements;
            for (const LibraryJson& element : value) { elements.push_back(from(element)); }
            return elements;
        }
        if (value.is_string()) { return value.get_ref<const std::string&>(); }
        if (value.is_boolean()) { return value.get<bool>(); }
        if (value.is_number_unsigned()) { return value.get<std::uint64_t>(); }
        if (value.is_number_integer()) { return value.get<std::int64_t>(); }
        return value.is_number_float() ? Json(value.get<double>()) : Json(nullptr);
    }
};

namespace {

constexpr int kOneLine = -1;
constexpr int kIndentation = 2;

std::string dumped(const Json& json, int indentation) {
    return JsonConversion{}(json).dump(indentation, ' ', false, LibraryJson::error_handler_t::replace);
}

[[noreturn]] void refuse(const Json& json, const char* expected) {
    constexpr std::size_t kShown = 60;
    const std::string text = json.text();
    throw JsonError(fmt::format("{} is not {}",
                                (text.size() > kShown ? fmt::format("{}..", text.substr(0, kShown)) : text), expected));
}

}  // namespace

Json Json::parse(std::string_view text) {
    try {
        return JsonConversion::from(LibraryJson::parse(text));
    } catch (const nlohmann::json::parse_error& error) {
        throw JsonError(fmt::format("invalid JSON at byte {}", error.byte));
    }
}

std::string Json::text() const {
    return dumped(*this, kOneLine);
}

std::string Json::page() const {
    return dumped(*this, kIndentation);
}

std::string Json::plain() const {
    const std::string* const words = std::get_if<std::string>(&value_);
    return words != nullptr ? *words : text();
}

const Json* Json::find(std::string_view name) const& {
    const auto* const object = std::get_if<Object>(&value_);
    if (object == nullptr) { return nullptr; }
    const auto found =
        std::ranges::find(*object, name, [](const auto& member) -> std::string_view { return member.first; });
    return found == object->end() ? nullptr : &found->second;
}

const Json& Json::at(std::string_view name) const& {
    if (const Json* const member = find(name)) { return *member; }
    refuse(*this, (fmt::format("an object with the member {}", name)).c_str());
}

const Json::Array& Json::elements() const& {
    if (const auto* const array = std::get_if<Array>(&value_)) { return *array; }
    refuse(*this, "an array");
}

const Json::Object& Json::members() const& {
    if (const auto* const object = std::get_if<Object>(&value_)) { return *object; }
    refuse(*this, "an object");
}

const std::string& Json::as_text() const& {
    if (const auto* const words = std::get_if<std::string>(&value_)) { return *words; }
    refuse(*this, "a text");
}

std::vector<std::string> Json::as_texts() const {
    std::vector<std::string> texts;
    for (const Json& element : elements()) { texts.push_back(element.as_text()); }
    return texts;
}

std::uint64_t Json::as_count() const {
    if (const auto* const natural = std::get_if<std::uint64_t>(&value_)) { return *natural; }
    const auto* const whole = std::get_if<std::int64_t>(&value_);
    if (whole == nullptr || *whole < 0) { refuse(*this, "a number from 0 without a fraction"); }
    return static_cast<std::uint64_t>(*whole);
}

int Json::as_int() const {
    const auto* const natural = std::get_if<std::uint64_t>(&value_);
    if (natural != nullptr && std::in_range<int>(*natural)) { return static_cast<int>(*natural); }
    const auto* const whole = std::get_if<std::int64_t>(&value_);
    if (whole == nullptr || !std::in_range<int>(*whole)) { refuse(*this, "a number of 32 bits without a fraction"); }
    return static_cast<int>(*whole);
}

double Json::as_double() const {
    if (const auto* const number = std::get_if<double>(&value_)) { return *number; }
    if (const auto* const natural = std::get_if<std::uint64_t>(&value_)) { return static_cast<double>(*natural); }
    if (const auto* const whole = std::get_if<std::int64_t>(&value_)) { return static_cast<double>(*whole); }
    refuse(*this, "a number");
}

}  // namespace lookahead
