#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "components/sm/instruction_class.h"
#include "components/sm/parameters.h"
#include "components/sm/pipeline/unit_pool.h"

namespace lookahead::gpu {

/// The way of an issued instruction to its unit: an issue latch; a collector unit, which gathers its operands from the
/// banks of the register file; a latch before the unit; the unit. Source: Lindholm, Nickolls, Oberman and Montrym,
/// US patent 7,834,881 (operand collectors); the stages are those of GPGPU-Sim's manual.
///
/// Everything on the way is taken first come, first served. When an instruction leaves a stage therefore hangs on those
/// before it alone and is computed when it issues: nothing is done in the cycles between.
///
/// A bank serves one read or one write in a cycle; a write-back takes its cycle before any read. Banks remember the next
/// 64 cycles: operations further ahead than that (behind divisions that fill the collectors) never meet.
class OperandCollectors {
  public:
    explicit OperandCollectors(const SmParameters& parameters);

    bool enabled() const { return enabled_; }

    /// The first cycle in which the issue latch of the unit's kind is free.
    Cycle next_free(ExecutionUnit unit) const { return earliest(path_of(unit).issue_latches); }

    /// An instruction issues that reads the rows. Returns the cycle in which its unit takes it; `units` is null for the
    /// load/store unit, whose queue holds what it cannot take.
    Cycle pass(ExecutionUnit unit, std::span<const std::uint16_t> rows, unsigned initiation, UnitPool* units,
               Cycle now);

    /// From the cycle in which a unit takes an instruction to the issue of a dependent one, beside the unit's latency:
    /// into the unit's pipeline, and from its end to the write-back.
    static constexpr Cycle kUnitStages = 2;

    /// A row is written at `at`.
    void write(std::uint16_t row, Cycle at, Cycle now);

    /// The longest that an instruction can take from its issue to its unit, if no unit takes more than `initiation`
    /// cycles an instruction.
    Cycle longest_wait(Cycle initiation) const;

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        for_each_time([&](auto& time) { archive& time; });
    }
    template <class F>
    void for_each(F&& f) const {
        const_cast<OperandCollectors*>(this)->for_each_time([&](auto& time) { f(time); });
    }

  private:
    /// Of one kind of instructions: until when each latch and collector is taken.
    struct Path {
        std::vector<Cycle> issue_latches;
        std::vector<Cycle> collectors;
        std::vector<Cycle> unit_latches;
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

    /// Without branches: which slot it is cannot be predicted.
    static std::size_t first_of(const std::vector<Cycle>& slots) {
        std::size_t first = 0;
        for (std::size_t i = 1; i < slots.size(); ++i) {
            first = slots[i] < slots[first] ? i : first;
        }
        return first;
    }
    static Cycle earliest(const std::vector<Cycle>& slots) { return slots[first_of(slots)]; }
    static Cycle& first_free(std::vector<Cycle>& slots) { return slots[first_of(slots)]; }
    static constexpr std::array<std::uint8_t, kExecutionUnits> kPathOf = {0, 1, 1, 0, 2, 0};
    const Path& path_of(ExecutionUnit unit) const { return paths_[kPathOf[static_cast<unsigned>(unit)]]; }
    Path& path_of(ExecutionUnit unit) { return paths_[kPathOf[static_cast<unsigned>(unit)]]; }

    Bank& bank_of(std::uint16_t row, Cycle now) {
        Bank& bank = banks_[row & bank_mask_];
        bank.settle(now);
        return bank;
    }
    Cycle read(std::uint16_t row, Cycle from, Cycle now);

    template <class F>
    void for_each_time(F&& f) {
        for (Path& path : paths_) {
            for (std::vector<Cycle>* slots : {&path.issue_latches, &path.collectors, &path.unit_latches}) {
                std::for_each(slots->begin(), slots->end(), f);
            }
        }
        for (Bank& bank : banks_) {
            f(bank.base);
            f(bank.taken);
        }
    }

    bool enabled_;
    std::array<Path, 3> paths_;  ///< SP; SFU and DP; load/store
    std::vector<Bank> banks_;
    unsigned bank_mask_;
};

}  // namespace lookahead::gpu
