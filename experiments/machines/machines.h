#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/param/configuration.h"

namespace lookahead {

/// A machine file that is part of the program.
struct BuiltInMachine {
    std::string_view name;
    std::string_view description;
    std::string_view toml;
};

std::span<const BuiltInMachine> built_in_machines();

/// The configuration of a built-in machine or of a TOML file (anything that ends in .toml or holds a '/'). A file may
/// say `inherits = "gtx480"`, or name a file, whose path is relative to its own. `keys_of` names another machine in the
/// same way, and takes the keys that its file sets or takes so, without those that it inherits. A file's own keys go
/// before those of `keys_of`, and those before inherited ones. Unknown names are a ConfigurationError with "did you
/// mean", unreadable files an InputError.
Configuration load_machine(const std::string& name_or_file);

}  // namespace lookahead
