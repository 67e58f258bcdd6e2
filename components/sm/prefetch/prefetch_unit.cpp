#include "components/sm/prefetch/prefetch_unit.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

#include "components/isa/kernel.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {
LOOKAHEAD_REGISTER_SLOT_PARAMETERS(PrefetchParameters, "prefetch", Prefetcher::kSlot.name,
                                   "The prefetch unit of an SM, which every prefetcher uses.")
LOOKAHEAD_REGISTER_STATISTICS(PrefetchCounters, "prefetch", "Prefetches of an SM into L1.")
LOOKAHEAD_REGISTER_STATISTICS(PrefetchLoadCounters, "prefetch_load", "Prefetches for one load of one kernel on an SM.")

std::unique_ptr<PrefetchUnit> PrefetchUnit::make(const Configuration& configuration, std::string name,
                                                 unsigned contexts, const TagArray& tags,
                                                 const AllocationMap& allocations, LoadStoreListener& listener,
                                                 const isa::KernelTable* kernels, const isa::KnownLoads* loads) {
    if (chosen_variant<Prefetcher>(configuration) == Prefetcher::kSlot.default_variant) { return nullptr; }
    LOOKAHEAD_ASSERT(kernels != nullptr, "a prefetch unit needs the kernels of the run");
    return std::make_unique<PrefetchUnit>(configuration, std::move(name), contexts, tags, allocations, listener,
                                          *kernels, loads);
}

PrefetchUnit::PrefetchUnit(const Configuration& configuration, std::string name, unsigned contexts,
                           const TagArray& tags, const AllocationMap& allocations, LoadStoreListener& listener,
                           const isa::KernelTable& kernels, const isa::KnownLoads* loads)
    : name_(std::move(name)),
      tags_(tags),
      allocations_(allocations),
      listener_(listener),
      records_(tags.size()),
      meant_(contexts) {
    const auto parameters = configuration.read<PrefetchParameters>("prefetch");
    queue_ = Ring<PrefetchRequest>(static_cast<std::size_t>(parameters.queue));
    spare_entries_ = static_cast<unsigned>(parameters.spare_entries);
    for (std::size_t number = 0; number < kernels.size(); ++number) { add_rows(kernels[number], number); }
    PrefetchPort& port = *this;
    prefetcher_ = make_chosen<Prefetcher>(configuration, PrefetcherArguments{configuration, port, contexts, loads});
    only_when_idle_ = prefetcher_->only_when_idle();
}

/// Adds a row for each load of the kernel from the start: results have the same components at all times and ranks.
void PrefetchUnit::add_rows(const isa::Kernel& kernel, std::size_t number) {
    first_of_kernel_.push_back(static_cast<std::uint32_t>(row_of_pc_.size()));
    for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
        row_of_pc_.push_back(static_cast<std::uint32_t>(rows_.size()));
        if (is_prefetchable(kernel.code[pc])) {
            rows_.emplace_back();
            row_names_.push_back(fmt::format("{}.k{}_pc{:#06x}_line{}", name_, number, pc * isa::kInstructionBytes,
                                             kernel.code[pc].line));
        }
    }
}

void PrefetchUnit::begin_launch(const LaunchOnSm& launch) {
    first_pc_ = first_of_kernel_[launch.number];
    warps_per_cta_ = launch.warps_per_cta;
    ending_ = false;
    prefetcher_->begin_launch(launch);
}

/// Drops queued requests; prefetched lines in L1 count as unused, and lines under way will.
void PrefetchUnit::end_launch() {
    ending_ = true;
    for (; !queue_.empty(); pop()) { ++counters_.cleared; }
    for (Record& record : records_) {
        if (record.state == State::present) { end(record, PrefetchFate::unused); }
    }
    for (std::vector<Meant>& lines : meant_) { lines.clear(); }
    prefetcher_->end_launch();
}

void PrefetchUnit::cta_ended(unsigned slot) {
    for (unsigned warp = 0; warp < warps_per_cta_; ++warp) { meant_[slot * warps_per_cta_ + warp].clear(); }
    prefetcher_->cta_ended(slot);
}

void PrefetchUnit::observe(const QueuedInstruction& entry) {
    const MemoryInstruction& memory = entry.memory;
    if (!is_prefetchable(*memory.instruction) || entry.global == 0) { return; }
    std::array<std::uint64_t, isa::kWarpSize> lines;
    std::size_t count = 0;
    for (isa::LaneMask left = entry.global; left != 0;) {
        const std::uint64_t line = line_of(memory.addresses[std::countr_zero(left)]);
        lines[count++] = line;
        left &= ~lanes_in_line(memory.addresses, line);
    }
    ++counters_.loads;
    counters_.load_accesses += count;
    PrefetchLoadCounters& row = rows_[row_of(memory.pc)];
    ++row.executions;
    row.accesses += count;
    const ObservedLoad load{
        .pc = memory.pc,
        .context = memory.context,
        .cta_slot = memory.cta_slot,
        .warp_in_cta = static_cast<std::uint16_t>(memory.context - memory.cta_slot * warps_per_cta_),
        .lines = {lines.data(), count}};
    compare_addresses(load);
    prefetcher_->on_load(load, now_);
}

void PrefetchUnit::compare_addresses(const ObservedLoad& load) {
    std::vector<Meant>& meant = meant_[load.context];
    for (std::size_t i = 0; i < load.lines.size() && !meant.empty(); ++i) {
        counters_.address_right += std::erase(meant, Meant{load.pc, load.lines[i]});
    }
}

// ---- The queue ------------------------------------------------------------------------------------------------------

bool PrefetchUnit::queued(std::uint64_t line) const {
    for (std::uint32_t i = 0; i < queue_.size(); ++i) {
        if (queue_[i].line == line) { return true; }
    }
    return false;
}

bool PrefetchUnit::prefetch(const PrefetchRequest& request) {
    LOOKAHEAD_DEBUG_ASSERT(request.line % kLineBytes == 0, "a prefetch of something that is not a line");
    ++counters_.requested;
    if (!allocations_.contains(request.line, request.line + 1)) {
        ++counters_.unmapped;
        return false;
    }
    if (tags_.find(request.line) != kNoWay || queued(request.line)) {
        ++counters_.duplicates;
        return false;
    }
    if (queue_.full()) {
        ++counters_.dropped;
        return false;
    }
    queue_.push() = request;
    ++counters_.queued;
    return true;
}

bool PrefetchUnit::next(PrefetchRequest& request) {
    for (; !queue_.empty(); pop()) {
        request = queue_.front();
        if (tags_.find(request.line) == kNoWay) { return true; }
        ++counters_.duplicates;
    }
    return false;
}

void PrefetchUnit::pop() {
    queue_.pop();
    --counters_.queued;
}

/// A demand load fetches the line itself: the queued request would be a duplicate, or useless after a store.
void PrefetchUnit::withdraw(std::uint64_t line) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < queue_.size(); ++i) {
        if (queue_[i].line != line) { queue_[kept++] = queue_[i]; }
    }
    counters_.duplicates += queue_.size() - kept;
    counters_.queued -= queue_.size() - kept;
    queue_.shrink(kept);
}

void PrefetchUnit::hint(WarpHint hint, std::uint16_t context) {
    listener_.warp_hint(context, hint);
}

// ---- Fates ----------------------------------------------------------------------------------------------------------

void PrefetchUnit::on_l1_event(const L1Event& event) {
    if (event.operation != L1Operation::load && event.kind != L1EventKind::allocate) {
        return;  // prefetchers choose by loads
    }
    const bool demand = event.client == Client::demand;
    switch (event.kind) {
        case L1EventKind::hit:
        case L1EventKind::merge:
            if (demand && records_[event.way].state != State::none) { used(records_[event.way], event); }
            break;
        case L1EventKind::miss:
            if (event.client == Client::prefetch) {
                counters_.evicted_by_prefetch += event.way == evicted_;
                issued(event);
            } else if (demand) {
                withdraw(event.line);
            }
            evicted_ = kNoWay;
            break;
        case L1EventKind::allocate:
            evicted_ = kNoWay;
            return;
        case L1EventKind::fill:
            filled(records_[event.way]);
            return;
        case L1EventKind::evict:
            evicted_ = records_[event.way].state == State::present ? event.way : kNoWay;
            return end(records_[event.way], PrefetchFate::early_evicted);
        case L1EventKind::invalidate:
        case L1EventKind::detach:
            return end(records_[event.way], PrefetchFate::unused);
    }
    if (demand) { prefetcher_->on_access(event, now_); }
}

void PrefetchUnit::issued(const L1Event& event) {
    const std::uint32_t row = row_of(event.pc);
    records_[event.way] = {State::under_way, event.warp, event.pc, row, now_};
    ++counters_.issued;
    ++counters_.outstanding;
    ++rows_[row].issued;
    if (event.warp != kNoContext) {
        ++counters_.meant;
        meant_[event.warp].push_back({event.pc, event.line});
    }
}

/// The first demand for the line.
void PrefetchUnit::used(Record& record, const L1Event& event) {
    if (record.state == State::claimed) { return; }
    const bool late = record.state == State::under_way;
    const auto distance = static_cast<std::uint64_t>(now_ - record.issued);
    const bool matched = event.pc == record.pc && event.warp == record.context;
    PrefetchLoadCounters& row = rows_[record.row];
    ++(late ? counters_.late : counters_.useful);
    ++(late ? row.late : row.useful);
    counters_.matched += matched;
    row.matched += matched;
    counters_.distance_cycles += distance;
    row.distance_cycles += distance;
    counters_.distance.add(distance, kDistanceEdges);
    --counters_.outstanding;
    record.state = late ? State::claimed : State::none;
    prefetcher_->on_fate(late ? PrefetchFate::late : PrefetchFate::useful, now_);
}

void PrefetchUnit::filled(Record& record) {
    if (record.state != State::under_way && record.state != State::claimed) { return; }
    const bool claimed = record.state == State::claimed;
    record.state = claimed ? State::none : State::present;
    prefetcher_->on_fill(record.context, now_);
    if (ending_ && !claimed) { end(record, PrefetchFate::unused); }
}

void PrefetchUnit::end(Record& record, PrefetchFate fate) {
    const State was = std::exchange(record.state, State::none);
    if (was != State::under_way && was != State::present) { return; }
    const bool early = fate == PrefetchFate::early_evicted;
    PrefetchLoadCounters& row = rows_[record.row];
    ++(early ? counters_.early_evicted : counters_.unused);
    ++(early ? row.early_evicted : row.unused);
    --counters_.outstanding;
    prefetcher_->on_fate(fate, now_);
}

// ---- State ----------------------------------------------------------------------------------------------------------

void PrefetchUnit::audit(Audit& audit) const {
    audit.leak(name_, "prefetches that wait for L1", queue_.size());
    audit.leak(name_, "prefetches without a fate", counters_.outstanding);
    audit.balance(name_, "prefetches", counters_.issued,
                  counters_.useful + counters_.late + counters_.early_evicted + counters_.unused);
    audit.balance(name_, "chosen prefetches", counters_.requested,
                  counters_.duplicates + counters_.unmapped + counters_.dropped + counters_.cleared + counters_.issued);
}

void PrefetchUnit::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "prefetch", counters_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        visit(visitor, row_names_[row], "prefetch_load", rows_[row]);
    }
    prefetcher_->visit_statistics(visitor, name_);
}

void PrefetchUnit::fields(StateArchive& archive) {
    archive& first_pc_& warps_per_cta_& ending_& now_;
    queue_.fields(archive, [&](PrefetchRequest& request) { archive& request.line& request.pc& request.context; });
    for (Record& record : records_) { archive& record.state& record.context& record.pc& record.row& record.issued; }
    archive& meant_& counters_& rows_;
    prefetcher_->fields(archive);
}

/// The default. The load/store unit makes no prefetch unit for it, so its hooks are never called.
class NoPrefetcher final : public Prefetcher {
  public:
    explicit NoPrefetcher(const PrefetcherArguments&) {}
    void fields(StateArchive&) override {}
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, NoPrefetcher, "none", "No prefetches.", "the default; every machine's baseline")

}  // namespace lookahead::gpu
