#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "components/isa/kernel.h"
#include "core/param/configuration.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// Makes a workload's kernels on the machine ISA, for the configured machine, of its code. `tell`, if any, is called
/// before each step that may take seconds, with a description. InputError for code with a fault, ConfigurationError for
/// code that the machine cannot execute.
using KernelMaker = isa::KernelTable (*)(const Workload& workload, const Configuration& configuration,
                                         const std::function<void(const std::string& step)>& tell);

/// Adds a language of code, as workloads name it (ProgramCode::language). Returns true; InternalError if the name is
/// taken.
bool add_program_language(std::string_view name, KernelMaker make_kernels);

}  // namespace lookahead

/// At namespace scope, in the .cpp of the language.
#define LOOKAHEAD_REGISTER_LANGUAGE(name, make_kernels)                                                              \
    namespace {                                                                                                      \
    [[maybe_unused]] const bool kLanguageRegistered_##name = ::lookahead::add_program_language(#name, make_kernels); \
    }
