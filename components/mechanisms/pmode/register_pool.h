#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "components/mechanisms/pmode/pmode_counters.h"
#include "components/mechanisms/pmode/pre_execution.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The warp registers that hold pre-executed results. A register is in use while it has names, awaits its write-back,
/// or is being collected as an operand; otherwise it is free. The register maps of N-mode and P-mode, which the pool
/// writes, and the entries of P-queues name registers; both maps together give a register one name.
class RegisterPool {
  public:
    static constexpr std::uint32_t kCollected = 1u << 28;  ///< marks the pool's events among the extension's

    /// `pre`: the warps' streams in P-mode. `extension`: P-mode's number on the SM.
    RegisterPool(PipelineState& state, StreamSet& pre, std::uint8_t extension)
        : state_(state), pre_(pre), extension_(extension) {}

    /// Sets the pool to those of the file's last `registers` registers that the launch, which runs on `sms` SMs, leaves
    /// free.
    void begin_launch(std::int64_t registers, std::uint64_t sms);
    bool owns(unsigned row) const { return row - first_ < size_; }
    unsigned size() const { return size_; }
    unsigned free() const { return free_count_; }
    unsigned first() const { return first_; }
    bool is_free(unsigned row) const { return (free_[(row - first_) / 64] >> (row - first_) % 64 & 1) != 0; }
    /// The row of a warp's register that is not renamed.
    unsigned home_row(unsigned context, unsigned number) const {
        return context * state_.launch.occupancy.rows_per_warp + number;
    }
    /// An instruction collects its operand from the register until `until`.
    void read_until(unsigned row, Cycle until) {
        Register& each = registers_[row - first_];
        each.read_until = until > each.read_until ? until : each.read_until;
    }

    /// In N-mode: the warp's registers from `destination` on take over those of the entry, with its names.
    void reuse(unsigned context, PreExecution& warp, const PQueueEntry& entry, unsigned destination);
    /// In N-mode: all of the instruction's destinations are written to their home rows from now on. The registers that
    /// they had keep their names until drop_replaced: the instruction may read them.
    void return_home(unsigned context, PreExecution& warp, const isa::Instruction& instruction);
    /// Drops the names that return_home has left.
    void drop_replaced() {
        for (unsigned i = 0; i < replaced_count_; ++i) { drop_name(replaced_[i]); }
        replaced_count_ = 0;
    }
    /// Drops the names in the warp's map of N-mode.
    void drop_own(unsigned context, PreExecution& warp);

    /// In P-mode: takes a free register, in the bank of the home row if one is free there. It has one name and awaits a
    /// write-back. The pool must have a free register.
    std::uint16_t allocate(unsigned context, unsigned number);
    /// In P-mode: the registers from `destination` on are the allocated `rows`; `queued`: an entry names these, too.
    void rename(unsigned context, unsigned destination, std::span<const std::uint16_t> rows, bool queued);
    /// The write-back of the registers is done.
    void written(std::span<const std::uint16_t> rows) {
        for (const std::uint16_t row : rows) {
            registers_[row - first_].in_flight = false;
            settle(row);
        }
    }
    /// Drops the names that only the warp's map of P-mode has.
    void drop_pre(unsigned context);
    /// Drops the names that the entry of a P-queue has.
    void drop(const PQueueEntry& entry) {
        for (unsigned word = 0; word < entry.words; ++word) { drop_name(entry.rows[word]); }
    }

    /// Takes an event of the pool: the last reader has collected the register.
    void collected(std::uint32_t detail) { settle(detail & ~kCollected); }
    /// Counts the pool's cycles up to `now`.
    void charge(PmodeCounters& counters, Cycle now) {
        const auto cycles = static_cast<std::uint64_t>(charged_ < 0 ? 0 : now - charged_);
        counters.pool_cycles += cycles * size_;
        counters.pool_used_cycles += cycles * (size_ - free_count_);
        charged_ = now;
    }
    /// Checks that each register has as many names as maps and queues hold, and is free exactly if not in use.
    void verify(const std::vector<PreExecution>& warps) const;
    void fields(StateArchive& archive) {
        archive& first_& size_& banks_& free_count_& bank_pattern_& registers_& free_& charged_;
    }

  private:
    struct Register {
        std::uint16_t names = 0;
        bool in_flight = false;
        Cycle read_until = 0;

        void fields(StateArchive& archive) { archive& names& in_flight& read_until; }
    };

    void drop_name(unsigned row) {
        LOOKAHEAD_DEBUG_ASSERT(registers_[row - first_].names > 0, "a renaming register loses a name that it has not");
        --registers_[row - first_].names;
        settle(row);
    }
    void settle(unsigned row);

    PipelineState& state_;
    StreamSet& pre_;
    std::uint8_t extension_;
    unsigned first_ = 0;
    unsigned size_ = 0;
    unsigned banks_ = 1;
    unsigned free_count_ = 0;
    std::uint64_t bank_pattern_ = 0;  ///< every banks-th bit is set
    std::vector<Register> registers_;
    std::vector<std::uint64_t> free_;
    Cycle charged_ = -1;  ///< the pool's cycles are counted up to this one; -1: the launch has had none
    std::array<std::uint16_t, isa::kMostOperandRows> replaced_{};  ///< registers that the issuing instruction releases
    unsigned replaced_count_ = 0;
};

}  // namespace lookahead::gpu
