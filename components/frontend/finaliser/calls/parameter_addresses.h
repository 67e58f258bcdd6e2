#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// Which registers of a kernel without calls may hold addresses of its parameters, and the uses of these. The analysis
/// ignores the order of the instructions.
class ParameterAddresses {
  public:
    explicit ParameterAddresses(const ptx::Function& kernel);

    /// Whether the kernel writes at such an address, or stores such an address in memory, where any code may read it.
    bool are_given_away() const { return given_away_; }
    bool are_possible_in(std::uint32_t reg) const { return possible_[reg]; }
    /// Whether the register holds only addresses of parameters.
    bool are_all_of(std::uint32_t reg) const { return only_[reg]; }

  private:
    /// Registers, and after them all the .param variables of calls.
    using Nodes = std::vector<std::uint32_t>;
    /// An instruction, as far as addresses pass through it.
    struct Step {
        Nodes from, to;
        Nodes loaded;  ///< registers loaded from memory
    };

    std::uint32_t variable(std::uint32_t index) const { return static_cast<std::uint32_t>(registers_.size()) + index; }
    Step step_of(const ptx::Instruction& instruction) const;
    void find_possible();
    void find_certain();
    bool carries_address(const ptx::Instruction& instruction, const Step& step) const;
    bool is_address(const ptx::Operand& operand) const;
    void judge_uses();

    const ptx::Function& kernel_;
    const std::vector<ptx::Register>& registers_;
    std::vector<Step> steps_;                        ///< by instruction
    std::vector<std::vector<std::uint32_t>> users_;  ///< by node: instructions
    std::vector<bool> possible_, only_;              ///< by node
    bool given_away_ = false;
};

}  // namespace lookahead::finaliser
