#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Numbers of registers that live at one place, or a limit on them.
struct Live {
    int rows = 0;
    int predicates = 0;

    /// The excess over `limit`, over both kinds.
    int excess(Live limit) const { return std::max(0, rows - limit.rows) + std::max(0, predicates - limit.predicates); }
};

/// The values of the rows and predicates in a stretch of code, each from its write to its last reader, by number.
class StretchValues {
  public:
    /// `scratch`: kNone for every unit, before and after.
    StretchValues(const VirtualKernel& kernel, std::span<const VirtualInstruction> code, const BitSet& live_in,
                  const BitSet& live_out, std::vector<std::uint32_t>& scratch);

    struct Value {
        int readers = 0;
        bool outlives = false;  ///< is read after the stretch
        bool predicate = false;
    };

    const std::vector<Value>& values() const { return values_; }
    std::size_t instructions() const { return first_.size() / 2; }
    /// The values that instruction `i` reads, each once, and those that it begins.
    std::span<const std::uint32_t> reads(std::uint32_t i) const { return between(2 * i); }
    std::span<const std::uint32_t> writes(std::uint32_t i) const { return between(2 * i + 1); }
    /// The registers that live before the first instruction.
    Live live_in() const { return live_in_; }

  private:
    std::span<const std::uint32_t> between(std::size_t list) const {
        return std::span(lists_).subspan(first_[list], first_[list + 1] - first_[list]);
    }

    std::vector<Value> values_;
    std::vector<std::uint32_t> lists_;  ///< reads of instruction 0, its writes, reads of instruction 1, ...
    std::vector<std::uint32_t> first_;  ///< the first element of each list, then the end
    Live live_in_;
};

/// The number of live rows and predicates while the instructions of a stretch of code are put in an order that keeps
/// their dependences. Each value of a row or predicate counts by itself.
class Pressure {
  public:
    /// `values` must outlive this.
    explicit Pressure(const StretchValues& values);

    /// The registers that live now.
    Live live() const { return live_; }
    /// The increase in live registers if instruction `i` came next.
    Live change(std::uint32_t i) const { return changes_[i]; }
    /// Places instruction `i` next. Calls `changed(j)` for every other instruction whose `change` this alters.
    template <typename Changed>
    void place(std::uint32_t i, Changed changed);

  private:
    /// The readers of one value that are not placed yet.
    struct Readers {
        int count = 0;
        std::uint32_t sum = 0;  ///< of their numbers; of a single one, its number
    };

    /// Ends the value with its last reader.
    std::uint32_t end_with_last(std::uint32_t value);

    const StretchValues& values_;
    std::vector<Readers> readers_;  ///< by value
    std::vector<Live> changes_;     ///< by instruction
    Live live_;
};

template <typename Changed>
void Pressure::place(std::uint32_t i, Changed changed) {
    live_.rows += changes_[i].rows;
    live_.predicates += changes_[i].predicates;
    for (const std::uint32_t value : values_.reads(i)) {
        Readers& readers = readers_[value];
        --readers.count;
        readers.sum -= i;
        if (readers.count == 1 && !values_.values()[value].outlives) { changed(end_with_last(value)); }
    }
}

}  // namespace lookahead::finaliser
