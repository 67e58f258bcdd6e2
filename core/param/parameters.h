#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/bits/declared_members.h"
#include "core/param/parameter_value.h"

/// Parameters are members of a plain struct, each declared once with its default, range, help text and source:
///
///     struct CacheParameters {
///         LOOKAHEAD_PARAMETER(std::int64_t, ways, 4, {1, 64, "line"}, {.help = "Lines in a set."});
///         LOOKAHEAD_PARAMETER(bool, sectored, false, {.help = "…"});
///         LOOKAHEAD_PARAMETER(double, frequency, 700e6, {1, 1e12, "Hz"}, {.help = "…"});
///         LOOKAHEAD_PARAMETER(std::string, replacement, "lru", {"lru", "fifo"}, {.help = "…"});
///         LOOKAHEAD_ALL_DECLARED;
///     };
///
/// `Configuration::read<CacheParameters>("cache")` gives a checked struct.
namespace lookahead {

/// In the order of ParameterValue's alternatives.
enum class ParameterType { boolean, integer, real, text };

/// A configuration key: "cache.ways", or the name alone if there is no prefix.
std::string dotted(std::string_view prefix, std::string_view name);

/// One parameter of a struct, for the configuration and the reference pages.
struct Parameter {
    std::string name;
    ParameterType type = ParameterType::integer;
    std::string unit;
    std::string help;
    std::string source;  ///< the source of the default: a paper, a manual, a measurement
    ParameterValue default_value;
    std::int64_t integer_min = std::numeric_limits<std::int64_t>::min();
    std::int64_t integer_max = std::numeric_limits<std::int64_t>::max();
    double real_min = -std::numeric_limits<double>::infinity();
    double real_max = std::numeric_limits<double>::infinity();
    std::vector<std::string> choices;  ///< empty: any text

    std::ptrdiff_t offset = 0;  ///< of the member in its struct
    void (*store)(void* member, const ParameterValue& value) = nullptr;

    /// "integer, 1 to 64", "one of lru, fifo", "switch (true or false)".
    std::string values_text() const;
    bool accepts_type(const ParameterValue& value) const;
    /// Whether the value is in range; it must have the right type.
    bool accepts_range(const ParameterValue& value) const;
};

using ParameterList = std::vector<Parameter>;

/// Specialise it, with a static function make() that returns the ParameterList, for a struct whose members do not
/// declare themselves.
template <class P>
struct ParametersOf;

template <class P>
concept HasParameters = std::is_default_constructible_v<P> && requires {
    ParametersOf<P>::make();
};

/// The parameters of struct P.
template <class P>
const ParameterList& parameters_of() {
    static const ParameterList list = ParametersOf<P>::make();
    return list;
}

/// A range from min to max, both included, and its unit: `{1, 64, "line"}`.
struct IntegerRange {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    std::string_view unit = "";
};

struct RealRange {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    std::string_view unit = "";
};

struct ParameterOptions {
    std::string_view help = "";
    std::string_view source = "";
};

/// A parameter and the member that holds it; made by parameter().
template <class P, class T>
struct DeclaredParameter {
    Parameter parameter;
    T P::*member;
};

namespace detail {

template <class T>
using StoredAs = std::conditional_t<std::same_as<T, bool> || std::same_as<T, std::string>, T,
                                    std::conditional_t<std::floating_point<T>, double, std::int64_t>>;

template <class P, class T>
DeclaredParameter<P, T> declared(std::string_view name, T P::*member, ParameterType type, std::string_view unit,
                                 const ParameterOptions& options) {
    Parameter parameter;
    parameter.name = name;
    parameter.type = type;
    parameter.unit = unit;
    parameter.help = options.help;
    parameter.source = options.source;
    parameter.store = [](void* place, const ParameterValue& value) {
        *static_cast<T*>(place) = static_cast<T>(std::get<StoredAs<T>>(value));
    };
    return {std::move(parameter), member};
}

}  // namespace detail

/// A whole number, within the range and the limits of the member's type.
template <class P, std::integral T>
requires(!std::same_as<T, bool>) DeclaredParameter<P, T> parameter(std::string_view name, T P::*member,
                                                                   const IntegerRange& range,
                                                                   const ParameterOptions& options) {
    auto result = detail::declared(name, member, ParameterType::integer, range.unit, options);
    const bool wider = std::in_range<std::int64_t>(std::numeric_limits<T>::max());
    const auto type_max =
        wider ? static_cast<std::int64_t>(std::numeric_limits<T>::max()) : std::numeric_limits<std::int64_t>::max();
    const auto type_min = static_cast<std::int64_t>(std::numeric_limits<T>::min());
    result.parameter.integer_min = std::max(range.min, type_min);
    result.parameter.integer_max = std::min(range.max, type_max);
    return result;
}

/// A double. Infinity and "not a number" are never accepted.
template <class P>
DeclaredParameter<P, double> parameter(std::string_view name, double P::*member, const RealRange& range,
                                       const ParameterOptions& options) {
    auto result = detail::declared(name, member, ParameterType::real, range.unit, options);
    result.parameter.real_min = range.min;
    result.parameter.real_max = range.max;
    return result;
}

/// true or false.
template <class P>
DeclaredParameter<P, bool> parameter(std::string_view name, bool P::*member, const ParameterOptions& options) {
    return detail::declared(name, member, ParameterType::boolean, "", options);
}

/// Any text.
template <class P>
DeclaredParameter<P, std::string> parameter(std::string_view name, std::string P::*member,
                                            const ParameterOptions& options) {
    return detail::declared(name, member, ParameterType::text, "", options);
}

/// One of a few words.
template <class P>
DeclaredParameter<P, std::string> parameter(std::string_view name, std::string P::*member,
                                            std::initializer_list<std::string_view> choices,
                                            const ParameterOptions& options) {
    auto result = detail::declared(name, member, ParameterType::text, "", options);
    result.parameter.choices.assign(choices.begin(), choices.end());
    return result;
}

/// The list of struct P; throws InternalError if a name occurs twice, a help text is empty, or a
/// default is out of its range.
template <class P, class... Bases, class... Ts>
ParameterList parameter_list(DeclaredParameter<Bases, Ts>... declared);

/// Throws InternalError for a faulty declaration, see parameter_list.
void check_parameter_list(const ParameterList& list);

template <class P, class... Bases, class... Ts>
ParameterList parameter_list(DeclaredParameter<Bases, Ts>... declared) {
    const P defaults{};
    ParameterList list;
    list.reserve(sizeof...(declared));
    const auto add = [&]<class Base, class T>(DeclaredParameter<Base, T>& each) {
        const T& member = defaults.*each.member;
        each.parameter.default_value = static_cast<detail::StoredAs<T>>(member);
        each.parameter.offset = reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&defaults);
        list.push_back(std::move(each.parameter));
    };
    (add(declared), ...);
    check_parameter_list(list);
    return list;
}

template <DeclaresMembers P>
struct ParametersOf<P> {
    static ParameterList make() {
        return std::apply([](const auto&... each) { return parameter_list<P>(each...); }, declared_members<P>());
    }
};

}  // namespace lookahead

/// A member with its default, the range of a number or the choices of a text, and {.help, .source}; see parameter().
#define LOOKAHEAD_PARAMETER(type, member, default_value, ...)                             \
    LOOKAHEAD_DECLARE_MEMBER(::lookahead::parameter(#member, &Self::member, __VA_ARGS__)) \
    type member = default_value
/// Declares a member of a base class as a parameter; the base gives the default.
#define LOOKAHEAD_INHERITED_PARAMETER(member, ...)                                        \
    LOOKAHEAD_DECLARE_MEMBER(::lookahead::parameter(#member, &Self::member, __VA_ARGS__)) \
    static_assert(true)
