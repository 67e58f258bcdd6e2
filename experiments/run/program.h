#pragma once

#include "components/frontend/finaliser/options.h"
#include "components/isa/kernel.h"
#include "core/param/configuration.h"
#include "core/param/parameters.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// A workload's kernels on the machine ISA, with the limits of the configuration (`finaliser.*`).
isa::KernelTable load_kernels(const Workload& workload, const Configuration& configuration);

}  // namespace lookahead

template <>
struct lookahead::ParametersOf<lookahead::finaliser::FinaliserOptions> {
    using P = finaliser::FinaliserOptions;
    inline static const auto list = parameter_list<P>(
        integer("register_limit", &P::register_limit,
                {.unit = "register",
                 .min = 1,
                 .max = 255,
                 .help = "32-bit registers that a thread may use.",
                 .source = "CUDA C++ Programming Guide: 63 for compute capability 2.x"}),
        integer("predicate_limit", &P::predicate_limit,
                {.unit = "predicate",
                 .min = 1,
                 .max = 7,
                 .help = "Predicate registers that a thread may use.",
                 .source = "NVIDIA's machine ISAs: P0 to P6"}),
        boolean("schedule", &P::schedule, {.help = "Move loads early inside basic blocks, as an assembler does."}));
};
