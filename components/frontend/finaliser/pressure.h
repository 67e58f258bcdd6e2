#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/bit_set.h"
#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// How many rows live while the instructions of a stretch of code are put in some order that keeps their dependences.
/// Each value of a row counts by itself: from its write to its last reader.
class Pressure {
  public:
    Pressure(const VirtualKernel& kernel, std::span<const VirtualInstruction> code, const BitSet& live_in,
             const BitSet& live_out);

    /// Rows that live now.
    int live() const { return live_; }
    /// By how much `live` changes when instruction `i` comes next.
    int change(std::uint32_t i) const;
    /// Instruction `i` comes next.
    void place(std::uint32_t i);

  private:
    struct Value {
        int readers = 0;        ///< not placed yet
        bool outlives = false;  ///< is read behind the stretch
    };

    int freed_by(std::uint32_t i) const;
    int begun_by(std::uint32_t i) const;

    std::vector<Value> values_;
    std::vector<std::vector<std::uint32_t>> reads_;   ///< by instruction: values, each once
    std::vector<std::vector<std::uint32_t>> writes_;  ///< by instruction: values
    int live_ = 0;
};

}  // namespace lookahead::finaliser
