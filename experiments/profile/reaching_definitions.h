#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "components/frontend/finaliser/emit/machine_cfg.h"
#include "components/isa/operand.h"

namespace lookahead::isa {
struct Instruction;
}

namespace lookahead::profile {

/// Calls `visit(unit)` for each unit of an operand: a register, or, numbered after all registers, a predicate.
/// Constants have none.
void for_each_unit(const isa::Operand& operand, const std::function<void(std::uint32_t unit)>& visit);
/// The unit of a predicate; kNoUnit for the constant one and for none.
inline constexpr std::uint32_t kNoUnit = UINT32_MAX;
std::uint32_t unit_of_predicate(std::uint8_t predicate);

/// The instructions that may have written the units that an instruction of finished machine code reads. A guarded write
/// hides no earlier one, because lanes whose guard fails keep the old value.
class ReachingDefinitions {
  public:
    ReachingDefinitions(std::span<const isa::Instruction> code, const finaliser::MachineCfg& cfg);

    /// The writers, in the code's order, of `unit` as read by instruction `reader`.
    std::vector<std::uint32_t> writers(std::uint32_t reader, std::uint32_t unit) const;

  private:
    using Bits = boost::dynamic_bitset<>;

    void number_writes();
    void solve();

    std::span<const isa::Instruction> code_;
    const finaliser::MachineCfg& cfg_;
    struct Write {
        std::uint32_t instruction = 0;
        std::uint32_t unit = 0;
        bool whole = true;  ///< not guarded
    };
    std::vector<Write> writes_;                        ///< in the code's order
    std::vector<std::uint32_t> first_write_;           ///< instruction -> its first in writes_
    std::vector<std::vector<std::uint32_t>> of_unit_;  ///< unit -> its writes, ascending
    std::vector<Bits> in_;                             ///< block -> writes that reach its begin
};

}  // namespace lookahead::profile
