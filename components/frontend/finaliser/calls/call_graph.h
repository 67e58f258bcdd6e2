#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// The calls between a module's functions. An indirect call may go to each function whose address is taken somewhere
/// and that has the prototype's parameters and results.
class CallGraph {
  public:
    explicit CallGraph(const ptx::Module& module);

    /// Indices of the functions to which an indirect call with this prototype may go.
    std::vector<std::uint32_t> targets_of(const ptx::Prototype& prototype) const;

    /// Whether the function may be called again before it returns.
    bool is_recursive(const ptx::Function& function) { return leads_to(function, function); }
    /// Whether `from` may call `to`, directly or through other functions.
    bool leads_to(const ptx::Function& from, const ptx::Function& to);
    /// Whether `function` may lead to calls of a function that is_recursive.
    bool leads_to_recursion(const ptx::Function& function);

  private:
    std::uint32_t index_of(const ptx::Function& function) const;
    std::vector<std::uint32_t> callees_of(std::uint32_t function) const;
    const BitSet& reached_from(std::uint32_t function);

    const ptx::Module& module_;
    std::vector<bool> address_taken_;
    std::map<std::uint32_t, BitSet> reached_;
};

}  // namespace lookahead::finaliser
