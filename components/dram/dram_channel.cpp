#include "components/dram/dram_channel.h"

#include <algorithm>
#include <bit>

#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {
namespace {

/// Before the first cycle by more than any delay.
constexpr Cycle kLongAgo = -1'000'000;

unsigned group_of(unsigned bank, unsigned banks, const DramParameters& timing) {
    const auto groups = static_cast<unsigned>(timing.bank_groups);
    return timing.bank_group_bits == "high" ? bank / (banks / groups) : bank % groups;
}

/// Between two refreshes there must be time to close a row, refresh, and open and access a row; else no request ever
/// ends. Commands issued before a refresh delay the first activate and the first column command after it by this time.
void check_refresh(const DramParameters& t) {
    const Cycle burst = t.burst_cycles();
    const Cycle row = std::max({t.rc, t.ras + t.rp, t.rtpl + t.rp, t.wl + burst + t.wr + t.rp});
    const Cycle activate = std::max({row + t.refresh_cycles, t.rrd, t.rrdl, t.faw});
    const Cycle column = std::max({t.ccd, t.ccdl, burst, t.wl + burst + t.cdlr, t.cl + burst + t.turnaround});
    const Cycle least = std::max(activate + t.rcd, column) + 1;
    if (t.refresh_interval != 0 && t.refresh_interval < least) {
        throw ConfigurationError(
            "dram.refresh_interval = {} leaves no time for an access between two refreshes; with the other timing "
            "parameters it must be at least {}, or 0 for none",
            t.refresh_interval, least);
    }
}

}  // namespace

DramChannel::DramChannel(const DramParameters& parameters, unsigned banks, std::unique_ptr<DramScheduler> scheduler)
    : timing_(parameters),
      burst_(parameters.burst_cycles()),
      queue_entries_(static_cast<unsigned>(parameters.queue_entries)),
      return_entries_(static_cast<unsigned>(parameters.return_entries)),
      scheduler_(std::move(scheduler)),
      banks_(banks),
      all_banks_(banks == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << banks) - 1),
      column_limits_(kActivateLimits + static_cast<std::uint32_t>(parameters.bank_groups)),
      limits_(column_limits_ + 2 * static_cast<std::size_t>(parameters.bank_groups), 0),
      candidates_(banks),
      next_refresh_(parameters.refresh_interval > 0 ? parameters.refresh_interval : kCycleInfinity) {
    last_activates_.fill(kLongAgo);
    check_refresh(parameters);
    const auto groups = static_cast<unsigned>(parameters.bank_groups);
    if (banks > 64 || !std::has_single_bit(groups) || groups > banks) {
        throw ConfigurationError(
            "dram.bank_groups is {} for {} banks; give a power of two up to the number of banks, which is at most 64",
            groups, banks);
    }
    for (unsigned i = 0; i < banks; ++i) { banks_[i].group = group_of(i, banks, timing_); }
}

void DramChannel::accept(std::uint64_t row, unsigned bank, bool write, std::uint32_t tag, unsigned columns, Cycle now) {
    LOOKAHEAD_DEBUG_ASSERT(can_accept(), "a DRAM request came to a full queue");
    scheduler_->add(
        {.row = row, .bank = bank, .tag = tag, .columns = columns, .arrival = now, .age = next_age_++, .write = write});
    ++waiting_;
    assign(now);
}

void DramChannel::release_return(Cycle now) {
    --returning_;
    if (returning_ + 1 == return_entries_) { assign(now); }
}

/// Gives each idle bank the scheduler's choice. If there was one, plans the next command, from cycle `now` on, and
/// returns true.
[[gnu::hot]] bool DramChannel::assign(Cycle now) {
    bool changed = false;
    while (returning_ < return_entries_) {
        const std::uint64_t candidates = scheduler_->eligible_banks() & ~serving_ & all_banks_;
        if (candidates == 0) { break; }
        const auto number = static_cast<unsigned>(std::countr_zero(candidates));
        Bank& bank = banks_[number];
        bank.request = scheduler_->take(number, bank.open_row);
        bank.columns_left = bank.request.columns;
        bank.taken = now;
        serving_ |= std::uint64_t{1} << number;
        --waiting_;
        changed = true;
        if (!bank.request.write) {
            ++returning_;
            counters_.read_wait_cycles += static_cast<std::uint64_t>(now - bank.request.arrival);
        }
        std::uint64_t& kind = bank.open_row == bank.request.row ? counters_.row_hits
                              : bank.open_row == kNoRow         ? counters_.row_misses
                                                                : counters_.row_conflicts;
        ++kind;
        set_candidate(number);
    }
    if (changed) { plan(now); }
    return changed;
}

/// Determines the next command of a bank that serves a request.
void DramChannel::set_candidate(unsigned number) {
    constexpr std::uint64_t kRowCommand = std::uint64_t{1} << 42;
    const Bank& bank = banks_[number];
    Candidate& candidate = candidates_[number];
    candidate.rank = (bank.request.age & ((std::uint64_t{1} << 36) - 1)) << 6 | number;
    if (bank.open_row == bank.request.row) {
        candidate.ready = bank.column;
        candidate.limit = column_limits_ + 2 * bank.group + (bank.request.write ? 1 : 0);
    } else {
        candidate.rank |= kRowCommand;
        const bool closed = bank.open_row == kNoRow;
        candidate.ready = closed ? bank.activate : bank.precharge;
        candidate.limit = closed ? kActivateLimits + bank.group : kNoLimit;
    }
}

/// Finds the next command, not before `earliest`. Runs after each command, so it avoids branches on compared values.
[[gnu::hot]] void DramChannel::plan(Cycle earliest) {
    Cycle when = kCycleInfinity;
    std::uint64_t rank = ~std::uint64_t{0};
    for (const unsigned bank : SetBits(serving_)) {
        const Candidate& candidate = candidates_[bank];
        const Cycle ready = std::max({candidate.ready, limits_[candidate.limit], earliest});
        const bool better = (ready < when) | ((ready == when) & (candidate.rank < rank));
        when = better ? ready : when;
        rank = better ? candidate.rank : rank;
    }
    next_cycle_ = when;
    next_bank_ = rank & 63;
}

[[gnu::hot]] DramChannel::Step DramChannel::step(Cycle now) {
    Step step;
    if (now >= next_refresh_) {
        refresh_until(now);
        plan(now);
        if (next_cycle_ > now) { return step; }
    }
    Bank& bank = banks_[next_bank_];
    step.bank = next_bank_;
    if (bank.open_row == bank.request.row) {
        column(bank, now, step);
    } else if (bank.open_row == kNoRow) {
        step.command = Command::activate;
        activate(bank, now);
    } else {
        step.command = Command::precharge;
        precharge(bank, now);
    }
    if (bank.columns_left > 0) {
        set_candidate(step.bank);
        plan(now + 1);
    } else if (!assign(now + 1)) {
        plan(now + 1);
    }
    return step;
}

void DramChannel::activate(Bank& bank, Cycle now) {
    bank.open_row = bank.request.row;
    bank.column = now + timing_.rcd;
    bank.precharge = now + timing_.ras;
    bank.activate = now + timing_.rc;
    last_activates_[oldest_activate_] = now;
    oldest_activate_ = (oldest_activate_ + 1) % 4;
    const Cycle any_group = std::max(now + timing_.rrd, last_activates_[oldest_activate_] + timing_.faw);
    for (std::uint32_t group = 0; group < timing_.bank_groups; ++group) {
        Cycle& limit = limits_[kActivateLimits + group];
        limit = std::max(limit, group == bank.group ? std::max(any_group, now + timing_.rrdl) : any_group);
    }
    ++counters_.activates;
}

void DramChannel::precharge(Bank& bank, Cycle now) {
    bank.open_row = kNoRow;
    bank.activate = std::max(bank.activate, now + timing_.rp);
    ++counters_.precharges;
}

[[gnu::hot]] void DramChannel::column(Bank& bank, Cycle now, Step& step) {
    const bool write = bank.request.write;
    const Cycle data_end = now + (write ? timing_.wl : timing_.cl) + burst_;
    // The next column command of the same kind, which must also find the data bus free, and of the other kind.
    const Cycle other_group = now + std::max(timing_.ccd, burst_);
    const Cycle same_group = timing_.bank_groups == 1 ? other_group : now + std::max(timing_.ccdl, burst_);
    const Cycle turned =
        std::max(now + 1, write ? data_end + timing_.cdlr : data_end + timing_.turnaround - timing_.wl);
    for (std::uint32_t group = 0; group < timing_.bank_groups; ++group) {
        Cycle& same = limits_[column_limits_ + 2 * group + (write ? 1 : 0)];
        Cycle& other = limits_[column_limits_ + 2 * group + (write ? 0 : 1)];
        same = std::max(same, group == bank.group ? same_group : other_group);
        other = std::max(other, turned);
    }
    bank.precharge = std::max(bank.precharge, write ? data_end + timing_.wr : now + timing_.rtpl);
    counters_.data_bus_cycles += static_cast<std::uint64_t>(burst_);
    step.command = write ? Command::write : Command::read;
    if (--bank.columns_left > 0) { return; }
    serving_ &= ~(std::uint64_t{1} << step.bank);
    if (write) {
        ++counters_.writes;
    } else {
        ++counters_.reads;
        counters_.read_service_cycles += static_cast<std::uint64_t>(data_end - bank.taken);
        step.read_done = true;
        step.tag = bank.request.tag;
        step.arrival = bank.request.arrival;
        step.taken = bank.taken;
        step.data_end = data_end;
    }
}

/// Performs the refreshes that were due by `now`: all rows are closed as soon as the last of these may begin, and the
/// banks are unavailable for its duration. Only the next command can observe a refresh, so it is computed then.
void DramChannel::refresh_until(Cycle now) {
    const Cycle missed = (now - next_refresh_) / timing_.refresh_interval;
    const Cycle due = next_refresh_ + missed * timing_.refresh_interval;
    Cycle begin = due;
    for (Bank& bank : banks_) {
        begin = std::max(begin, bank.open_row == kNoRow ? bank.activate : bank.precharge + timing_.rp);
    }
    for (Bank& bank : banks_) {
        bank.open_row = kNoRow;
        bank.activate = std::max(bank.activate, begin + timing_.refresh_cycles);
    }
    for (const unsigned bank : SetBits(serving_)) { set_candidate(bank); }
    counters_.refreshes += static_cast<std::uint64_t>(missed + 1);
    next_refresh_ = due + timing_.refresh_interval;
}

void DramChannel::Bank::fields(StateArchive& archive) {
    archive& open_row& request& taken& columns_left& group& activate& precharge& column;
}

void DramChannel::fields(StateArchive& archive) {
    scheduler_->fields(archive);
    archive& banks_& serving_& waiting_& returning_& next_age_& limits_& last_activates_& oldest_activate_&
        next_refresh_& next_cycle_& next_bank_& counters_;
    if (archive.loading()) {
        for (const unsigned bank : SetBits(serving_)) { set_candidate(bank); }
    }
}

LOOKAHEAD_REGISTER_PARAMETERS(DramParameters, "dram", "A channel's DRAM: geometry, timing and queues.")
LOOKAHEAD_REGISTER_STATISTICS(DramCounters, "dram", "A DRAM channel.")

}  // namespace lookahead::gpu
