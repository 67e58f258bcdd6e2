#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/bit_set.h"
#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// Registers that live at one place, or a limit on them.
struct Live {
    int rows = 0;
    int predicates = 0;

    /// How far this is beyond `limit`, over both kinds.
    int excess(Live limit) const { return std::max(0, rows - limit.rows) + std::max(0, predicates - limit.predicates); }
};

/// How many rows and predicates live while the instructions of a stretch of code are put in some order that keeps their dependences.
/// Each value of a row or predicate counts by itself: from its write to its last reader.
class Pressure {
  public:
    Pressure(const VirtualKernel& kernel, std::span<const VirtualInstruction> code, const BitSet& live_in,
             const BitSet& live_out);

    /// What lives now.
    Live live() const { return live_; }
    /// What would live after instruction `i` if it came next.
    Live live_after(std::uint32_t i) const;
    /// Instruction `i` comes next.
    void place(std::uint32_t i);

    /// The values, by number, that instruction `i` reads, each once, and that it begins.
    std::span<const std::uint32_t> reads(std::uint32_t i) const { return reads_[i]; }
    std::span<const std::uint32_t> writes(std::uint32_t i) const { return writes_[i]; }
    std::uint32_t values() const { return static_cast<std::uint32_t>(values_.size()); }
    bool is_row(std::uint32_t value) const { return !values_[value].predicate; }
    /// Whether the value is read behind the stretch.
    bool outlives(std::uint32_t value) const { return values_[value].outlives; }

  private:
    struct Value {
        int readers = 0;        ///< not placed yet
        bool outlives = false;  ///< is read behind the stretch
        bool predicate = false;
    };

    static void add(Live& live, const Value& value, int count) {
        (value.predicate ? live.predicates : live.rows) += count;
    }

    std::vector<Value> values_;
    std::vector<std::vector<std::uint32_t>> reads_;   ///< by instruction: values, each once
    std::vector<std::vector<std::uint32_t>> writes_;  ///< by instruction: values
    Live live_;
};

}  // namespace lookahead::finaliser
