#include "core/sync/rank_processes.h"

#include <algorithm>
#include <array>
#include <exception>
#include <tuple>

#include <fmt/format.h>

#include "core/lp/lp_binding.h"
#include "core/state/archives.h"
#include "core/sync/message_hash.h"

namespace lookahead {

RankProcesses::RankProcesses(const Model& model, const SourceLookahead& lookahead, RankMessages& messages,
                             ProcessProfile& profile)
    : messages_(messages), profile_(profile) {
    std::vector<std::vector<ChannelDescription>> channels_of(model.processes().size());
    for (const ChannelDescription& channel : model.channels()) {
        if (messages_.is_here(channel.from)) { channels_of[channel.from].push_back(channel); }
    }
    const std::vector<std::uint32_t> first_channels = model.first_channel_numbers();
    std::array<std::size_t, kMostKinds> counts{};
    for (const LpId id : profile_.ids()) {
        LogicalProcess& process = *processes_.emplace_back(model.make(id));
        LpBinding::bind(process, id, model.processes()[id], channels_of[id], first_channels[id], messages_.router());
        pointers_.push_back(&process);
        own_.push_back(process.next_event_time());
        kinds_.push_back(lookahead.kind_of(id));
        ++counts[kinds_.back()];
    }
    commonest_kind_ = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
    threads_.assign(size(), 0);
    traffic_.assign(size(), 0);
    failed_.assign(size(), 0);
}

SourceTimes RankProcesses::pending() const {
    SourceTimes pending = all_at<kSourceCount>(kTimeInfinity);
    for (std::size_t i = 0; i < size(); ++i) {
        Time& of_kind = pending[kinds_[i]];
        of_kind = std::min(of_kind, std::min(own_[i], messages_.earliest(i, Arrivals::kUsual)));
        pending[kAnswers] = std::min(pending[kAnswers], messages_.earliest(i, Arrivals::kAnswered));
    }
    return pending;
}

[[gnu::hot]] void RankProcesses::advance(std::size_t thread, std::size_t index, bool reads, Time horizon) {
    LogicalProcess& process = *pointers_[index];
    own_[index] = kTimeInfinity;
    if (failed_[index] == 0) [[likely]] {
        try {
            if (threads_[index] != thread) {
                LpBinding::send_through(process, messages_.router(thread));
                threads_[index] = thread;
            }
            process.advance(reads ? receive(thread, index, horizon) : Inbox{}, horizon);
            const Time own = process.next_event_time();
            LOOKAHEAD_ASSERT(own >= horizon, "{} was advanced to {} fs but still has an event at {} fs", process.name(),
                             horizon, own);
            own_[index] = own;
        } catch (const Error& error) { fail(index, error.code(), error.what()); } catch (const std::exception& error) {
            fail(index, ExitCode::internal, fmt::format("{}: {}", process.name(), error.what()));
        }
    }
    if (reads) { messages_.clear(index); }
}

[[gnu::hot]] Inbox RankProcesses::receive(std::size_t thread, std::size_t index, Time horizon) {
    const Inbox inbox = messages_.take_due(thread, index, horizon);
    std::uint64_t traffic = traffic_[index];
    for (const MessageHeader* message : inbox) { traffic = add_message(traffic, *message); }
    traffic_[index] = traffic;
    if (profile_.logs()) [[unlikely]] {
        for (const MessageHeader* message : inbox) { profile_.delivered(index, message->channel_number()); }
    }
    return inbox;
}

void RankProcesses::fail(std::size_t index, ExitCode code, const std::string& sentence) {
    const LogicalProcess& process = *pointers_[index];
    failed_[index] = 1;
    // The horizon depends on the protocol: an error without a time of its own counts as the epoch's last.
    const LpFailure failure{LpBinding::failed_at(process), process.id(), code, sentence};
    const std::lock_guard lock(failing_);
    if (!first_failure_ || std::tie(failure.time, failure.lp) < std::tie(first_failure_->time, first_failure_->lp)) {
        first_failure_ = failure;
    }
}

std::size_t RankProcesses::index_of(LpId id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(profile_.ids(), id) - profile_.ids().begin());
}

ProcessCheckpoint RankProcesses::process(LpId id) const {
    const std::size_t index = index_of(id);
    return {id, messages_.waiting(index), traffic_[index], hash(index, true)};
}

void RankProcesses::save_state(LpId id, const ByteSink& sink) const {
    state_to(sink, [&](StateArchive& archive) { LpBinding::fields(*pointers_[index_of(id)], archive); });
}

void RankProcesses::restore(const SavedProcesses& all) {
    const std::vector<LpId> ids = all.ids();
    for (std::size_t i = 0; i < size(); ++i) {
        LogicalProcess& process = *pointers_[i];
        if (!std::ranges::binary_search(ids, process.id())) {
            throw InputError("the checkpoint has no process {}", process.name());
        }
        const ProcessCheckpoint saved = all.process(process.id());
        state_from(all.state(process.id()), fmt::format("the state of {}", process.name()),
                   [&](StateArchive& archive) { LpBinding::fields(process, archive); });
        traffic_[i] = saved.traffic_hash;
        if (hash(i, true) != saved.state_hash) {
            throw InputError(
                "{} is not in the state in which the checkpoint was taken: it is damaged, or of another version of the "
                "program",
                process.name());
        }
        messages_.restore(process, saved.messages);
        own_[i] = process.next_event_time();
    }
}

std::uint64_t RankProcesses::progress() const {
    std::uint64_t sum = 0;
    for (const LogicalProcess* process : pointers_) { sum += process->progress(); }
    return sum;
}

std::uint64_t RankProcesses::traffic_hash() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size(); ++i) { sum += hash(i, false); }
    return sum;
}

std::uint64_t RankProcesses::hash(std::size_t index, bool with_state) const {
    StateHasher hasher;
    hasher.add(pointers_[index]->id());
    hasher.add(traffic_[index]);
    if (with_state) {
        HashingArchive archive(hasher);
        LpBinding::fields(*pointers_[index], archive);
    }
    return hasher.value();
}

}  // namespace lookahead
