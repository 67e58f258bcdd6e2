#pragma once

#include <cstdint>
#include <optional>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// A constant operand with the value `bits` in 1 or 2 rows. Equal literals share rows; zero is a row of every launch.
VirtualOperand literal(isa::KernelFrame& frame, std::uint64_t bits, unsigned rows);

/// The value of an operand that is a literal of one or two rows.
std::optional<std::uint64_t> literal_value(const isa::KernelFrame& frame, const VirtualOperand& operand);

/// The operand that reads one of the launch's own rows.
VirtualOperand launch_row(isa::LaunchRow row);

}  // namespace lookahead::finaliser
