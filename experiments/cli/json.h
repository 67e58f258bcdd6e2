#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lookahead::cli {

/// What a command prints with --json. The library that writes it is included by json.cpp alone.
class Json {
  public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;  ///< printed in this order

    Json(std::nullptr_t) {}
    Json(double number) : value_(number) {}
    Json(int number) : value_(std::int64_t{number}) {}
    Json(unsigned number) : value_(std::uint64_t{number}) {}
    Json(std::int64_t number) : value_(number) {}
    Json(std::uint64_t number) : value_(number) {}
    Json(std::string text) : value_(std::move(text)) {}
    Json(std::string_view text) : value_(std::string(text)) {}
    Json(const char* text) : value_(std::string(text)) {}
    Json(Array elements) : value_(std::move(elements)) {}
    Json(Object members) : value_(std::move(members)) {}

    /// On one line.
    std::string text() const;
    /// A member or an element a line, two spaces further in for each level.
    std::string page() const;
    /// A text as it is, without quotes; anything else as text() has it.
    std::string plain() const;

  private:
    friend struct JsonConversion;

    std::variant<std::nullptr_t, double, std::int64_t, std::uint64_t, std::string, Array, Object> value_ = nullptr;
};

}  // namespace lookahead::cli
