#include "experiments/workloads/sized_workload.h"

#include "core/error/error.h"

namespace lookahead {

ParameterList sized_parameter_list(std::span<const SizedParameter> table, std::span<const WordParameter> words,
                                   std::ptrdiff_t words_offset) {
    ParameterList list;
    for (const SizedParameter& each : table) {
        Parameter parameter;
        parameter.name = each.name;
        parameter.type = ParameterType::integer;
        parameter.unit = each.unit;
        parameter.help = fmt::format("{} 0: as --size says.", each.help);
        parameter.default_value = std::int64_t{0};
        parameter.integer_min = 0;
        parameter.integer_max = each.max;
        parameter.offset = static_cast<std::ptrdiff_t>(list.size() * sizeof(std::int64_t));
        parameter.store = [](void* place, const ParameterValue& value) {
            *static_cast<std::int64_t*>(place) = std::get<std::int64_t>(value);
        };
        list.push_back(std::move(parameter));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        Parameter parameter;
        parameter.name = words[i].name;
        parameter.type = ParameterType::text;
        parameter.help = words[i].help;
        parameter.default_value = std::string(words[i].words.front());
        parameter.choices.assign(words[i].words.begin(), words[i].words.end());
        parameter.offset = words_offset + static_cast<std::ptrdiff_t>(i * sizeof(std::string));
        parameter.store = [](void* place, const ParameterValue& value) {
            *static_cast<std::string*>(place) = std::get<std::string>(value);
        };
        list.push_back(std::move(parameter));
    }
    check_parameter_list(list);
    return list;
}

std::int64_t sized_value(std::string_view workload, const SizedParameter& parameter, std::int64_t given, Size size,
                         std::int64_t multiple_of) {
    const std::int64_t unit = multiple_of != 0 ? multiple_of : parameter.multiple_of;
    if (given == 0) {
        const std::int64_t own = parameter.by_size[static_cast<std::size_t>(size)];
        return (own + unit - 1) / unit * unit;
    }
    if (given % unit != 0) {
        throw ConfigurationError("{}.{} is {}: give a multiple of {}", workload, parameter.name, given, unit);
    }
    return given;
}

}  // namespace lookahead
