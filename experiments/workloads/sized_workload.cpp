#include "experiments/workloads/sized_workload.h"

#include "core/error/error.h"

namespace lookahead {

namespace {

template <class T>
Parameter parameter_at(std::ptrdiff_t offset, std::string_view name, const std::string& help, const T& default_value) {
    Parameter parameter;
    parameter.name = name;
    parameter.help = help;
    parameter.default_value = default_value;
    parameter.type = static_cast<ParameterType>(parameter.default_value.index());
    parameter.offset = offset;
    parameter.store = [](void* place, const ParameterValue& value) { *static_cast<T*>(place) = std::get<T>(value); };
    return parameter;
}

}  // namespace

ParameterList sized_parameter_list(std::span<const SizedParameter> table, std::span<const WordParameter> words,
                                   std::ptrdiff_t words_offset) {
    ParameterList list;
    for (const SizedParameter& each : table) {
        const auto offset = static_cast<std::ptrdiff_t>(list.size() * sizeof(std::int64_t));
        list.push_back(
            parameter_at(offset, each.name, fmt::format("{} 0: as --size says.", each.help), std::int64_t{0}));
        list.back().unit = each.unit;
        list.back().integer_min = 0;
        list.back().integer_max = each.max;
    }
    for (const WordParameter& each : words) {
        list.push_back(parameter_at(words_offset, each.name, std::string(each.help), std::string(each.words.front())));
        list.back().choices.assign(each.words.begin(), each.words.end());
        words_offset += sizeof(std::string);
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

std::vector<double> workloads::product(const std::vector<float>& a, const std::vector<float>& b, std::int64_t rows,
                                       std::int64_t depth, std::int64_t columns) {
    std::vector<double> product(rows * columns, 0.0);
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < depth; ++k) {
            const double factor = a[i * depth + k];
            for (std::int64_t j = 0; j < columns; ++j) { product[i * columns + j] += factor * b[k * columns + j]; }
        }
    }
    return product;
}

}  // namespace lookahead
