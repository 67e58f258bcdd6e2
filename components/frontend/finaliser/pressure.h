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

/// The values of the rows and predicates in a stretch of code, each from its write to its last reader, by number.
class StretchValues {
  public:
    StretchValues(const VirtualKernel& kernel, std::span<const VirtualInstruction> code, const BitSet& live_in,
                  const BitSet& live_out);

    struct Value {
        int readers = 0;
        bool outlives = false;  ///< is read behind the stretch
        bool predicate = false;
    };

    const std::vector<Value>& values() const { return values_; }
    /// The values that instruction `i` reads, each once, and that it begins.
    std::span<const std::uint32_t> reads(std::uint32_t i) const { return between(2 * i); }
    std::span<const std::uint32_t> writes(std::uint32_t i) const { return between(2 * i + 1); }
    /// What lives before the first instruction.
    Live live_in() const { return live_in_; }

  private:
    std::span<const std::uint32_t> between(std::size_t list) const {
        return std::span(lists_).subspan(first_[list], first_[list + 1] - first_[list]);
    }

    std::vector<Value> values_;
    std::vector<std::uint32_t> lists_;  ///< reads of instruction 0, its writes, reads of instruction 1, ...
    std::vector<std::uint32_t> first_;  ///< where each list begins, and the end
    Live live_in_;
};

/// How many rows and predicates live while the instructions of a stretch of code are put in some order that keeps
/// their dependences. Each value of a row or predicate counts by itself.
class Pressure {
  public:
    /// `values` must outlive this.
    explicit Pressure(const StretchValues& values);

    /// What lives now.
    Live live() const { return live_; }
    /// What would live after instruction `i` if it came next.
    Live live_after(std::uint32_t i) const;
    /// Instruction `i` comes next.
    void place(std::uint32_t i);

  private:
    const StretchValues& values_;
    std::vector<int> readers_;  ///< by value: those that are not placed yet
    Live live_;
};

}  // namespace lookahead::finaliser
