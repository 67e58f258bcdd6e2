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

/// A kernel after all passes, for one limit of registers after another: the passes run again only where their result
/// would be another.
class PreparedKernels {
  public:
    /// The kernel with or without renaming; `prepare(findings)` makes it with all passes done.
    KernelUnderWork get(bool rename, unsigned registers,
                        const std::function<KernelUnderWork(std::shared_ptr<Findings>)>& prepare);

  private:
    std::array<std::optional<KernelUnderWork>, 2> kernels_;  ///< by `rename`
};

/// Schedules the main program and allocates its registers. If these are more than the options' limits, the program's own
/// use of registers is tried, then orders in which little lives, then spilling. What cannot be made to fit comes out
/// with the fewest registers that were reached. `prepare(rename)` makes the kernel with all passes done.
FittedKernel fit(const std::function<KernelUnderWork(bool rename)>& prepare, const FinaliserOptions& options);

/// Schedules the code and allocates its registers, in the program's own order if no other one is within the limits; that one
/// may need more.
Allocation schedule_and_allocate(VirtualKernel& code, const FinaliserOptions& options);

/// The same as fit() for code as it is.
Allocation fit_program(VirtualKernel& code, const FinaliserOptions& options);

bool is_within(const Allocation& allocation, const FinaliserOptions& options);

}  // namespace lookahead::finaliser
