#include "components/frontend/ptx/special_register.h"

#include <algorithm>
#include <array>

namespace lookahead::ptx {
namespace {

struct RegisterRow {
    std::string_view name;
    SpecialRegister reg;
    Type type = Type::u32;
};

constexpr std::array<RegisterRow, 33> kRegisters{{
    {"%tid.x", SpecialRegister::tid_x},
    {"%tid.y", SpecialRegister::tid_y},
    {"%tid.z", SpecialRegister::tid_z},
    {"%ntid.x", SpecialRegister::ntid_x},
    {"%ntid.y", SpecialRegister::ntid_y},
    {"%ntid.z", SpecialRegister::ntid_z},
    {"%ctaid.x", SpecialRegister::ctaid_x},
    {"%ctaid.y", SpecialRegister::ctaid_y},
    {"%ctaid.z", SpecialRegister::ctaid_z},
    {"%nctaid.x", SpecialRegister::nctaid_x},
    {"%nctaid.y", SpecialRegister::nctaid_y},
    {"%nctaid.z", SpecialRegister::nctaid_z},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%smid", SpecialRegister::smid},
    {"%nsmid", SpecialRegister::nsmid},
    {"%gridid", SpecialRegister::gridid, Type::u64},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%clock", SpecialRegister::clock},
    {"%clock_hi", SpecialRegister::clock_hi},
    {"%clock64", SpecialRegister::clock64, Type::u64},
    {"%globaltimer", SpecialRegister::globaltimer, Type::u64},
    {"%globaltimer_lo", SpecialRegister::globaltimer_lo},
    {"%globaltimer_hi", SpecialRegister::globaltimer_hi},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
    {"%total_smem_size", SpecialRegister::total_smem_size},
    // Registers of the driver: CUDA's headers read the address of a grid's workspace from two of them.
    {"%envreg1", SpecialRegister::grid_workspace_high},
    {"%envreg2", SpecialRegister::grid_workspace_low},
}};

constexpr bool registers_stand_in_the_order_of_the_enumeration() {
    for (std::size_t i = 0; i < kRegisters.size(); ++i) {
        if (static_cast<std::size_t>(kRegisters[i].reg) != i) { return false; }
    }
    return true;
}
static_assert(registers_stand_in_the_order_of_the_enumeration());

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
    for (const RegisterRow& candidate : kRegisters) {
        if (candidate.name == name) { return candidate.reg; }
    }
    return std::nullopt;
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
