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
    /// The kernel with or without renaming; `prepare(findings)` makes it with all passes done.
    KernelUnderWork get(bool rename, unsigned registers,
                        const std::function<KernelUnderWork(std::shared_ptr<Findings>)>& prepare);

  private:
    std::array<std::optional<KernelUnderWork>, 2> kernels_;  ///< by `rename`
};

/// Schedules the main program and allocates its registers. If these exceed the options' limits, it tries the program's
/// own use of registers, then orders with few live values, then spilling. A kernel that cannot be made to fit is
/// returned with the fewest registers that were reached. `prepare(rename)` makes the kernel with all passes done.
FittedKernel fit(const std::function<KernelUnderWork(bool rename)>& prepare, const FinaliserOptions& options);

/// Schedules the code and allocates registers; in the program's own order, perhaps above the limits, if no other fits.
Allocation schedule_and_allocate(VirtualKernel& code, const FinaliserOptions& options);

/// The same as fit() for unchanged code.
Allocation fit_program(VirtualKernel& code, const FinaliserOptions& options);

bool is_within(const Allocation& allocation, const FinaliserOptions& options);

}  // namespace lookahead::finaliser
