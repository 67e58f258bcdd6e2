#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "components/emulator/instruction_observer.h"
#include "components/isa/instruction.h"
#include "components/isa/kernel.h"

namespace lookahead::test {

/// A warp of a run: launch, CTA (x, y, z), first thread within the CTA.
using WarpName = std::array<std::uint32_t, 5>;

/// An instruction's results as 32-bit words: the active lanes of each destination register, ascending, then for each
/// destination predicate the active lanes in which it holds. `row(i)` gives destination register i's lanes.
template <class Row>
void append_written(const isa::Instruction& instruction, isa::LaneMask active, const isa::LaneMask* predicates,
                    const Row& row, std::vector<std::uint32_t>& words) {
    for (unsigned i = 0; i < instruction.destination_rows; ++i) {
        const std::uint32_t* lanes = row(i);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            if ((active >> lane & 1) != 0) { words.push_back(lanes[lane]); }
        }
    }
    for (const std::uint8_t predicate : {instruction.destination_predicate, instruction.destination_predicate2}) {
        if (predicate < isa::kPredicateRegisters) { words.push_back(predicates[predicate] & active); }
    }
}

/// Every instruction executed by a warp, in order: its place, the participating lanes, and its results.
class WarpTrace {
  public:
    struct Step {
        std::uint32_t pc;
        isa::LaneMask active;
    };

    std::size_t size() const { return steps_.size(); }
    const Step& operator[](std::size_t i) const { return steps_[i]; }
    std::span<const std::uint32_t> written(std::size_t i) const {
        const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : words_.size();
        return {words_.data() + begins_[i], end - begins_[i]};
    }

    /// Begins a step; its words must be added before the next one.
    void begin(const Step& step) {
        steps_.push_back(step);
        begins_.push_back(words_.size());
    }
    std::vector<std::uint32_t>& words() { return words_; }

  private:
    std::vector<Step> steps_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint32_t> words_;
};

/// The traces of all warps of a program on the functional emulator (EmulatorOptions::instructions), with which a
/// TraceChecker compares an SM's execution. They are valid for an SM only if the program has no races and depends
/// neither on a clock nor on its place.
class EmulatedTraces final : public InstructionObserver {
  public:
    /// Null if the program has no such warp.
    const WarpTrace* find(const WarpName& name) const;
    template <class F>
    void for_each(F&& f) const {
        for (const auto& [name, trace] : traces_) { f(name, trace); }
    }

    void begin_launch(std::uint64_t number) override { launch_ = static_cast<std::uint32_t>(number); }
    void executing(const ExecutionPlace& place, isa::LaneMask active, const std::uint32_t* registers,
                   const isa::LaneMask* predicates) override;

  private:
    std::map<WarpName, WarpTrace> traces_;
    std::uint32_t launch_ = 0;
};

}  // namespace lookahead::test
