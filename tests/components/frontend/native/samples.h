#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "components/frontend/native/lower.h"
#include "components/isa/instruction.h"

namespace lookahead::native::test {

using Bytes = std::vector<std::byte>;

/// The cubin of cubins/samples.ptx for the architecture: 75, 90 or 100.
inline Bytes sample_bytes(unsigned architecture) {
    const std::string path =
        fmt::format("{}/tests/components/frontend/native/cubins/samples_{}.cubin", LOOKAHEAD_SOURCE_DIR, architecture);
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(!text.empty());
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

inline Cubin sample(unsigned architecture) {
    return read_cubin(sample_bytes(architecture), "samples.cubin");
}

/// The element with the name.
template <class Kernels>
auto& named(Kernels& kernels, std::string_view name) {
    for (auto& kernel : kernels) {
        if (kernel.name == name) { return kernel; }
    }
    FAIL("there is no kernel " << name);
    return kernels.front();
}

/// All rows, targets and predicates of a lowered kernel exist.
inline void check_ranges(const isa::Kernel& kernel) {
    const auto reads = [&](const isa::Operand& operand) {
        const std::uint32_t rows = operand.kind == isa::Operand::Kind::reg        ? kernel.registers
                                   : operand.kind == isa::Operand::Kind::constant ? kernel.constant_rows()
                                                                                  : ~0u;
        REQUIRE(operand.index + operand.rows <= rows);
    };
    const auto is_predicate = [](unsigned number) {
        return number == isa::kNoPredicate || number <= isa::kFirstUniformPredicate + isa::kPredicateRegisters - 1u;
    };
    for (const isa::Instruction& each : kernel.code) {
        for (const isa::Operand& source : each.source) { reads(source); }
        REQUIRE(each.destination + each.destination_rows <= kernel.registers);
        for (const std::uint32_t target : {each.target, each.reconvergence}) {
            REQUIRE((target == isa::kNoTarget || target < kernel.code.size()));
        }
        for (const unsigned predicate : {each.guard, each.source_predicate, each.source_predicate2,
                                         each.destination_predicate, each.destination_predicate2}) {
            REQUIRE(is_predicate(predicate));
        }
    }
    for (const std::uint32_t entry : kernel.entries) { REQUIRE(entry <= kernel.code.size()); }
}

}  // namespace lookahead::native::test
