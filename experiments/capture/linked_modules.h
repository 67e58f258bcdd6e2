#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lookahead {

/// The PTX modules of a program, made to be one: a name that an earlier module defines, too, gets the module's number,
/// as `name$2`. Declarations of external functions keep their names.
class LinkedModules {
  public:
    /// Takes a module; returns its number, from 0 on.
    unsigned add(std::string_view ptx);

    /// The modules' texts; their concatenation is one module, with the newest .version and .target of all.
    std::vector<std::string> texts() const;

    /// The same in two: the newest .version and .target, and all else.
    std::string preamble() const;
    std::string body() const;

    /// The number in the module's .target: 75 for sm_75.
    unsigned architecture(unsigned number) const { return architectures_.at(number); }

    /// What the thing that module `number` calls `name` is called now.
    const std::string& name(unsigned number, const std::string& name) const;

  private:
    struct Preamble {
        int major = 0, minor = 0;
        std::string version, target, address_size;  ///< the lines
        unsigned architecture = 0;
    };

    /// Gives the number of a .target, else 0.
    unsigned take_preamble(std::string_view line);

    Preamble preamble_;
    std::vector<std::string> bodies_;
    std::vector<unsigned> architectures_;                                ///< by module
    std::vector<std::unordered_map<std::string, std::string>> renamed_;  ///< by module
    std::set<std::string, std::less<>> defined_;
};

/// The parts of a relocatable module (nvcc -rdc=true), each with PTX of its own, as one: declarations of variables that
/// another part defines go, those definitions come first, and of a weak symbol the first definition stays, if no part has
/// one that is not weak. Of other weak functions the prototype stays.
std::string link_parts(std::span<const std::string> parts);

}  // namespace lookahead
