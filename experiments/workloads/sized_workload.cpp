#include "experiments/workloads/sized_workload.h"

#include "core/error/error.h"

namespace lookahead {

ParameterList sized_parameter_list(std::span<const SizedParameter> table) {
    ParameterList list;
    for (const SizedParameter& each : table) {
        Parameter parameter;
        parameter.name = each.name;
        parameter.type = ParameterType::integer;
        parameter.unit = each.unit;
        parameter.help = std::string(each.help) + " 0: as --size says.";
        parameter.default_value = std::int64_t{0};
        parameter.integer_min = 0;
        parameter.integer_max = each.max;
        parameter.offset = static_cast<std::ptrdiff_t>(list.size() * sizeof(std::int64_t));
        parameter.store = [](void* place, const ParameterValue& value) {
            *static_cast<std::int64_t*>(place) = std::get<std::int64_t>(value);
        };
        list.push_back(std::move(parameter));
    }
    check_parameter_list(list);
    return list;
}

std::int64_t sized_value(std::string_view workload, const SizedParameter& parameter, std::int64_t given, Size size) {
    const std::int64_t value = given != 0 ? given : parameter.by_size[static_cast<std::size_t>(size)];
    if (value % parameter.multiple_of != 0) {
        throw ConfigurationError(std::string(workload) + "." + std::string(parameter.name) + " is " +
                                 std::to_string(value) + ": give a multiple of " +
                                 std::to_string(parameter.multiple_of));
    }
    return value;
}

}  // namespace lookahead
