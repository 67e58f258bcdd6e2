#include "experiments/cli/json.h"

#include <nlohmann/json.hpp>

namespace lookahead::cli {

/// To the library's type.
struct JsonConversion {
    nlohmann::ordered_json operator()(const Json& json) const { return std::visit(*this, json.value_); }

    nlohmann::ordered_json operator()(const Json::Array& elements) const {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const Json& element : elements) array.push_back((*this)(element));
        return array;
    }

    nlohmann::ordered_json operator()(const Json::Object& members) const {
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        for (const auto& [name, value] : members) object[name] = (*this)(value);
        return object;
    }

    template <class Scalar>
    nlohmann::ordered_json operator()(const Scalar& value) const {
        return value;
    }
};

std::string Json::text() const {
    return JsonConversion{}(*this).dump();
}

std::string Json::page() const {
    return JsonConversion{}(*this).dump(2);
}

std::string Json::plain() const {
    const std::string* const words = std::get_if<std::string>(&value_);
    return words != nullptr ? *words : text();
}

}  // namespace lookahead::cli
