#pragma once

#include <string>
#include <string_view>

#include "components/frontend/ptx/module.h"

namespace lookahead::ptx::test {

/// A module whose kernel `k` has parameters `p0` (u64) and `st` (24 bytes), ten registers each of %p, %rs (b16),
/// %r (b32), %rd (b64), %f (f32), %fd (f64), a local array `depot`; with variables `sym` (global), `shm` (shared),
/// `cst` (const), a device function `foo` (b32 to b32), and with `body` on line 9 of the text, followed by ret.
std::string with_body(std::string_view body);

/// Line of the body's first line in with_body.
inline constexpr int kBodyLine = 9;

/// A module for sm_75 with 64-bit addresses, whose text after the header is `text` from line 4.
std::string with_header(std::string_view text);

Module parse(const std::string& text);

/// The first instruction of the kernel `k` of with_body(body).
Instruction first_instruction(std::string_view body);

/// The sentence with which parse_module refuses `text`, or "accepted".
std::string refusal(const std::string& text);

std::string read_data(const std::string& name);

}  // namespace lookahead::ptx::test
