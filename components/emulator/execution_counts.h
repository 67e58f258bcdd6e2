#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "components/isa/instruction_form.h"
#include "components/isa/kernel.h"

namespace lookahead {

/// The kind of unit that an instruction uses.
enum class InstructionClass : std::uint8_t {
    integer,
    single_precision,
    double_precision,
    half_precision,
    special_function,
    convert,
    move,
    predicate,
    warp,
    control,
    memory,
    count
};
InstructionClass class_of(const isa::InstructionForm& instruction);
std::string_view name_of(InstructionClass instruction_class);

/// Executions of one instruction: by warps (also if its guard excludes all lanes) and by threads.
struct InstructionCount {
    std::uint64_t warps = 0;
    std::uint64_t threads = 0;
    InstructionCount& operator+=(const InstructionCount& other) {
        warps += other.warps;
        threads += other.threads;
        return *this;
    }
    bool operator==(const InstructionCount&) const = default;
};

/// Counts of executed instructions.
struct ExecutionCounts {
    InstructionCount total;
    std::array<InstructionCount, static_cast<std::size_t>(InstructionClass::count)> by_class{};
    /// Memory instructions, by isa::Space.
    std::array<InstructionCount, 6> loads{}, stores{}, atomics{};

    const InstructionCount& of(InstructionClass c) const { return by_class[static_cast<std::size_t>(c)]; }
    const InstructionCount& loads_from(isa::Space space) const { return loads[static_cast<std::size_t>(space)]; }
    const InstructionCount& stores_to(isa::Space space) const { return stores[static_cast<std::size_t>(space)]; }

    ExecutionCounts& operator+=(const ExecutionCounts& other);
    bool operator==(const ExecutionCounts&) const = default;
};

/// Sums up counts kept by instruction.
ExecutionCounts summarise(const isa::Kernel& kernel, const std::vector<InstructionCount>& by_instruction);

}  // namespace lookahead
