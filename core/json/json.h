#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error/error.h"

namespace lookahead {

/// An error for text that is not JSON, a value of the wrong kind, or a missing member.
class JsonError : public InputError {
  public:
    using InputError::InputError;
};

/// A JSON value. Only json.cpp includes the library that reads and writes JSON texts.
class Json {
  public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;  ///< printed in this order

    Json(std::nullptr_t) {}
    Json(bool truth) : value_(truth) {}
    Json(double number) : value_(number) {}
    Json(int number) : value_(std::int64_t{number}) {}
    Json(unsigned number) : value_(std::uint64_t{number}) {}
    Json(std::int64_t number) : value_(number) {}
    Json(std::uint64_t number) : value_(number) {}
    Json(std::string text) : value_(std::move(text)) {}
    Json(std::string_view text) : value_(std::string(text)) {}
    Json(const char* text) : value_(std::string(text)) {}
    Json(const std::vector<std::string>& texts) : value_(Array(texts.begin(), texts.end())) {}
    Json(Array elements) : value_(std::move(elements)) {}
    Json(Object members) : value_(std::move(members)) {}

    /// Parses a text. JsonError, with the place, if it is not JSON.
    static Json parse(std::string_view text);

    /// The value on one line. Bytes that are not UTF-8 become U+FFFD.
    std::string text() const;
    /// The value with one member or element per line, indented by two spaces per level.
    std::string page() const;
    /// A text without quotes; other values as in text().
    std::string plain() const;

    // The following functions are deleted for temporaries: a part must not outlive its value.

    /// A member of an object; nullptr if there is none of the name, or this is not an object.
    const Json* find(std::string_view name) const&;
    const Json* find(std::string_view name) && = delete;

    // The following functions throw JsonError for a value of another kind, at() also for a missing member.
    const Json& at(std::string_view name) const&;
    const Json& at(std::string_view name) && = delete;
    const Array& elements() const&;
    const Array& elements() && = delete;
    const Object& members() const&;
    const Object& members() && = delete;
    const std::string& as_text() const&;
    const std::string& as_text() && = delete;
    std::vector<std::string> as_texts() const;
    /// A non-negative whole number.
    std::uint64_t as_count() const;
    int as_int() const;
    double as_double() const;

  private:
    friend struct JsonConversion;

    std::variant<std::nullptr_t, bool, double, std::int64_t, std::uint64_t, std::string, Array, Object> value_ =
        nullptr;
};

}  // namespace lookahead
