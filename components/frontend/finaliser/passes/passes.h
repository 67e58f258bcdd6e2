#pragma once

#include <span>
#include <string_view>

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/frontend/finaliser/code/options.h"

namespace lookahead::finaliser {

/// What passes know beside the kernel.
struct PassContext {
    const FinaliserOptions& options;
    /// Values inside a block get rows of their own; otherwise the program's own use of registers stays.
    bool rename = true;
    /// Addresses of the module's variables may be in memory.
    bool variables_in_memory = false;
};

/// One step of the way from selected code to code that registers can be allocated for.
struct Pass {
    std::string_view name;
    std::string_view description;
    bool (*is_wanted)(const PassContext& context);
    void (*run)(KernelUnderWork& kernel, const PassContext& context);
};

/// All passes, in the order in which they work. A kernel under work has selected code (lower/) in front of the first.
std::span<const Pass> passes();

/// Runs those that the context asks for.
void run_passes(KernelUnderWork& kernel, const PassContext& context);

}  // namespace lookahead::finaliser
