#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lookahead {

/// Links the PTX modules of a program into one: a name that an earlier module also defines gets the module's number, as
/// `name$2`. Declarations of external functions keep their names.
class LinkedModules {
  public:
    /// Adds a module; returns its number, from 0 on.
    unsigned add(std::string_view ptx);

    /// The modules' texts; their concatenation is one module, with the newest .version and .target of all.
    std::vector<std::string> texts() const;

    /// The two parts of the module: the newest .version and .target, and all the rest.
    std::string preamble() const;
    std::string body() const;

    /// The number in the module's .target: 75 for sm_75.
    unsigned architecture(unsigned number) const { return architectures_.at(number); }

    /// The present name of module `number`'s symbol `name`.
    const std::string& name(unsigned number, const std::string& name) const;

  private:
    struct Preamble {
        int major = 0, minor = 0;
        std::string version, target, address_size;  ///< the lines
        unsigned architecture = 0;
    };

    /// Returns the number of a .target, else 0.
    unsigned take_preamble(std::string_view line);

    Preamble preamble_;
    std::vector<std::string> bodies_;
    std::vector<unsigned> architectures_;                                ///< by module
    std::vector<std::unordered_map<std::string, std::string>> renamed_;  ///< by module
    std::set<std::string, std::less<>> defined_;
};

/// Links the parts of a relocatable module (nvcc -rdc=true), each with its own PTX. Declarations of variables that
/// another part defines are dropped and those definitions come first; of a weak symbol the first definition stays, if
/// no part has a strong one. Other weak functions keep their prototype.
std::string link_parts(std::span<const std::string> parts);

}  // namespace lookahead
