#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "components/frontend/finaliser/analysis/control_flow.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffU;

/// The place of an instruction.
struct Position {
    std::uint32_t block = 0;
    std::uint32_t index = 0;
    bool operator==(const Position&) const = default;
};

/// The value of a row or a predicate between one definition and the next: its definition, or a join where several
/// definitions reach a block (the sets of reaching definitions, in static single assignment form).
struct Value {
    enum class Kind : std::uint8_t {
        start,       ///< nothing was written: the launch's zero
        definition,  ///< an instruction's result
        join,        ///< the join of the values from the block's predecessors
    };
    Kind kind = Kind::start;
    std::uint8_t word = 0;        ///< definition: which row of the destination, or which destination predicate
    Position at;                  ///< definition: the instruction; join: the block
    std::uint32_t unit = 0;       ///< the row, or rows() + the predicate
    ValueId before = kNoValue;    ///< guarded definition: the old value in lanes whose guard fails
    std::vector<ValueId> inputs;  ///< join: by Flow::predecessors
};

/// The values that an instruction reads, by its fields.
struct Reads {
    std::array<std::array<ValueId, 2>, 4> source{
        {{kNoValue, kNoValue}, {kNoValue, kNoValue}, {kNoValue, kNoValue}, {kNoValue, kNoValue}}};  ///< rows 0 and 1
    std::array<ValueId, 2> source_predicate{kNoValue, kNoValue};
    ValueId guard = kNoValue;
    std::vector<ValueId> further;  ///< rows 2 and on of all sources, if requested
};

/// Whether to follow rows beyond the second of an operand: stored vectors.
enum class AllRows : bool { no, yes };

/// All values of a kernel, built on demand as by Braun et al., "Simple and Efficient Construction of Static Single
/// Assignment Form" (CC 2013).
class Values {
  public:
    Values(const VirtualKernel& kernel, const Flow& flow, AllRows all_rows = AllRows::no);

    std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }
    const Value& operator[](ValueId id) const { return values_[id]; }
    const Reads& reads(Position at) const { return reads_[at.block][at.index]; }
    const VirtualInstruction& instruction(Position at) const { return kernel_.blocks[at.block].code[at.index]; }
    /// Values of the instruction's destination rows and predicates, in this order.
    const std::vector<ValueId>& written(Position at) const { return written_[at.block][at.index]; }

  private:
    ValueId add(Value value);
    ValueId at_start(std::uint32_t block, std::uint32_t unit);
    ValueId at_end(std::uint32_t block, std::uint32_t unit);
    void number_block(std::uint32_t block);
    void read_block(std::uint32_t block);
    void fill_joins();
    void drop_trivial_joins();
    ValueId resolved(ValueId id) const;

    const VirtualKernel& kernel_;
    const Flow& flow_;
    const AllRows all_rows_;
    std::vector<Value> values_;
    std::vector<ValueId> same_as_;  ///< by value: itself, or the only one that a join can be
    std::vector<std::unordered_map<std::uint32_t, ValueId>> start_;  ///< by block and unit
    std::vector<std::unordered_map<std::uint32_t, ValueId>> end_;    ///< likewise: written in the block
    std::vector<std::vector<Reads>> reads_;
    std::vector<std::vector<std::vector<ValueId>>> written_;
    std::vector<ValueId> open_;  ///< joins without inputs yet
};

}  // namespace lookahead::finaliser
