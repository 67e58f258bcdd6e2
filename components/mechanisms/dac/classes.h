#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "components/mechanisms/dac/kernel_terms.h"

namespace lookahead::dac {

/// What a value is as a function of the thread, from the most special to the most general (Wang and Lin, ISCA 2017,
/// section 4.7). The paper's "scalar" is two kinds here, as one tuple serves all resident CTAs: what is the same for
/// the whole grid can be computed in any way, what differs by CTA is a tuple with offsets by block index.
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
    memory,          ///< loaded, or what an atomic returns
    lanes,           ///< from other lanes, or of the lane's place in its warp
    operation,       ///< no affine operation makes it
    product,         ///< of two values that both differ
    mod,             ///< an operation that mod-type tuples do not take
    wrap,            ///< the tuple may wrap around where the operation needs the number itself
    conditions,      ///< more than two divergent conditions
    loop_carried,    ///< differs by the turn of a loop in which lanes part
    part,            ///< some rows of a wider value
    control,         ///< under control flow that depends on data
    order,           ///< a volatile or ordered access
    space,           ///< shared memory or a generic address
    hidden_barrier,  ///< behind a barrier, fence or atomic that the affine warp cannot see
    comparison,      ///< neither operand is the same for a whole CTA
    nesting,         ///< the kernel's branches are nested deeper than the affine SIMT stack
    registers,       ///< the kernel needs more divergent conditions than the DCRF has
    spin,            ///< the kernel has a loop that ends when memory says so
    parted,          ///< warps of a CTA wait at a barrier on one way for others that take from queues on another
    choice,          ///< not one of those that are to be decoupled
    count
};
std::string_view name_of(Reason reason);

/// A point at which lanes get different tuples: a join of control flow, or an instruction that chooses.
using Condition = std::uint64_t;
inline constexpr std::size_t kMostConditions = 2;  ///< of an operand: four tuples (section 4.6)

struct Class {
    Kind kind = Kind::none;
    Reason reason = Reason::none;       ///< of `other`
    std::vector<Condition> conditions;  ///< ascending
    /// The register's bits are a number from 0 to this in every thread, and so is the tuple without wrapping around.
    std::optional<std::uint64_t> most;
    std::uint8_t zeros = 0;  ///< low bits that are zero in every thread
    /// What the block's index adds is a 32-bit number that was brought into 64 bits and may have wrapped around: a part
    /// modulo 2^32 of its own, of which a tuple has one at most. It is one number for each CTA, so that offsets by
    /// thread can stand beside it, unlike in a mod-type tuple.
    bool wide_block = false;
    bool is_mask = false;  ///< all bits, or none, by divergent conditions: a sign that was shifted to all places

    bool operator==(const Class&) const = default;
};

/// The class of every value of a kernel, and which branches part lanes.
class Classes {
  public:
    /// With `reports` warps tell the affine warp which of their lanes take a branch that depends on data (section 4.5),
    /// so that it can follow control behind it.
    Classes(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Values& values,
            bool reports);

    /// The class of a value where a block reads it.
    Class read(finaliser::ValueId id, std::uint32_t block) const;
    /// The class of a source operand with all its rows.
    Class operand(finaliser::Position at, std::size_t source) const;
    /// The class of a predicate; kNoValue: always true.
    Class predicate(finaliser::ValueId id, std::uint32_t block) const;
    Class result(finaliser::Position at) const;

    /// The affine warp can follow control to the block.
    bool followed(std::uint32_t block) const { return followed_[block]; }
    /// The branch at the block's end may part lanes of a grid.
    bool divergent(std::uint32_t block) const { return divergent_[block]; }
    /// It may part the warps of a CTA.
    bool parts_ctas(std::uint32_t block) const;
    /// All that the affine warp knows of the branch at the block's end is what the warps report.
    bool reported(std::uint32_t block) const;
    /// The branch at the block's end lets lanes leave a loop by what an atomic, or an access that orders others, finds
    /// in it: one warp may wait there for what another does later.
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
    std::vector<bool> divergent_;     ///< by block: its branch
    std::vector<bool> followed_;      ///< by block
    std::vector<bool> parting_join_;  ///< by block: lanes of different ways meet there
    std::vector<bool> parting_loop_;  ///< by loop: lanes leave it at different turns
};

}  // namespace lookahead::dac
