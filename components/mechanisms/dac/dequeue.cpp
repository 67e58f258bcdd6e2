// What warps take from their queues.
#include <algorithm>
#include <bit>
#include <string>

#include "components/isa/address_space.h"
#include "components/mechanisms/dac/dac.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead::dac {

using gpu::DecodedInstruction;
using gpu::Stream;
using isa::LaneMask;
using isa::Operation;

void Dac::note_wait(unsigned context, Wait wait) {
    if (waiting_[context] == wait) { return; }
    const auto cycles = static_cast<std::uint64_t>(state_.now - waiting_since_[context]);
    counters_.empty_queue_cycles += waiting_[context] == Wait::entry ? cycles : 0;
    counters_.data_wait_cycles += waiting_[context] == Wait::lines ? cycles : 0;
    counters_.report_full_cycles += waiting_[context] == Wait::report ? cycles : 0;
    waiting_[context] = wait;
    waiting_since_[context] = state_.now;
}

/// Section 4.1: "if a non-affine warp's PWPQ or PWAQ is empty, or the data ... is not yet available", it does not
/// issue.
bool Dac::classify(unsigned context) {
    const Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    if (at_marker_[context] != 0 && at_marker_[context] != pc + 1) { pass_marker(context); }
    if (stream.buffered == 0 || !takes_from_queue(pc)) { return false; }
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const ContextState ready = gpu::ready_for(decoded.unit);
    const ContextState state = state_.waits_for(state_.warps, context, pc, state_.kernel->needs(pc));
    const bool branches = decoded.action == gpu::Action::branch;
    if (state != ready || (!branches && decoded.guarded_lanes(stream.stack.active(), stream.predicates) == 0)) {
        return false;
    }
    const bool access = decoded.action == gpu::Action::memory;
    const AddressQueue& addresses = address_queues_[context];
    if (is_report(*decoded.instruction)) {
        if (!reports_[context].full()) {
            note_wait(context, Wait::nothing);
            return false;
        }
        note_wait(context, Wait::report);
    } else if (access ? addresses.empty() : !has_predicate(context)) {
        // No short wait to a scheduler: one that keeps a few warps active must make room for those that can go on, or
        // the affine warp, which is held up by these, would never bring what the others wait for.
        note_wait(context, Wait::entry);
    } else if (access && LOOKAHEAD_RULE(dequeue_awaits_its_lines) && !head_may_go(context)) {
        note_wait(context, Wait::lines);
    } else {
        note_wait(context, Wait::nothing);
        return false;
    }
    state_.warps.states.set(context, ContextState::blocked_by_memory);
    return true;
}

/// The access at the queue's head has all that it waits for.
bool Dac::head_may_go(unsigned context) const {
    const AddressQueue& addresses = address_queues_[context];
    if (parameters_.loads_await_lines) { return addresses.head().awaited == 0; }
    const bool unfinished = aeu_.has_warp && aeu_.warp == context && addresses.accesses() == 1;
    return !unfinished;
}

bool Dac::has_predicate(unsigned context) const {
    const PredicateQueue& predicates = predicate_queues_[context];
    return !predicates.empty() && predicates.front().ready <= state_.now;
}

/// Something that the warp may have waited for has come.
void Dac::wake(unsigned context) {
    state_.wake(context);
}

void Dac::pass_marker(unsigned context) {
    at_marker_[context] = 0;
    ++markers_passed_[context];
    renew_units();
}

void Dac::check_pair(const PairName& name, unsigned context, LaneMask active, std::uint32_t& sequence) const {
    const isa::Kernel& kernel = *launch_.kernel;
    const std::uint32_t pc = state_.warps.streams[context].stack.pc();
    LOOKAHEAD_ASSERT(kernel.origins[name.pc] == kernel.origins[pc],
                     execute_.place_of(context) + ": the queue's head is of another instruction");
    LOOKAHEAD_ASSERT(name.sequence == sequence, execute_.place_of(context) + ": the queue's head is number " +
                                                    std::to_string(name.sequence) + ", and " +
                                                    std::to_string(sequence) + " is due");
    LOOKAHEAD_ASSERT(name.active == active,
                     execute_.place_of(context) + ": what is dequeued was enqueued for other lanes");
    ++sequence;
}

LaneMask Dac::dequeue_predicate(unsigned context, LaneMask active) {
    PredicateQueue& queue = predicate_queues_[context];
    LOOKAHEAD_ASSERT(!queue.empty(), execute_.place_of(context) + ": dequeues from an empty predicate queue");
    const QueuedPredicate head = queue.front();
    check_pair(head.name, context, active, predicates_dequeued_[context]);
    queue.pop();
    ++counters_.pwpq_accesses;
    ++counters_.dequeued_predicates;
    renew_units();
    streams_.renew(kAffine);
    return head.holds;
}

void Dac::report(unsigned context, LaneMask active, LaneMask holds) {
    LOOKAHEAD_ASSERT(!reports_[context].full(), execute_.place_of(context) + ": reports more than there is room for");
    reports_[context].push() = {{state_.warps.streams[context].stack.pc(), 0, active}, holds & active};
    ++counters_.reports;
    ++counters_.report_accesses;
    streams_.renew(kAffine);
}

/// A dequeue of its own reads the queue instead of registers, and sets its predicate for the next instruction; a report
/// is as simple.
bool Dac::supply(unsigned context, Cycle) {
    Stream& stream = state_.warps.streams[context];
    const DecodedInstruction& decoded = (*state_.kernel)[stream.stack.pc()];
    if (decoded.action != gpu::Action::queue) { return false; }
    const LaneMask active = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    gpu::SmCounters& counters = state_.counters;
    ++counters.warp_instructions;
    ++counters.by_class[static_cast<unsigned>(decoded.instruction_class)];
    counters.thread_instructions += static_cast<unsigned>(std::popcount(active));
    ++counters_.queue_instructions;
    counters_.queue_threads += static_cast<unsigned>(std::popcount(active));
    if (active == 0) {
        ++counters.predicated_off;
    } else if (is_report(*decoded.instruction)) {
        report(context, active, stream.predicates[decoded.source_predicate.slot] ^ decoded.source_predicate.flip);
    } else {
        const LaneMask holds = dequeue_predicate(context, active);
        const auto set = [&](std::uint8_t slot, LaneMask lanes) {
            stream.predicates[slot] = (stream.predicates[slot] & ~active) | (lanes & active);
        };
        set(decoded.destination_predicate2, ~holds);
        set(decoded.destination_predicate, holds);
    }
    execute_.pass_over(context);
    return true;
}

void Dac::before_execution(unsigned context, Cycle now) {
    Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    const DecodedInstruction& decoded = (*state_.kernel)[pc];
    const LaneMask lanes = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    if (marker_[pc] != 0 && lanes != 0) { at_marker_[context] = pc + 1; }
    if (!takes_from_queue(pc)) { return; }
    if (decoded.action == gpu::Action::branch) {
        const LaneMask active = stream.stack.active();
        const LaneMask holds = dequeue_predicate(context, active);
        LaneMask& predicate = stream.predicates[decoded.destination_predicate];
        predicate = (predicate & ~active) | (holds & active);
        LaneMask& complement = stream.predicates[decoded.destination_predicate2];
        complement = decoded.destination_predicate2 == decoded.destination_predicate
                         ? complement
                         : (complement & ~active) | (~holds & active);
    } else if (lanes != 0 && address_queues_[context].head().records == 0) {
        // Function (1) of section 3 on the lanes, before the access: the scheduler's slot for one instruction more.
        issue_.hold(context % issue_.schedulers(), 2 * issue_.interval(), now);
    }
}

void Dac::dequeue_addresses(unsigned context, LaneMask active, std::uint64_t* addresses) {
    AddressQueue& queue = address_queues_[context];
    LOOKAHEAD_ASSERT(!queue.empty(), execute_.place_of(context) + ": dequeues from an empty address queue");
    const QueuedAccess& head = queue.head();
    check_pair(head.name, context, active, addresses_dequeued_[context]);
    LaneAddresses lanes{};
    if (head.records == 0) {
        lanes = head.addresses;
        ++counters_.pwaq_accesses;
        counters_.raw_data += head.data;
    } else {
        RecordReader reader(active, rows_of(context), lanes);
        for (unsigned number = 0; number < head.records; ++number) {
            QueuedRecord& record = queue.head_record(number);
            reader.take(record.record, number + 1 == head.records);
            if (record.awaited) { await_no_more(context, record); }
            if (record.lock) {
                held_.push_back({static_cast<std::uint16_t>(context), false, head.name.sequence, record.line(),
                                 std::move(record.lock)});
            }
        }
        counters_.pwaq_accesses += head.records;
        LOOKAHEAD_ASSERT(reader.done(), execute_.place_of(context) + ": records of an access have too few lanes");
        if (parameters_.check) {
            for (LaneMask left = active; left != 0; left &= left - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(left));
                LOOKAHEAD_ASSERT(lanes[lane] == head.addresses[lane],
                                 execute_.place_of(context) + ": a record gives lane " + std::to_string(lane) +
                                     " another address than its tuple");
            }
        }
    }
    if (launch_.kernel->code[head.name.pc].space == isa::Space::local && head.records != 0) {
        to_thread_offsets(context, active, lanes.data());
    }
    ++(head.data ? counters_.dequeued_data : counters_.dequeued_addresses);
    std::copy(lanes.begin(), lanes.end(), addresses);
    queue.pop();
    renew_units();
}

/// Records are of the memory behind the warp's local memory; the instruction has its threads' own offsets.
void Dac::to_thread_offsets(unsigned context, LaneMask active, std::uint64_t* addresses) const {
    const std::uint64_t warp =
        execute_.identity().index * static_cast<std::uint64_t>(state_.parameters.max_warps) + context;
    const std::uint64_t base =
        isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(state_.kernel->kernel().local_bytes);
    for (LaneMask left = active; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t offset = addresses[lane] - base;
        addresses[lane] = offset / isa::kLocalRowBytes * 4 + offset % 4;
    }
}

/// Loads of which no access has been seen, as those that a companion of L1 has served, give their locks back here.
void Dac::written_back(unsigned context, std::uint32_t, bool) {
    if (held_.empty() || state_.warps.streams[context].in_flight != 0) { return; }
    for (Held& held : held_) { held.accessed |= held.context == context; }
    release_held();
}

/// The listener changes nothing in L1: locks end in the next cycle.
void Dac::release_held() {
    some_accessed_ = false;
    for (Held& held : held_) {
        if (held.accessed) {
            counters_.lost_lines += l1_->way_of(held.lock) == gpu::kNoWay;
            l1_->unlock(held.lock);
            --locks_;
        }
    }
    std::erase_if(held_, [](const Held& held) { return held.accessed; });
    memory_.renew_client();
    renew_units();
    if (expansion_.asks) { state_.memory_wanted = true; }
}

void Dac::on_l1_event(const gpu::L1Event& event) {
    switch (event.kind) {
        case gpu::L1EventKind::hit:
        case gpu::L1EventKind::miss:
        case gpu::L1EventKind::merge: {
            if (event.client != gpu::Client::demand || event.operation != gpu::L1Operation::load) { return; }
            const auto waits = [&](const Held& each) {
                return each.context == event.warp && each.line == event.line && !each.accessed;
            };
            const auto first = std::find_if(held_.begin(), held_.end(), waits);
            if (first == held_.end()) { return; }
            // Records of one load may have the same line, of which it makes one access.
            for (const std::uint32_t sequence = first->sequence; Held & each : held_) {
                each.accessed |= waits(each) && each.sequence == sequence;
            }
            some_accessed_ = true;
            return;
        }
        case gpu::L1EventKind::fill:
        case gpu::L1EventKind::detach:
        case gpu::L1EventKind::invalidate:
            for (const Awaited& each : awaited_) {
                if (each.line == event.line) { came_ |= gpu::context_bit(each.context); }
            }
            return;
        default:
            return;
    }
}

void Dac::await_no_more(unsigned context, QueuedRecord& record) {
    record.awaited = false;
    const auto found = std::find_if(awaited_.begin(), awaited_.end(), [&](const Awaited& each) {
        return each.context == context && each.line == record.line();
    });
    awaited_.erase(found);
}

void Dac::note_lines_that_came() {
    for (const unsigned context : std::exchange(came_, {})) {
        address_queues_[context].for_each_record([&](QueuedAccess& access, QueuedRecord& record) {
            if (!record.awaited) { return; }
            const std::uint32_t way = l1_->way_of(record.lock);
            // The load asks for a line that was taken from its lock, or whose fill a store has detached, as if it had
            // never been asked for.
            if (way != gpu::kNoWay) {
                const gpu::LineInfo& line = l1_->tags().info(way);
                const unsigned missing = record.sectors & ~line.valid;
                if (missing != 0 && (missing & ~line.awaited) == 0) { return; }
            }
            --access.awaited;
            await_no_more(context, record);
        });
        wake(context);
    }
}

}  // namespace lookahead::dac
