#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/dram/dram_parameters.h"
#include "components/dram/dram_scheduler.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct DramCounters {
    LOOKAHEAD_COUNTER(reads, "request", "Lines read.");
    LOOKAHEAD_COUNTER(writes, "request", "Lines written.");
    LOOKAHEAD_COUNTER(row_hits, "request", "Requests whose row was open when their bank took them.");
    LOOKAHEAD_COUNTER(row_misses, "request", "Requests whose bank had no row open.");
    LOOKAHEAD_COUNTER(row_conflicts, "request", "Requests whose bank had another row open.");
    LOOKAHEAD_COUNTER(activates, "command", "Activate commands.");
    LOOKAHEAD_COUNTER(precharges, "command", "Precharge commands.");
    LOOKAHEAD_COUNTER(refreshes, "command", "All-bank refreshes, counted when a command follows.");
    LOOKAHEAD_COUNTER(data_bus_cycles, "DRAM cycle",
                      "Cycles of data on the bus; over the elapsed cycles this is its utilisation.");
    LOOKAHEAD_COUNTER(read_wait_cycles, "DRAM cycle",
                      "Cycles from a read's entry into the queue until a bank takes it, over all reads.");
    LOOKAHEAD_COUNTER(read_service_cycles, "DRAM cycle",
                      "Cycles from when a bank takes a read to the end of its data, over all reads.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Timing of one DRAM channel: banks with open rows, a command bus that takes one command per cycle, a data bus, and
/// the waiting requests in a scheduler. Rows stay open until another row is wanted. MemoryImage has the contents. All
/// cycles are of the DRAM's command clock.
///
/// The channel works by events: after each change it computes the cycle of its next command exactly, and its owner
/// calls `step` in that cycle and in no other. Of the commands that are possible in a cycle, column commands go before
/// activates and precharges, and older requests before younger ones.
class DramChannel {
  public:
    /// An issued command, for tests and traces.
    enum class Command : std::uint8_t { none, activate, precharge, read, write };
    struct Step {
        Command command = Command::none;
        unsigned bank = 0;
        bool read_done = false;  ///< it was the last read command of a request, whose data end at `data_end`
        std::uint32_t tag = 0;
        Cycle arrival = 0;  ///< when that request entered the queue
        Cycle taken = 0;    ///< when its bank took it
        Cycle data_end = 0;
    };

    /// `banks` is a power of two, at most 64.
    DramChannel(const DramParameters& parameters, unsigned banks, std::unique_ptr<DramScheduler> scheduler);

    bool can_accept() const { return waiting_ < queue_entries_; }
    /// Puts a request for `columns` bursts into the queue; call it before step() of cycle `now`.
    void accept(std::uint64_t row, unsigned bank, bool write, std::uint32_t tag, unsigned columns, Cycle now);
    /// The cycle of the next command; kCycleInfinity if there is none.
    Cycle next_event() const { return next_cycle_; }
    /// Issues the command of cycle `now` == next_event().
    Step step(Cycle now);
    /// Call it when the owner has taken a line that was read. Commands may follow from cycle `now` on.
    void release_return(Cycle now);

    /// Whether no request waits and no bank serves one.
    bool idle() const { return waiting_ == 0 && serving_ == 0; }
    unsigned waiting() const { return waiting_; }
    const DramCounters& counters() const { return counters_; }

    void fields(StateArchive& archive);

  private:
    struct Bank {
        std::uint64_t open_row = kNoRow;
        DramRequest request;  ///< in service, if the bank's bit is set in serving_
        Cycle taken = 0;
        std::uint32_t columns_left = 0;
        std::uint32_t group = 0;
        // The earliest cycles for each command, as limited by the bank itself.
        Cycle activate = 0;
        Cycle precharge = 0;
        Cycle column = 0;

        void fields(StateArchive& archive);
    };

    /// A bank's next command for `plan`: possible from max(ready, limits_[limit]) on. Of the commands of one cycle the
    /// one with the least rank goes first: bit 42 marks row commands, lower bits have the request's age and the bank.
    struct Candidate {
        Cycle ready = 0;
        std::uint64_t rank = 0;
        std::uint32_t limit = 0;
    };

    bool assign(Cycle now);
    void plan(Cycle earliest);
    void set_candidate(unsigned bank);
    void refresh_until(Cycle now);
    void activate(Bank& bank, Cycle now);
    void precharge(Bank& bank, Cycle now);
    void column(Bank& bank, Cycle now, Step& step);

    DramParameters timing_;
    Cycle burst_;
    unsigned queue_entries_;
    unsigned return_entries_;
    std::unique_ptr<DramScheduler> scheduler_;

    std::vector<Bank> banks_;
    std::uint64_t all_banks_;
    std::uint64_t serving_ = 0;  ///< banks with a request in service
    unsigned waiting_ = 0;
    unsigned returning_ = 0;  ///< reads that a bank has taken and the owner has not (release_return)
    std::uint64_t next_age_ = 0;

    // The earliest cycles for commands of any bank: none, activate for each group, then read and write for each group.
    static constexpr std::uint32_t kNoLimit = 0;
    static constexpr std::uint32_t kActivateLimits = 1;
    std::uint32_t column_limits_;
    std::vector<Cycle> limits_;
    std::array<Cycle, 4> last_activates_;  ///< ring
    std::uint32_t oldest_activate_ = 0;
    std::vector<Candidate> candidates_;  ///< by bank; valid for banks in serving_
    Cycle next_refresh_;

    Cycle next_cycle_ = kCycleInfinity;
    unsigned next_bank_ = 0;
    DramCounters counters_;
};

}  // namespace lookahead::gpu
