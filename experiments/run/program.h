#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/ptx/module.h"
#include "components/isa/kernel.h"
#include "core/param/configuration.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// The options of the finaliser for the machine: the keys `finaliser.*` and `isa.*`.
finaliser::FinaliserOptions finaliser_options(const Configuration& configuration);

/// The workload's code by the configured compiler; ConfigurationError if it is not PTX, or none by that compiler.
ProgramCode ptx_of(const Workload& workload, const Configuration& configuration);

/// The workload's PTX, with launch bounds if the workload knows its launches' sizes and the PTX does not state them.
ptx::Module load_module(const Workload& workload, const Configuration& configuration);

/// A workload's kernels on the machine ISA, as the configuration says, made by its language (program_language.h).
/// `tell`, if any, is called before each step that may take seconds, with what it does.
isa::KernelTable load_kernels(const Workload& workload, const Configuration& configuration,
                              const std::function<void(const std::string& step)>& tell = {});

}  // namespace lookahead
