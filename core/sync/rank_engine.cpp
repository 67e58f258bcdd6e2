#include "core/sync/rank_engine.h"

#include <algorithm>
#include <bit>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <exception>
#include <tuple>

#include "core/checkpoint/archive.h"
#include "core/lp/lp_binding.h"
#include "core/stats/state_hasher.h"
#include "core/sync/message_hash.h"
#include "core/transport/transport.h"

namespace lookahead {

namespace {

std::vector<LpId> lps_of(int rank, std::span<const int> rank_of_lp) {
    std::vector<LpId> ids;
    for (LpId id = 0; id < rank_of_lp.size(); ++id) {
        if (rank_of_lp[id] == rank) {
            ids.push_back(id);
        }
    }
    return ids;
}

}  // namespace

RankEngine::RankEngine(const Model& model, std::span<const int> rank_of_lp, int rank, const RankLookahead& lookahead,
                       TraceSink* trace, bool log_windows)
    : local_lookahead_(lookahead.direct(rank, rank)),
      profile_(model, lps_of(rank, rank_of_lp), log_windows),
      logs_inner_windows_(log_windows && lookahead.ranks() == 1),
      logs_outer_windows_(log_windows && lookahead.ranks() > 1),
      trace_(trace) {
    make_processes(model, rank_of_lp, rank, lookahead.ranks());
    traffic_.assign(processes_.size(), 0);
    failed_.assign(processes_.size(), 0);
    for (const auto& process : processes_) {
        pointers_.push_back(process.get());
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        router_->next_times()[i] = processes_[i]->next_event_time();
        router_->next_effects()[i] = effect_of_own_event(i, router_->next_times()[i]);
    }
}

void RankEngine::make_processes(const Model& model, std::span<const int> rank_of_lp, int rank, int ranks) {
    std::vector<std::uint32_t> places;
    std::uint32_t local = 0;
    for (const int owner : rank_of_lp) {
        places.push_back(owner == rank ? local++ : MessageRouter::kRemote | static_cast<std::uint32_t>(owner));
    }
    router_ = std::make_unique<MessageRouter>(places, local, static_cast<std::size_t>(ranks));
    set_reaches(model);

    std::vector<std::vector<ChannelDescription>> channels_of(model.processes().size());
    for (const ChannelDescription& channel : model.channels()) {
        if (rank_of_lp[channel.from] == rank) {
            channels_of[channel.from].push_back(channel);
        }
    }
    const std::vector<std::uint32_t> first_channels = model.first_channel_numbers();
    for (const LpId id : profile_.ids()) {
        processes_.push_back(model.make(id));
        LpBinding::bind(*processes_.back(), id, model.processes()[id], channels_of[id], first_channels[id], *router_);
    }
}

void RankEngine::set_reaches(const Model& model) {
    std::vector<Reach> reaches(model.processes().size(), Reach{.least = kTimeInfinity, .answer = kTimeInfinity});
    for (const ChannelDescription& channel : model.channels()) {
        Time& least = reaches[channel.from].least;
        least = std::min(least, channel.lookahead);
    }
    for (const AnswerDescription& answer : model.answers()) {
        Reach& reach = reaches[answer.lp];
        reach.answering_port = answer.in_port;
        for (const ChannelDescription& channel : model.channels()) {
            if (channel.from == answer.lp && channel.out_port == answer.out_port) {
                reach.answer = std::min(reach.answer, channel.lookahead);
            }
        }
    }
    for (LpId lp = 0; lp < reaches.size(); ++lp) {
        router_->set_reach(lp, reaches[lp]);
    }
}

Time RankEngine::effect_of_own_event(std::size_t index, Time time) const {
    return saturating_add(time, router_->reach(pointers_[index]->id()).least);
}

Time RankEngine::earliest_effect() const {
    Time earliest = kTimeInfinity;
    for (const Time time : router_->next_effects()) {
        earliest = std::min(earliest, time);
    }
    return earliest;
}

Time RankEngine::earliest() const {
    Time earliest = kTimeInfinity;
    for (const Time time : router_->next_times()) {
        earliest = std::min(earliest, time);
    }
    return earliest;
}

void RankEngine::advance_to(Time horizon) {
    if (logs_outer_windows_) {
        profile_.begin_window(earliest());
    }
    for (Time first = earliest(); first < horizon; first = earliest()) {
        // Both are bounds below what may still arrive: the first counts channels within the rank alone.
        const Time inner = std::min(horizon, std::max(saturating_add(first, local_lookahead_), earliest_effect()));
        ++statistics_.inner_windows;
        if (logs_inner_windows_) {
            profile_.begin_window(first);
        }
        advance_window(inner);
        if (logs_inner_windows_) {
            profile_.end_window();
        }
    }
    if (logs_outer_windows_) {
        profile_.end_window();
    }
    reached_ = horizon;
}

void RankEngine::advance_window(Time horizon) {
    const std::vector<Time>& next_times = router_->next_times();
    router_->set_horizon(horizon);
    profile_.begin();
    for (std::size_t i = 0; i < next_times.size(); ++i) {
        if (next_times[i] < horizon) {
            prefetch_inbox(i + 1);
            advance_process(i, horizon);
            profile_.advanced(i);
        }
    }
}

/// While one LP runs, the messages of the next come into the host's first cache.
void RankEngine::prefetch_inbox(std::size_t index) const {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kMostLines = 12;
    if (index < router_->inboxes().size()) {
        const ByteBuffer& arrived = router_->inboxes()[index].arrived;
        const std::size_t bytes = std::min(arrived.size(), kMostLines * kLine);
        for (std::size_t at = 0; at < bytes; at += kLine) {
            __builtin_prefetch(arrived.data() + at);
        }
    }
}

void RankEngine::settle(Time epoch) {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        advance_process(i, epoch);
    }
    for (const Batch& batch : router_->batches()) {
        LOOKAHEAD_ASSERT(batch.messages == 0, "an LP sent a message before " + std::to_string(epoch) +
                                                  " fs although it had announced no event before then");
    }
    reached_ = epoch;
}

std::vector<ProcessCheckpoint> RankEngine::checkpoint() const {
    std::vector<ProcessCheckpoint> all;
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        const LogicalProcess& process = *pointers_[i];
        const ByteBuffer& arrived = router_->inboxes()[i].arrived;
        all.push_back({process.id(),
                       archive_to_bytes([&](boost::archive::binary_oarchive& out) { LpBinding::save(process, out); }),
                       std::string(reinterpret_cast<const char*>(arrived.data()), arrived.size()), traffic_[i],
                       hash_process(i, true)});
    }
    return all;
}

void RankEngine::restore(Time epoch, std::span<const ProcessCheckpoint> all) {
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        const auto saved = std::ranges::find(all, pointers_[i]->id(), &ProcessCheckpoint::id);
        if (saved == all.end()) {
            throw InputError("the checkpoint has no process " + pointers_[i]->name());
        }
        restore_process(i, *saved);
    }
    reached_ = epoch;
}

void RankEngine::restore_process(std::size_t index, const ProcessCheckpoint& saved) {
    LogicalProcess& process = *pointers_[index];
    archive_from_bytes(saved.state, "the state of " + process.name(),
                       [&](boost::archive::binary_iarchive& in) { LpBinding::load(process, in); });
    traffic_[index] = saved.traffic_hash;
    if (hash_process(index, true) != saved.state_hash) {
        throw InputError(process.name() +
                         " is not in the state in which the checkpoint was taken: it is damaged, or of "
                         "another version of the program");
    }
    for (std::size_t at = 0; at < saved.messages.size();) {
        MessageHeader header{};
        const std::size_t left = saved.messages.size() - at;
        if (left >= sizeof header) {
            std::memcpy(&header, saved.messages.data() + at, sizeof header);
        }
        if (left < sizeof header || left < header.total_bytes() || header.destination != process.id()) {
            throw InputError("the messages for " + process.name() + " cannot be restored: they are damaged");
        }
        std::memcpy(router_->append(header), saved.messages.data() + at + sizeof header, header.payload_bytes());
        at += header.total_bytes();
    }
    const Time own = process.next_event_time();
    router_->next_times()[index] = std::min(own, router_->inboxes()[index].earliest);
    router_->next_effects()[index] = std::min(effect_of_own_event(index, own), router_->inboxes()[index].effect);
}

void RankEngine::advance_process(std::size_t index, Time horizon) {
    Time& next_time = router_->next_times()[index];
    Time& next_effect = router_->next_effects()[index];
    if (failed_[index] != 0) [[unlikely]] {
        LpInbox& inbox = router_->inboxes()[index];
        inbox.arrived.clear();
        inbox.earliest = kTimeInfinity;
        inbox.effect = kTimeInfinity;
        next_time = kTimeInfinity;
        next_effect = kTimeInfinity;
        return;
    }
    LogicalProcess& process = *pointers_[index];
    try {
        const Inbox inbox = collect_due(index, horizon);
        next_time = router_->inboxes()[index].earliest;
        next_effect = router_->inboxes()[index].effect;
        ++statistics_.advances;
        process.advance(inbox, horizon);
        const Time own = process.next_event_time();
        LOOKAHEAD_ASSERT(own >= horizon, process.name() + " was advanced to " + std::to_string(horizon) +
                                             " fs but still has an event at " + std::to_string(own) + " fs");
        next_time = std::min(next_time, own);
        next_effect = std::min(next_effect, effect_of_own_event(index, own));
    } catch (const Error& error) {
        fail(index, error.code(), error.what());
    } catch (const std::exception& error) {
        fail(index, ExitCode::internal, process.name() + ": " + error.what());
    }
}

Inbox RankEngine::collect_due(std::size_t index, Time horizon) {
    LpInbox& inbox = router_->inboxes()[index];
    if (inbox.earliest >= horizon) {
        return {};
    }
    // What is due stays where it is while the LP reads it; the rest moves to where new messages go.
    inbox.due.clear();
    inbox.due.swap(inbox.arrived);
    inbox.earliest = kTimeInfinity;
    inbox.effect = kTimeInfinity;
    due_.clear();
    const std::byte* at = inbox.due.data();
    const std::byte* const end = at + inbox.due.size();
    while (at < end) {
        const auto* message = reinterpret_cast<const MessageHeader*>(at);
        const std::size_t size = message->total_bytes();
        if (message->time < horizon) {
            due_.push_back({message->time, message->order(), message});
        } else {
            inbox.earliest = std::min(inbox.earliest, message->time);
            inbox.effect = std::min(inbox.effect, router_->effect_of(*message));
            inbox.arrived.append(message, size);
        }
        at += size;
    }
    sort_due();
    due_pointers_.resize(due_.size());
    std::uint64_t traffic = traffic_[index];
    for (std::size_t i = 0; i < due_.size(); ++i) {
        due_pointers_[i] = due_[i].message;
        traffic = add_message(traffic, *due_[i].message);
    }
    traffic_[index] = traffic;
    statistics_.events += due_.size();
    if (profile_.logs()) [[unlikely]] {
        for (const DueMessage& due : due_) {
            profile_.delivered(index, due.message->channel);
        }
    }
    return due_pointers_;
}

void RankEngine::sort_due() {
    constexpr std::size_t kFew = 24;
    const auto sooner = [](const DueMessage& a, const DueMessage& b) {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
    };
    if (due_.size() > kFew) {
        std::sort(due_.begin(), due_.end(), sooner);
        return;
    }
    for (std::size_t i = 1; i < due_.size(); ++i) {
        const DueMessage moving = due_[i];
        std::size_t place = i;
        for (; place > 0 && sooner(moving, due_[place - 1]); --place) {
            due_[place] = due_[place - 1];
        }
        due_[place] = moving;
    }
}

void RankEngine::fail(std::size_t index, ExitCode code, const std::string& sentence) {
    const LogicalProcess& process = *pointers_[index];
    failed_[index] = 1;
    router_->next_times()[index] = kTimeInfinity;
    router_->next_effects()[index] = kTimeInfinity;
    // The horizon depends on the protocol: an error without a time of its own counts as the epoch's last.
    const LpFailure failure{LpBinding::failed_at(process), process.id(), code, sentence};
    if (!first_failure_ || std::tie(failure.time, failure.lp) < std::tie(first_failure_->time, first_failure_->lp)) {
        first_failure_ = failure;
    }
}

void RankEngine::reserve_batch_headers(std::size_t header_words) {
    batch_header_bytes_ = Transport::kPacketHeaderBytes + 8 * header_words;
    for (Batch& batch : router_->batches()) {
        batch.bytes.extend(batch_header_bytes_);
    }
}

std::uint64_t* RankEngine::batch_header(int rank) {
    return reinterpret_cast<std::uint64_t*>(batch(rank).bytes.data() + Transport::kPacketHeaderBytes);
}

void RankEngine::reset_batch(int rank, std::size_t sent_bytes) {
    Batch& sent = batch(rank);
    ++statistics_.packets;
    statistics_.null_messages += sent.messages == 0;
    statistics_.remote_messages += sent.messages;
    statistics_.remote_bytes += sent_bytes;
    sent.messages = 0;
    sent.earliest = kTimeInfinity;
    sent.effect = kTimeInfinity;
    sent.bytes.clear();
    sent.bytes.extend(batch_header_bytes_);
}

void RankEngine::deliver(std::span<const std::byte> messages) {
    const std::byte* at = messages.data();
    const std::byte* const end = at + messages.size();
    while (at < end) {
        const auto* message = reinterpret_cast<const MessageHeader*>(at);
        LOOKAHEAD_ASSERT(message->time >= reached_, "a message for " + std::to_string(message->time) +
                                                        " fs came to a rank that had gone on to " +
                                                        std::to_string(reached_) + " fs");
        std::byte* payload = router_->append(*message);
        std::memcpy(payload, message->payload(), message->payload_bytes());
        at += message->total_bytes();
    }
}

void RankEngine::account(TraceActivity activity) {
    const TraceSink::Clock::time_point now = TraceSink::Clock::now();
    const double seconds = std::chrono::duration<double>(now - mark_).count();
    (activity == TraceActivity::compute ? statistics_.compute_seconds : statistics_.blocked_seconds) += seconds;
    if (trace_ != nullptr) {
        trace_->span(activity, mark_, now, reached_);
    }
    mark_ = now;
}

void RankEngine::count_window(Time length) {
    ++statistics_.windows;
    if (length > 0) {
        ++statistics_.window_lengths[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length))) - 1];
    }
}

std::uint64_t RankEngine::progress() const {
    std::uint64_t sum = 0;
    for (const LogicalProcess* process : pointers_) {
        sum += process->progress();
    }
    return sum;
}

std::uint64_t RankEngine::hash_process(std::size_t index, bool with_state) const {
    StateHasher hasher;
    hasher.add(pointers_[index]->id());
    hasher.add(traffic_[index]);
    if (with_state) {
        pointers_[index]->hash_state(hasher);
    }
    return hasher.value();
}

// The LPs' hashes are added, so that the sum does not depend on which rank they are on.
std::uint64_t RankEngine::traffic_hash() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        sum += hash_process(i, false);
    }
    return sum;
}

std::uint64_t RankEngine::state_hash() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        sum += hash_process(i, true);
    }
    return sum;
}

}  // namespace lookahead
