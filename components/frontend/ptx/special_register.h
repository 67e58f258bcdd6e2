#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "components/frontend/ptx/type.h"

namespace lookahead::ptx {

/// The special registers that can be read. WARP_SZ is not among them: the parser makes it the immediate 32.
enum class SpecialRegister : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    clock,
    clock_hi,
    clock64,
    globaltimer,
    globaltimer_lo,
    globaltimer_hi,
    dynamic_smem_size,
    total_smem_size,
    grid_workspace_high,
    grid_workspace_low,
};

/// PTX's name with the percent sign: "%tid.x".
std::string_view name_of(SpecialRegister reg);
/// u32, or u64 for clock64, globaltimer and gridid.
Type type_of(SpecialRegister reg);
std::optional<SpecialRegister> special_register_named(std::string_view name);
/// Whether the name is one of the PTX ISA's special registers that are not supported (%envreg3, %clusterid.x, ...).
bool is_unsupported_special_register(std::string_view name);

}  // namespace lookahead::ptx
