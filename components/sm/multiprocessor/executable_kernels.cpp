#include "components/sm/multiprocessor/executable_kernels.h"

#include <algorithm>
#include <string>

#include "core/error/error.h"

namespace lookahead::gpu {

void require_executable(const isa::Kernel& kernel) {
    const auto found = std::ranges::find_if(
        kernel.code, [](const isa::Instruction& instruction) { return isa::is_vector_memory(instruction.operation); });
    if (found == kernel.code.end()) return;
    throw ConfigurationError(kernel.source_file + ":" + std::to_string(found->line) + ": kernel " + kernel.name +
                             " has a strided or indirect vector memory instruction, which the SMs do not execute; "
                             "`lookahead emulate` does");
}

}  // namespace lookahead::gpu
