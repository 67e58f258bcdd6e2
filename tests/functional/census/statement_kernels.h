#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "components/device/device.h"
#include "tests/functional/census/forms.h"

namespace lookahead::test {

/// Every move, access, atomic, barrier, branch and special register of the census.
std::vector<Statement> other_statements();

/// Whether PTX does not determine the bits. tests/components/isa/approximate_test.cpp checks the errors of
/// approximations; the others depend on the machine and on the order of lanes.
bool is_undetermined(std::string_view text);

/// A module of kernels k0, k1, ... `k(u64 out, u32 unused, u64 wide)`, one for each statement: every thread loads the
/// registers from its 128 bytes at `out`, executes the statement, and stores there the destination and the 32 bytes of
/// global and of shared memory on which the statement works. `before` precedes the kernels.
std::string statement_module(const std::vector<Statement>& statements, const std::string& before = "");

/// What is at `out` before: edge values and random ones, of whole words or of both halves.
std::vector<std::uint64_t> statement_inputs();

/// Launches kernel `number` of a module once on this memory; returns what it leaves.
std::vector<std::uint64_t> run_statement(Device& device, unsigned number, const std::vector<std::uint64_t>& memory);

}  // namespace lookahead::test
