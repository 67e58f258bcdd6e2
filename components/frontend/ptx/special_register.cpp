#include "components/frontend/ptx/special_register.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace lookahead::ptx {
namespace {

struct RegisterRow {
    std::string_view name;
    Type type;
};

/// In the order of the enumeration.
constexpr RegisterRow kRegisters[] = {
#define SPECIAL_REGISTER(name, text, type) {text, Type::type},
#include "components/frontend/ptx/special_registers.def"
};

const RegisterRow& row(SpecialRegister reg) {
    return kRegisters[static_cast<std::size_t>(reg)];
}

}  // namespace

std::string_view name_of(SpecialRegister reg) {
    return row(reg).name;
}

Type type_of(SpecialRegister reg) {
    return row(reg).type;
}

std::optional<SpecialRegister> special_register_named(std::string_view name) {
    const auto found = std::ranges::find(kRegisters, name, &RegisterRow::name);
    if (found == std::end(kRegisters)) { return std::nullopt; }
    return static_cast<SpecialRegister>(found - std::begin(kRegisters));
}

bool is_unsupported_special_register(std::string_view name) {
    constexpr std::array<std::string_view, 2> kNumbered{"%envreg", "%pm"};
    constexpr std::array<std::string_view, 6> kPrefixes{
        "%clusterid", "%nclusterid", "%cluster_", "%is_explicit_cluster", "%reserved_smem", "%current_graph_exec"};
    constexpr std::array<std::string_view, 5> kWhole{"%tid", "%ntid", "%ctaid", "%nctaid", "%aggr_smem_size"};
    const auto numbered = [&](std::string_view prefix) {
        return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= '0' &&
               name[prefix.size()] <= '9';
    };
    return std::any_of(kNumbered.begin(), kNumbered.end(), numbered) ||
           std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
           std::find(kWhole.begin(), kWhole.end(), name) != kWhole.end();
}

}  // namespace lookahead::ptx
