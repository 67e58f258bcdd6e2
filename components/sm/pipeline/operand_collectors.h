#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "components/sm/instruction_class.h"
#include "components/sm/parameters.h"
#include "components/sm/pipeline/unit_pool.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The path of an issued instruction to its unit: an issue latch; a collector unit, which gathers its operands from the
/// banks of the register file; a latch before the unit; the unit. Source: Lindholm, Nickolls, Oberman and Montrym, US
/// patent 7,834,881 (operand collectors); the stages are those of GPGPU-Sim's manual.
///
/// Each stage serves first come, first served. So the cycle in which an instruction leaves a stage depends only on
/// earlier instructions and is computed at issue; nothing is done in the cycles between.
///
/// A bank serves one read or one write per cycle; a write-back takes its cycle before any read. Banks record the next
/// 64 cycles: operations further ahead (after divisions that fill the collectors) never conflict.
class OperandCollectors {
  public:
    explicit OperandCollectors(const SmParameters& parameters);

    bool enabled() const { return enabled_; }

    Cycle next_free(ExecutionUnit unit) const { return path_of(unit).issue_latches.first(); }

    /// Passes an instruction that reads row_of(0) to row_of(rows - 1). Returns the cycle in which its unit takes it;
    /// `units` is null for the load/store unit, whose queue holds waiting instructions.
    ///
    /// The instruction waits in its issue latch for a collector unit, asks the banks in the next cycle, moves on in the
    /// cycle after its last operand has come, and reaches its unit one cycle later.
    template <class RowOf>
    Cycle pass(ExecutionUnit unit, unsigned rows, RowOf row_of, unsigned initiation, unsigned latency, UnitPool* units,
               Cycle now) {
        Path& path = path_of(unit);
        const Cycle collects = std::max(now + 1, path.collectors.first());
        path.issue_latches.take_first(collects);
        Cycle gathered = collects;
        for (unsigned i = 0; i < rows; ++i) { gathered = std::max(gathered, read(row_of(i), collects + 1, now)); }
        const Cycle leaves = std::max(gathered + 1, path.unit_latches.first());
        path.collectors.take_first(leaves);
        const Cycle taken = units == nullptr ? leaves + 1 : units->take(unit, leaves + 1, initiation, latency, now);
        path.unit_latches.take_first(taken);
        return taken;
    }

    /// Cycles from the unit's taking an instruction to the issue of a dependent one, besides the unit's latency: into
    /// the pipeline, and from its end to the write-back.
    static constexpr Cycle kUnitStages = 2;
    /// Cycles from the issue of an instruction that reads `rows` rows without conflicts to the start of its latency.
    static constexpr Cycle shortest_way(unsigned rows) { return (rows == 0 ? 3 : 4) + kUnitStages; }

    /// Reserves the row's bank for a write at `at`.
    void write(std::uint16_t row, Cycle at, Cycle now) {
        const Cycle ahead = at - now;
        if (ahead < 64) { bank_of(row, now).taken |= std::uint64_t{1} << ahead; }
    }

    /// The most cycles from issue to unit, if no unit takes more than `initiation` cycles per instruction.
    Cycle longest_wait(Cycle initiation) const;

    void fields(StateArchive& archive) {
        for (Path& path : paths_) { archive& path.issue_latches& path.collectors& path.unit_latches; }
        for (Bank& bank : banks_) { archive& bank.base& bank.taken; }
    }

  private:
    /// The cycles until which some equal places are taken, ascending: a ring that begins at the first place to be free.
    class Places {
      public:
        explicit Places(std::int64_t count)
            : last_(static_cast<std::size_t>(count) - 1), until_(static_cast<std::size_t>(count), 0) {}

        Cycle first() const { return until_[first_]; }
        /// Takes the place that is free first until `until`, which is rarely before another place's end.
        void take_first(Cycle until) {
            std::size_t place = first_;
            const std::size_t first = next(first_);
            while (place != first && until_[previous(place)] > until) {
                until_[place] = until_[previous(place)];
                place = previous(place);
            }
            until_[place] = until;
            first_ = first;
        }
        std::size_t count() const { return until_.size(); }

        /// In ascending order, wherever the ring begins.
        void fields(StateArchive& archive) { archive& first_& until_; }

      private:
        std::size_t next(std::size_t place) const { return place == last_ ? 0 : place + 1; }
        std::size_t previous(std::size_t place) const { return place == 0 ? last_ : place - 1; }

        std::size_t first_ = 0;
        std::size_t last_;
        std::vector<Cycle> until_;
    };
    struct Path {
        Path(std::int64_t latches, std::int64_t units)
            : issue_latches(latches), collectors(units), unit_latches(latches) {}

        Places issue_latches;
        Places collectors;
        Places unit_latches;
    };
    /// Bit i: taken in the cycle `base` + i.
    struct Bank {
        Cycle base = 0;
        std::uint64_t taken = 0;

        void settle(Cycle now) {
            const Cycle passed = now - base;
            taken = passed < 64 ? taken >> passed : 0;
            base = now;
        }
    };

    const Path& path_of(ExecutionUnit unit) const { return paths_[static_cast<unsigned>(info_of(unit).path)]; }
    Path& path_of(ExecutionUnit unit) { return paths_[static_cast<unsigned>(info_of(unit).path)]; }

    Bank& bank_of(std::uint16_t row, Cycle now) {
        Bank& bank = banks_[row & bank_mask_];
        bank.settle(now);
        return bank;
    }
    Cycle read(std::uint16_t row, Cycle from, Cycle now) {
        const Cycle ahead = from - now;
        if (ahead >= 64) [[unlikely]] { return from; }
        Bank& bank = bank_of(row, now);
        const Cycle at = ahead + std::countr_one(bank.taken >> ahead);
        if (at < 64) [[likely]] { bank.taken |= std::uint64_t{1} << at; }
        return now + at;
    }

    bool enabled_;
    std::array<Path, 3> paths_;  ///< SP; SFU and DP; load/store
    std::vector<Bank> banks_;
    unsigned bank_mask_;
};

}  // namespace lookahead::gpu
