#pragma once

#include <string>

#include "components/frontend/ptx/module.h"

namespace lookahead {

/// The defined kernel that `name` means: its name in the file, its name in the source ("scale", "ns::scale"), or that
/// with template arguments or parameters as readable_name() shows them. Empty: the only kernel. ConfigurationError
/// listing the kernels if none or several fit; InputError for a file without kernels.
const ptx::Function& choose_kernel(const ptx::Module& module, const std::string& name);

}  // namespace lookahead
