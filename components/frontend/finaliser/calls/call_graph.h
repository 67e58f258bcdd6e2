#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// Which functions of a module call which. An indirect call may mean each function that has its address taken somewhere
/// and the prototype's parameters and results.
class CallGraph {
  public:
    explicit CallGraph(const ptx::Module& module);

    /// Indices of the functions that an indirect call with this prototype may mean.
    std::vector<std::uint32_t> targets_of(const ptx::Prototype& prototype) const;

    /// Whether the function may be called again before it returns.
    bool is_recursive(const ptx::Function& function) { return leads_to(function, function); }
    /// Whether a call of `from` may end in one of `to`, by one call or more.
    bool leads_to(const ptx::Function& from, const ptx::Function& to);
    /// Whether `function` may end in calls of a function that is_recursive.
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
