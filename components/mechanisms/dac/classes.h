#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "components/frontend/finaliser/analysis/control_flow.h"
#include "components/frontend/finaliser/analysis/values.h"

namespace lookahead::dac {

using finaliser::Flow;
using finaliser::kAlways;
using finaliser::kNone;
using finaliser::kNoValue;
using finaliser::Position;
using finaliser::Reads;
using finaliser::Value;
using finaliser::ValueId;
using finaliser::Values;
using finaliser::VirtualInstruction;
using finaliser::VirtualKernel;
using finaliser::VirtualOperand;
using isa::Operation;
using isa::Space;
using isa::Type;

/// How a value depends on the thread, from the most special kind to the most general (Wang and Lin, ISCA 2017, section
/// 4.7). The paper's "scalar" has two kinds here, because one tuple serves all resident CTAs: a value that is one
/// number for the grid is computed in any way; a value that differs by CTA is a tuple with offsets by block index.
enum class Kind : std::uint8_t {
    none,    ///< no definition seen yet
    grid,    ///< one number
    block,   ///< base + offsets by block index
    affine,  ///< base + offsets by block and thread index
    mod,     ///< base + scale * ((base' + offsets) mod divisor): section 4.4
    other,   ///< anything
};

/// Why a value is `other`, or why an instruction is not decoupled.
enum class Reason : std::uint8_t {
    none,
    memory,          ///< loaded, or returned by an atomic
    lanes,           ///< from other lanes, or from the lane's place in its warp
    operation,       ///< the operation is not affine
    product,         ///< product of two values that both differ
    mod,             ///< the operation does not accept mod-type tuples
    wrap,            ///< the number itself matters, and the tuple may wrap around
    conditions,      ///< more than two divergent conditions
    loop_carried,    ///< differs by the round of a loop in which lanes part
    part,            ///< some rows of a wider value
    control,         ///< under control flow that depends on data
    order,           ///< a volatile or ordered access
    space,           ///< a generic address; shared memory without dac.shared_accesses
    hidden_barrier,  ///< after a barrier, fence or atomic that the affine warp cannot see
    comparison,      ///< neither operand is the same for a whole CTA
    nesting,         ///< branches are nested deeper than the affine SIMT stack
    registers,       ///< the kernel needs more divergent conditions than the DCRF has
    spin,            ///< a loop ends when another warp has written to memory
    parted,          ///< warps wait at a barrier on one path for warps that dequeue on another
    choice,          ///< dac.decouple does not select this kind
    count
};
std::string_view name_of(Reason reason);

/// A point at which lanes get different tuples: a join of control flow, or an instruction that selects.
using Condition = std::uint64_t;
inline constexpr std::size_t kMostConditions = 2;  ///< of an operand, which then has four tuples (section 4.6)

struct Class {
    Kind kind = Kind::none;
    Reason reason = Reason::none;       ///< why the kind is `other`
    std::vector<Condition> conditions;  ///< ascending
    /// In every thread the register, and the tuple computed without wrapping around, is a number from 0 to this.
    std::optional<std::uint64_t> most;
    std::uint8_t zeros = 0;  ///< low bits that are zero in every thread
    /// The offset by block index is a 32-bit number extended to 64 bits that may have wrapped around: a separate part
    /// modulo 2^32, of which a tuple has at most one. It is one number for each CTA, so it can stand beside offsets by
    /// thread, unlike a mod-type tuple.
    bool wide_block = false;
    bool is_mask = false;  ///< all bits or none, by divergent conditions: a sign shifted to all places

    bool operator==(const Class&) const = default;
};

/// A flag in the condition of a join, to tell it from the condition of the block's first instruction.
inline constexpr Condition kJoinCondition = Condition{1} << 63;
inline Condition condition_of(finaliser::Position at) {
    return Condition{at.block} << 32 | at.index;
}

Class other(Reason reason);
/// The class of a register that holds `a` or `b`: the more general kind (section 4.7).
Class joined(const Class& a, const Class& b);
Class with_condition(Class made, Condition condition);
/// The class of a register that holds one of `choices`, selected by a predicate of class `predicate`.
Class chosen(const Class& predicate, std::span<const Class> choices, Condition condition);

/// Whether the instruction is a signed right shift that leaves only the sign: nvcc makes (x >> 31) & y of x < 0 ? y :
/// 0.
bool makes_mask(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction);

/// The class of a constant; `literal` is its value if it is known before launch.
Class constant_class(std::optional<std::uint64_t> literal, const finaliser::VirtualOperand& operand);
/// The class of a result that depends on no source's class: special registers, and values that are never affine.
Class given_class(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction);
/// The class of the result for sources that are neither `none` nor `other`. An operation is accepted if its tuple is
/// exact for every thread, even if registers wrap around: sums and products are, modulo 2^32 or 2^64. If the number
/// itself matters (a wider result, a remainder), the tuple must be mod-type, or a bound must prove that nothing wraps.
Class affine_result(const finaliser::VirtualKernel& kernel, const finaliser::VirtualInstruction& instruction,
                    const std::array<Class, 4>& sources, const std::array<Class, 2>& predicates, Condition condition);

/// The class of each value of a kernel, and which branches part lanes.
class Classes {
  public:
    /// With `reports`, warps report to the affine warp which lanes take a branch that depends on data (section 4.5), so
    /// that it can follow control after the branch.
    Classes(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Values& values,
            bool reports);

    /// The class of a value as a block reads it.
    Class read(finaliser::ValueId id, std::uint32_t block) const;
    /// The class of a source operand, all its rows together.
    Class operand(finaliser::Position at, std::size_t source) const;
    /// The class of a predicate; kNoValue means always true.
    Class predicate(finaliser::ValueId id, std::uint32_t block) const;
    Class result(finaliser::Position at) const;

    /// Whether the affine warp can follow control to the block.
    bool followed(std::uint32_t block) const { return followed_[block]; }
    /// Whether the branch at the block's end may part lanes of a grid.
    bool divergent(std::uint32_t block) const { return divergent_[block]; }
    /// Whether that branch may part the warps of a CTA.
    bool parts_ctas(std::uint32_t block) const;
    /// Whether the affine warp knows the branch at the block's end from the warps' reports only.
    bool reported(std::uint32_t block) const {
        return reports_ && flow_.branch(block) != nullptr && guard_of_branch(block).kind == Kind::other;
    }
    /// Whether lanes leave a loop at the block's end depending on what an atomic or ordered access reads: a warp may
    /// wait there for a later write by another warp.
    bool spins(std::uint32_t block) const;

  private:
    void solve();
    bool update(finaliser::ValueId id);
    Class definition(finaliser::ValueId id) const;
    Class join(finaliser::ValueId id) const;
    Class computed(finaliser::Position at) const;
    Class comparison(finaliser::Position at) const;
    bool find_divergence();
    bool find_followed();
    Class guard_of_branch(std::uint32_t block) const;

    static constexpr std::uint8_t kMostGrowths = 4;

    const finaliser::VirtualKernel& kernel_;
    const finaliser::Flow& flow_;
    const finaliser::Values& values_;
    const bool reports_;
    std::vector<Class> classes_;  ///< by value
    std::vector<std::uint8_t> growths_;
    std::vector<bool> divergent_;     ///< by block: its branch parts lanes
    std::vector<bool> followed_;      ///< by block
    std::vector<bool> parting_join_;  ///< by block: lanes of different paths meet there
    std::vector<bool> parting_loop_;  ///< by loop: lanes leave it in different rounds
};

}  // namespace lookahead::dac
