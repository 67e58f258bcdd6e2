#pragma once

#include <string>
#include <string_view>

#include "components/frontend/ptx/module.h"

namespace lookahead::ptx {

/// Parses and type-checks PTX text. `file_name` is for messages only.
/// Throws InputError ("FILE:LINE: ..., the instruction's text, what is supported") for anything malformed or
/// unsupported; nothing is skipped silently but comments, debug information (.loc, .file, .section) and
/// .pragma. With Refusal::of_kernel a function whose body is malformed or unsupported is kept without it
/// (Function::problem); real programs have kernels that they never launch.
Module parse_module(std::string_view text, std::string file_name, Refusal refusal = Refusal::of_module);

}  // namespace lookahead::ptx
