#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/profile/reaching_definitions.h"

namespace lookahead::profile {

/// The role of an instruction (Crago et al., TACO 2018, section 3.1 and figure 2).
enum class Role : std::uint8_t { address_generation, memory, control, integer, floating_point, count };
inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::count);
std::string_view name_of(Role role);

/// By instruction. The paper divides the integer instructions "by a backtrace of the source registers of relevant
/// instructions": sources of a branch's condition or a guard are control, other sources of a memory instruction's
/// address are address generation. Control first is the only reading that gives the 46 % of its listing 2, whose
/// counter is both.
///
/// Choices that it leaves open: the backtrace ends at memory instructions, whose addresses are traced separately, and
/// at floating-point ones, also comparisons, which "compute" for any use. Moves, selects, warp-wide instructions and
/// conversions to integers are integer instructions. Texture fetches and atomics are memory instructions; barriers,
/// fences, jumps are control. The sources of a vector memory instruction's stride or indices are part of its address.
std::vector<Role> roles_of(std::span<const isa::Instruction> code, const ReachingDefinitions& definitions);

}  // namespace lookahead::profile
