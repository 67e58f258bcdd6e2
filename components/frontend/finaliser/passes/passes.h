#pragma once

#include <span>
#include <string_view>

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/frontend/finaliser/code/options.h"

namespace lookahead::finaliser {

/// The input of passes besides the kernel.
struct PassContext {
    const FinaliserOptions& options;
    /// Whether values inside a block get separate rows; otherwise the program's own use of registers stays.
    bool rename = true;
    /// Whether addresses of the module's variables may be in memory.
    bool variables_in_memory = false;
};

/// One step from selected code to code for which registers can be allocated.
struct Pass {
    std::string_view name;
    std::string_view description;
    bool (*is_wanted)(const PassContext& context);
    void (*run)(KernelUnderWork& kernel, const PassContext& context);
};

/// All passes, in their order. A kernel under work has selected code (lower/) before the first.
std::span<const Pass> passes();

/// Runs the wanted passes in their order.
void run_passes(KernelUnderWork& kernel, const PassContext& context);

}  // namespace lookahead::finaliser
