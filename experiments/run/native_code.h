#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/native/cubin.h"
#include "components/isa/kernel.h"
#include "core/param/configuration.h"
#include "core/param/parameters.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// Which of a program's codes is run.
struct ProgramParameters {
    LOOKAHEAD_PARAMETER(
        std::string, compiler, "nvcc13", {"nvcc13", "period"},
        {.help = "Whose PTX a workload's code is: nvcc 13's, or a form as compilers made it at the time "
                 "of the papers: no loop unrolled whose count is unknown, no strength reduction, "
                 "approximate divisions and roots.",
         .source = "choice"});
    LOOKAHEAD_PARAMETER(std::string, code, "ptx", {"ptx", "native"},
                        {.help = "What runs: the program's PTX, compiled by the finaliser, or NVIDIA's native code for "
                                 "the machine's architecture (isa.native): that of a captured program, if it has one, "
                                 "else what ptxas makes of the PTX.",
                         .source = "GPGPU-Sim and Accel-Sim run either"});
    LOOKAHEAD_PARAMETER(std::string, cubin, {},
                        {.help = "A cubin with the program's kernels, for code = native; empty: as code says. ptxas "
                                 "is looked for in PATH, $CUDA_HOME/bin and /usr/local/cuda/bin.",
                         .source = "choice"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Whether the configuration asks for native code. ConfigurationError for a cubin that PTX leaves unused.
bool runs_native_code(const Configuration& configuration);

/// The configured cubin, or the program's own for the machine's architecture, or what ptxas makes of the PTX.
/// InputError if there is neither, or with ptxas' own words; ConfigurationError if the machine executes no native code
/// or that of another architecture.
native::Cubin native_program(const ProgramCode& code, const Configuration& configuration);

/// Its kernels on the machine ISA; errors as native_program's.
isa::KernelTable native_kernels(const ProgramCode& code, const Configuration& configuration);

}  // namespace lookahead
