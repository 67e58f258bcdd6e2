#include "components/isa/kernel.h"

#include <algorithm>

namespace lookahead::isa {

std::optional<std::int64_t> Kernel::annotation(std::uint32_t instruction, std::string_view tag) const {
    auto next = std::ranges::lower_bound(annotations, instruction, {}, &Annotation::instruction);
    for (; next != annotations.end() && next->instruction == instruction; ++next) {
        if (next->tag == tag) { return next->value; }
    }
    return std::nullopt;
}

std::uint32_t Kernel::most_registers() const {
    std::uint32_t most = registers;
    for (const Program& program : programs) { most = std::max(most, program.registers); }
    return most;
}

}  // namespace lookahead::isa
