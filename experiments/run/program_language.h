#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tuple>

#include "components/isa/kernel.h"
#include "core/component/slot.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// Slot "program.language": what makes kernels on the machine ISA of a program's code. A workload names the language of
/// its code (ProgramCode::language).
class ProgramLanguage {
  public:
    virtual ~ProgramLanguage() = default;
    /// The workload's kernels for the configured machine. `tell`, if any, is called before each step that may take
    /// seconds, with a description. InputError for code with a fault, ConfigurationError for code that the machine
    /// cannot execute.
    virtual isa::KernelTable kernels(const Workload& workload, const Configuration& configuration,
                                     const std::function<void(const std::string& step)>& tell) const = 0;
};

template <>
struct SlotTraits<ProgramLanguage> {
    static constexpr std::string_view name = "program.language";
    static constexpr std::string_view description = "What makes a machine's kernels of a program's code.";
    using Arguments = std::tuple<>;
};

}  // namespace lookahead
