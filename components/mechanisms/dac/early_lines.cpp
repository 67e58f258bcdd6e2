#include "components/mechanisms/dac/early_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/bits/one_of.h"
#include "core/lp/audit.h"

namespace lookahead::dac {

void EarlyLines::locked(unsigned context, QueuedAccess& access, QueuedRecord& record, gpu::LineLock&& lock,
                        bool waits) {
    ++locks_;
    record.lock = std::move(lock);
    record.awaited = waits;
    if (waits) {
        ++access.awaited;
        awaited_.push_back({record.line(), static_cast<std::uint16_t>(context)});
    }
}

void EarlyLines::dequeued(unsigned context, std::uint32_t sequence, QueuedRecord& record) {
    if (record.awaited) { await_no_more(context, record); }
    if (record.lock) {
        held_.push_back({static_cast<std::uint16_t>(context), false, sequence, record.line(), std::move(record.lock)});
    }
}

bool EarlyLines::loads_ended(unsigned context) {
    for (Held& held : held_) { held.accessed |= held.context == context; }
    return !held_.empty();
}

bool EarlyLines::holds_for(unsigned context) const {
    return std::any_of(held_.begin(), held_.end(), [&](const Held& held) { return held.context == context; });
}

void EarlyLines::release_accessed() {
    some_accessed_ = false;
    for (Held& held : held_) {
        if (held.accessed) {
            counters_.lost_lines += l1_->locks().way_of(held.lock) == gpu::kNoWay;
            l1_->locks().unlock(held.lock);
            --locks_;
        }
    }
    std::erase_if(held_, [](const Held& held) { return held.accessed; });
}

void EarlyLines::on_l1_event(const gpu::L1Event& event) {
    using enum gpu::L1EventKind;
    if (is_one_of(event.kind, fill, detach, invalidate)) {
        for (const Awaited& each : awaited_) {
            came_ |= each.line == event.line ? gpu::context_bit(each.context) : gpu::ContextMask{};
        }
        return;
    }
    const bool is_demand_load = event.client == gpu::Client::demand && event.operation == gpu::L1Operation::load;
    if (!is_demand_load || !is_one_of(event.kind, hit, miss, merge)) { return; }
    const auto waits = [&](const Held& each) {
        return each.context == event.warp && each.line == event.line && !each.accessed;
    };
    const auto first = std::find_if(held_.begin(), held_.end(), waits);
    if (first == held_.end()) { return; }
    // Several records of a load may have one line, which the load accesses once.
    for (const std::uint32_t sequence = first->sequence; Held & each : held_) {
        each.accessed |= waits(each) && each.sequence == sequence;
    }
    some_accessed_ = true;
}

void EarlyLines::await_no_more(unsigned context, QueuedRecord& record) {
    record.awaited = false;
    const auto found = std::find_if(awaited_.begin(), awaited_.end(), [&](const Awaited& each) {
        return each.context == context && each.line == record.line();
    });
    awaited_.erase(found);
}

/// The load requests a line again that was taken from its lock or whose fill a store has detached.
bool EarlyLines::is_awaited(const QueuedRecord& record) const {
    const std::uint32_t way = l1_->locks().way_of(record.lock);
    if (way == gpu::kNoWay) { return false; }
    const gpu::LineInfo& line = l1_->tags().info(way);
    const unsigned missing = record.sectors & ~line.valid;
    return missing != 0 && (missing & ~line.awaited) == 0;
}

void EarlyLines::note_lines_that_came() {
    for (const unsigned context : std::exchange(came_, {})) {
        queues_.addresses(context).for_each_record([&](QueuedAccess& access, QueuedRecord& record) {
            if (record.awaited && !is_awaited(record)) {
                --access.awaited;
                await_no_more(context, record);
            }
        });
        state_.wake(context);
    }
}

std::string EarlyLines::waiting_for() const {
    return fmt::format("{} lines awaited, {} locked", awaited_.size(), locks_);
}

void EarlyLines::audit(Audit& audit, const std::string& sm) const {
    audit.leak(sm, "lines that are locked for loads", locks_);
    audit.leak(sm, "lines that are awaited for loads", awaited_.size());
}

}  // namespace lookahead::dac
