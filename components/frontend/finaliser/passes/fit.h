#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/frontend/finaliser/code/options.h"

namespace lookahead::finaliser {

/// A kernel that went through all passes, scheduled, and with registers for its main program.
struct FittedKernel {
    KernelUnderWork work;
    Allocation allocation;
};

/// A kernel after all passes, for several register limits: the passes run again only if their result would differ.
class PreparedKernels {
  public:
    /// The kernel, with or without renaming, for the limit `registers`. Calls `prepare(findings)`, which runs all
    /// passes, unless an earlier result is valid for this limit.
    KernelUnderWork get(bool rename, unsigned registers,
                        const std::function<KernelUnderWork(std::shared_ptr<Findings>)>& prepare);

  private:
    std::array<std::optional<KernelUnderWork>, 2> kernels_;  ///< by `rename`
};

/// Schedules the main program and allocates its registers. If these exceed the options' limits, it tries the program's
/// own use of registers, then orders with few live values, then spilling. For a kernel that cannot be made to fit, the
/// allocation has the fewest registers that were reached. `prepare(rename)` makes the kernel and runs all passes on it.
FittedKernel fit(const std::function<KernelUnderWork(bool rename)>& prepare, const FinaliserOptions& options);

/// Schedules the code and allocates registers. If no schedule fits, the code keeps its order, and the allocation may
/// exceed the limits.
Allocation schedule_and_allocate(VirtualKernel& code, const FinaliserOptions& options);

/// Fits one program as fit() does, but only in the form that `code` has, without running passes again.
Allocation fit_program(VirtualKernel& code, const FinaliserOptions& options);

bool is_within(const Allocation& allocation, const FinaliserOptions& options);

}  // namespace lookahead::finaliser
