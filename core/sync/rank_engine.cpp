#include "core/sync/rank_engine.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <tuple>
#include <utility>

#include "core/lp/lp_binding.h"
#include "core/mutation/rule.h"
#include "core/state/archives.h"
#include "core/sync/host_clock.h"
#include "core/sync/message_hash.h"
#include "core/transport/transport.h"

namespace lookahead {

namespace {

std::vector<LpId> lps_of(int rank, std::span<const int> rank_of_lp) {
    std::vector<LpId> ids;
    for (LpId id = 0; id < rank_of_lp.size(); ++id) {
        if (rank_of_lp[id] == rank) { ids.push_back(id); }
    }
    return ids;
}

}  // namespace

RankEngine::RankEngine(const Model& model, std::span<const int> rank_of_lp, int rank, const SourceLookahead& lookahead,
                       const Routes& routes, const RankEngineOptions& options)
    : lookahead_(lookahead),
      routes_(routes),
      plan_(static_cast<std::size_t>(std::ranges::count(rank_of_lp, rank))),
      shares_always_(options.shares_always),
      profile_(model, lps_of(rank, rank_of_lp), options.log_windows),
      logs_inner_windows_(options.log_windows && routes.ranks() == 1),
      logs_outer_windows_(options.log_windows && routes.ranks() > 1),
      trace_(options.trace) {
    make_processes(model, rank_of_lp, rank, options.threads);
    traffic_.assign(processes_.size(), 0);
    failed_.assign(processes_.size(), 0);
    team_ = std::make_shared<WindowTeam>(options.threads, processes_.size());
    for (const auto& process : processes_) {
        pointers_.push_back(process.get());
        own_.push_back(process->next_event_time());
    }
    planned_ticks_.assign(processes_.size(), 0);
    find_runs();
}

void RankEngine::make_processes(const Model& model, std::span<const int> rank_of_lp, int rank, std::size_t threads) {
    std::vector<std::uint32_t> places;
    std::uint32_t local = 0;
    for (const int owner : rank_of_lp) {
        is_here_.push_back(owner == rank);
        places.push_back(owner == rank ? local++ : MessageRouter::kRemote | routes_.batch_for(owner));
    }
    arrivals_ = std::make_shared<Arrivals>(local, threads);
    for (unsigned i = 0; i < threads; ++i) {
        workers_.push_back(std::make_unique<Worker>(MessageRouter(places, local, routes_.batches(), arrivals_, i)));
    }
    describe_receivers(model);

    std::vector<std::vector<ChannelDescription>> channels_of(model.processes().size());
    for (const ChannelDescription& channel : model.channels()) {
        if (rank_of_lp[channel.from] == rank) { channels_of[channel.from].push_back(channel); }
    }
    const std::vector<std::uint32_t> first_channels = model.first_channel_numbers();
    for (const LpId id : profile_.ids()) {
        processes_.push_back(model.make(id));
        LpBinding::bind(*processes_.back(), id, model.processes()[id], channels_of[id], first_channels[id], router());
    }
    hands_.assign(processes_.size(), workers_.front().get());
}

void RankEngine::describe_receivers(const Model& model) {
    std::vector<std::uint32_t> answering_ports(model.processes().size(), MessageRouter::kNoPort);
    for (const AnswerDescription& answer : model.answers()) { answering_ports[answer.lp] = answer.in_port; }
    for (const auto& worker : workers_) {
        for (LpId lp = 0; lp < answering_ports.size(); ++lp) {
            worker->router.describe(lp, lookahead_.kind_of(lp), answering_ports[lp]);
        }
    }
}

void RankEngine::find_runs() {
    std::array<std::size_t, kMostKinds> counts{};
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        const std::size_t kind = lookahead_.kind_of(pointers_[i]->id());
        ++counts[kind];
        kinds_.push_back(static_cast<std::uint8_t>(kind));
        if (runs_.empty() || runs_.back().kind != kind) { runs_.push_back({kind, i, i}); }
        runs_.back().end = i + 1;
    }
    most_ = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

SourceTimes RankEngine::pending() const {
    SourceTimes pending = all_at<kSourceCount>(kTimeInfinity);
    for (const Run& run : runs_) {
        for (std::size_t i = run.begin; i < run.end; ++i) {
            pending[run.kind] = std::min(pending[run.kind], own_[i]);
            pending[run.kind] = std::min(pending[run.kind], arrivals_->least(Arrivals::kUsual, i));
            pending[kAnswers] = std::min(pending[kAnswers], arrivals_->least(Arrivals::kAnswered, i));
        }
    }
    return pending;
}

SourceTimes RankEngine::take_sent() {
    SourceTimes sent = all_at<kSourceCount>(kTimeInfinity);
    for (const auto& worker : workers_) {
        lower_each(sent, std::exchange(worker->router.sent(), all_at<kSourceCount>(kTimeInfinity)));
    }
    return sent;
}

void RankEngine::advance_to(const KindTimes& horizons) {
    if (logs_outer_windows_) { profile_.begin_window(earliest()); }
    while (true) {
        const SourceTimes now = pending();
        KindTimes inner = lookahead_.from_within(now);
        for (std::size_t kind = 0; kind < kMostKinds; ++kind) { inner[kind] = std::min(inner[kind], horizons[kind]); }
        choose_tasks(inner);
        if (tasks_.empty()) { break; }
        ++statistics_.inner_windows;
        if (logs_inner_windows_) { profile_.begin_window(least_of(now)); }
        advance_window();
        if (logs_inner_windows_) { profile_.end_window(); }
    }
    if (logs_outer_windows_) { profile_.end_window(); }
    reached_ = horizons;
}

/// The LPs that have something to do before these horizons. Those that have messages to read get them.
[[gnu::hot]] void RankEngine::choose_tasks(const KindTimes& horizons) {
    horizons_ = horizons;
    tasks_.clear();
    parts_.clear();
    for (std::size_t part = 0; part < plan_.parts(); ++part) {
        parts_.push_back(tasks_.size());
        for (const std::uint32_t i : plan_.part(part)) {
            const Time horizon = horizons[kinds_[i]];
            const bool reads = arrival(i) < horizon;
            if (reads) { arrivals_->turn(i); }
            if (reads || own_[i] < horizon) { tasks_.push_back({i, kinds_[i], reads}); }
        }
    }
    parts_.push_back(tasks_.size());
}

/// Now and then, by what the LPs have cost since the last time.
void RankEngine::plan_work() {
    constexpr unsigned kWindows = 256;
    if (plan_.parts() == team_->members() && shared_since_plan_ < kWindows) { return; }
    shared_since_plan_ = 0;
    const std::span<const std::uint64_t> ticks = profile_.ticks();
    std::vector<std::uint64_t> costs(ticks.begin(), ticks.end());
    for (std::size_t i = 0; i < costs.size(); ++i) { costs[i] -= std::exchange(planned_ticks_[i], ticks[i]); }
    plan_.make(team_->members(), costs);
}

[[gnu::hot]] void RankEngine::advance_window() {
    for (const auto& worker : workers_) { worker->router.set_horizons(horizons_); }
    if (team_->has_members() && (shares_always_ || (tasks_.size() > 1 && sharing_.choose(window_ticks_)))) {
        const std::uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
        share([this](std::size_t member) { advance_tasks_as(member); });
        std::uint64_t computed = 0;
        for (const auto& worker : workers_) { computed += std::exchange(worker->computed_ns, 0); }
        if (!shares_always_) {
            sharing_.took(static_cast<double>(nanoseconds_of(CLOCK_MONOTONIC) - begin), static_cast<double>(computed));
        }
        take_batches_of_helpers();
        ++statistics_.shared_windows;
        ++shared_since_plan_;
        plan_work();
    } else {
        std::uint64_t mark = profile_.now();
        for (std::size_t task = 0; task < tasks_.size(); ++task) {
            prefetch_due(task + 1);
            advance_task(*workers_.front(), task, mark);
        }
    }
    count_work();
    window_ticks_ = 0;
    for (const auto& worker : workers_) { window_ticks_ += std::exchange(worker->ticks, 0); }
}

void RankEngine::advance_task(Worker& worker, std::size_t task, std::uint64_t& mark) {
    const std::uint64_t begin = mark;
    const Task& chosen = tasks_[task];
    advance_process(worker, chosen.index, chosen.reads, horizons_[chosen.kind]);
    mark = profile_.advanced(chosen.index, begin);
    worker.ticks += mark - begin;
}

void RankEngine::advance_tasks_as(std::size_t member) {
    Worker& worker = *workers_[member];
    const std::uint64_t begin = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
    std::uint64_t mark = profile_.now();
    team_->work_through(member, [&](std::size_t task) { advance_task(worker, task, mark); });
    worker.computed_ns = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
}

void RankEngine::share(const std::function<void(std::size_t member)>& work) {
    shared_work_ = &work;
    team_->open(parts_);
    work_as(0);
    team_->close();
    if (thrown_) { std::rethrow_exception(std::exchange(thrown_, nullptr)); }
}

/// An exception waits for the team's leader.
void RankEngine::work_as(std::size_t member) {
    try {
        (*shared_work_)(member);
    } catch (...) {
        const std::lock_guard lock(failing_);
        if (!thrown_) { thrown_ = std::current_exception(); }
    }
}

std::function<void()> RankEngine::helper() {
    return [this, team = team_] {
        const std::optional<std::size_t> member = team->join();
        // While there is a window the engine lives.
        for (std::uint32_t last = 0; member && team->next_window(last); team->leave()) { work_as(*member); }
    };
}

void RankEngine::count_work() {
    for (const auto& worker : workers_) {
        statistics_.events += std::exchange(worker->events, 0);
        statistics_.advances += std::exchange(worker->advances, 0);
    }
}

/// Other ranks get one batch, whoever wrote the messages.
void RankEngine::take_batches_of_helpers() {
    for (std::size_t i = 1; i < workers_.size(); ++i) {
        std::vector<Batch>& theirs = workers_[i]->router.batches();
        for (std::size_t number = 0; number < theirs.size(); ++number) {
            if (Batch& from = theirs[number]; from.messages > 0 && LOOKAHEAD_RULE(helpers_messages_go_along)) {
                batch(number).take(from);
            }
        }
    }
}

/// While one LP runs, the messages of the next come into the host's first cache.
void RankEngine::prefetch_due(std::size_t task) const {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kMostLines = 12;
    if (task < tasks_.size() && tasks_[task].reads) {
        const std::size_t index = tasks_[task].index;
        const ByteBuffer& due = workers_.front()->router.inboxes(arrivals_->side(index) ^ 1)[index].arrived;
        const std::size_t bytes = std::min(due.size(), kMostLines * kLine);
        for (std::size_t at = 0; at < bytes; at += kLine) { __builtin_prefetch(due.data() + at); }
    }
}

void RankEngine::settle(Time epoch) {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        const bool reads = arrival(i) < epoch;
        if (reads) { arrivals_->turn(i); }
        advance_process(*workers_.front(), i, reads, epoch);
    }
    count_work();
    for (const Batch& batch : router().batches()) {
        LOOKAHEAD_ASSERT(batch.messages == 0, "an LP sent a message before " + std::to_string(epoch) +
                                                  " fs although it had announced no event before then");
    }
    reached_ = all_at<kMostKinds>(epoch);
}

ProcessCheckpoint RankEngine::checkpoint(std::size_t index) const {
    std::string messages;
    for (const auto& worker : workers_) {
        const ByteBuffer& arrived = worker->router.inboxes(arrivals_->side(index))[index].arrived;
        messages.append(reinterpret_cast<const char*>(arrived.data()), arrived.size());
    }
    return {pointers_[index]->id(), std::move(messages), traffic_[index], hash_process(index, true)};
}

void RankEngine::save_state(std::size_t index, const ByteSink& sink) const {
    state_to(sink, [&](StateArchive& archive) { LpBinding::fields(*pointers_[index], archive); });
}

void RankEngine::restore(Time epoch, const SavedProcesses& all) {
    const std::vector<LpId> ids = all.ids();
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        if (!std::ranges::binary_search(ids, pointers_[i]->id())) {
            throw InputError("the checkpoint has no process " + pointers_[i]->name());
        }
        restore_process(i, all);
    }
    reached_ = all_at<kMostKinds>(epoch);
}

void RankEngine::restore_process(std::size_t index, const SavedProcesses& all) {
    LogicalProcess& process = *pointers_[index];
    const ProcessCheckpoint saved = all.process(process.id());
    state_from(all.state(process.id()), "the state of " + process.name(),
               [&](StateArchive& archive) { LpBinding::fields(process, archive); });
    traffic_[index] = saved.traffic_hash;
    if (hash_process(index, true) != saved.state_hash) {
        throw InputError(process.name() +
                         " is not in the state in which the checkpoint was taken: it is damaged, or of "
                         "another version of the program");
    }
    for (std::size_t at = 0; at < saved.messages.size();) {
        MessageHeader header{};
        const std::size_t left = saved.messages.size() - at;
        if (left >= sizeof header) { std::memcpy(&header, saved.messages.data() + at, sizeof header); }
        if (left < sizeof header || left < header.total_bytes() || header.destination != process.id()) {
            throw InputError("the messages for " + process.name() + " cannot be restored: they are damaged");
        }
        std::memcpy(router().append(header), saved.messages.data() + at + sizeof header, header.payload_bytes());
        at += header.total_bytes();
    }
    own_[index] = process.next_event_time();
}

[[gnu::hot]] void RankEngine::advance_process(Worker& worker, std::size_t index, bool reads, Time horizon) {
    LogicalProcess& process = *pointers_[index];
    own_[index] = kTimeInfinity;
    if (failed_[index] == 0) [[likely]] {
        try {
            if (hands_[index] != &worker) {
                LpBinding::send_through(process, worker.router);
                hands_[index] = &worker;
            }
            const Inbox inbox = collect_due(worker, index, reads, horizon);
            ++worker.advances;
            process.advance(inbox, horizon);
            const Time own = process.next_event_time();
            LOOKAHEAD_ASSERT(own >= horizon, process.name() + " was advanced to " + std::to_string(horizon) +
                                                 " fs but still has an event at " + std::to_string(own) + " fs");
            own_[index] = own;
        } catch (const Error& error) { fail(index, error.code(), error.what()); } catch (const std::exception& error) {
            fail(index, ExitCode::internal, process.name() + ": " + error.what());
        }
    }
    if (reads) { clear_read(index, worker.router.side(index) ^ 1); }
}

/// Calls f for each inbox of an LP that may have something on that side.
template <class F>
void RankEngine::for_each_inbox(std::size_t index, unsigned side, F f) {
    constexpr std::size_t kBits = 64;
    for (std::uint64_t writers = arrivals_->writers(index, side); writers != 0; writers &= writers - 1) {
        for (auto writer = static_cast<std::size_t>(std::countr_zero(writers)); writer < workers_.size();
             writer += kBits) {
            f(workers_[writer]->router.inboxes(side)[index]);
        }
    }
}

void RankEngine::clear_read(std::size_t index, unsigned side) {
    for_each_inbox(index, side, [](LpInbox& inbox) { inbox.clear(); });
    arrivals_->clear(index, side);
}

/// Sorts what is due, and puts what is not among the messages that this worker's LPs send.
[[gnu::hot]] Inbox RankEngine::collect_due(Worker& worker, std::size_t index, bool reads, Time horizon) {
    if (!reads) { return {}; }
    worker.due.clear();
    for_each_inbox(index, worker.router.side(index) ^ 1, [&](LpInbox& inbox) {
        if (inbox.earliest() >= horizon) {
            worker.router.keep_all(index, inbox);
            return;
        }
        const std::byte* at = inbox.arrived.data();
        const std::byte* const end = at + inbox.arrived.size();
        while (at < end) {
            const auto* message = reinterpret_cast<const MessageHeader*>(at);
            if (message->time >= horizon && LOOKAHEAD_RULE(later_messages_wait)) {
                worker.router.keep(index, *message);
            } else {
                worker.due.push_back({message->time, message->order(), message});
            }
            at += message->total_bytes();
        }
    });
    sort_due(worker.due);
    worker.due_pointers.resize(worker.due.size());
    std::uint64_t traffic = traffic_[index];
    for (std::size_t i = 0; i < worker.due.size(); ++i) {
        worker.due_pointers[i] = worker.due[i].message;
        traffic = add_message(traffic, *worker.due[i].message);
    }
    traffic_[index] = traffic;
    worker.events += worker.due.size();
    if (profile_.logs()) [[unlikely]] {
        for (const DueMessage& due : worker.due) { profile_.delivered(index, due.message->channel_number()); }
    }
    return worker.due_pointers;
}

void RankEngine::sort_due(std::vector<DueMessage>& due) {
    constexpr std::size_t kFew = 24;
    const auto sooner = [](const DueMessage& a, const DueMessage& b) {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
    };
    if (due.size() > kFew) {
        std::sort(due.begin(), due.end(), sooner);
        return;
    }
    for (std::size_t i = 1; i < due.size(); ++i) {
        const DueMessage moving = due[i];
        std::size_t place = i;
        for (; place > 0 && LOOKAHEAD_RULE(messages_come_in_order) && sooner(moving, due[place - 1]); --place) {
            due[place] = due[place - 1];
        }
        due[place] = moving;
    }
}

void RankEngine::fail(std::size_t index, ExitCode code, const std::string& sentence) {
    const LogicalProcess& process = *pointers_[index];
    failed_[index] = 1;
    // The horizon depends on the protocol: an error without a time of its own counts as the epoch's last.
    const LpFailure failure{LpBinding::failed_at(process), process.id(), code, sentence};
    const std::lock_guard lock(failing_);
    if (!first_failure_ || std::tie(failure.time, failure.lp) < std::tie(first_failure_->time, first_failure_->lp)) {
        first_failure_ = failure;
    }
}

void RankEngine::reserve_batch_headers(std::size_t header_words) {
    batch_header_bytes_ = Transport::kPacketHeaderBytes + 8 * header_words;
    for (Batch& batch : router().batches()) { batch.bytes.extend(batch_header_bytes_); }
}

std::uint64_t* RankEngine::batch_header(std::size_t number) {
    return reinterpret_cast<std::uint64_t*>(batch(number).bytes.data() + Transport::kPacketHeaderBytes);
}

void RankEngine::reset_batch(std::size_t number, std::size_t sent_bytes) {
    Batch& sent = batch(number);
    ++statistics_.packets;
    statistics_.null_messages += sent.messages == 0;
    statistics_.remote_messages += sent.messages;
    statistics_.remote_bytes += sent_bytes;
    sent.messages = 0;
    sent.bytes.clear();
    sent.bytes.extend(batch_header_bytes_);
}

void RankEngine::deliver(std::span<const std::byte> messages) {
    // The sender of messages that are passed on has reported their bounds, and counts them.
    const SourceTimes told = router().sent();
    const std::byte* at = messages.data();
    const std::byte* const end = at + messages.size();
    while (at < end) {
        const auto* message = reinterpret_cast<const MessageHeader*>(at);
        const bool is_here = is_here_[message->destination];
        statistics_.remote_messages -= !is_here;
        const Time gone_on_to = reached_[lookahead_.kind_of(message->destination)];
        LOOKAHEAD_ASSERT(!is_here || message->time >= gone_on_to, "a message for " + std::to_string(message->time) +
                                                                      " fs came to a rank that had advanced to " +
                                                                      std::to_string(gone_on_to) + " fs");
        std::byte* payload = router().append(*message);
        std::memcpy(payload, message->payload(), message->payload_bytes());
        at += message->total_bytes();
    }
    router().sent() = told;
}

void RankEngine::account(TraceActivity activity) {
    const TraceSink::Clock::time_point now = TraceSink::Clock::now();
    const double seconds = std::chrono::duration<double>(now - mark_).count();
    (activity == TraceActivity::compute ? statistics_.compute_seconds : statistics_.blocked_seconds) += seconds;
    if (trace_ != nullptr) { trace_->span(activity, mark_, now, of_most(reached_)); }
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
    for (const LogicalProcess* process : pointers_) { sum += process->progress(); }
    return sum;
}

std::uint64_t RankEngine::hash_process(std::size_t index, bool with_state) const {
    StateHasher hasher;
    hasher.add(pointers_[index]->id());
    hasher.add(traffic_[index]);
    if (with_state) {
        HashingArchive archive(hasher);
        LpBinding::fields(*pointers_[index], archive);
    }
    return hasher.value();
}

// The LPs' hashes are added, so that the sum does not depend on which rank they are on.
std::uint64_t RankEngine::traffic_hash() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < pointers_.size(); ++i) { sum += hash_process(i, false); }
    return sum;
}

std::uint64_t RankEngine::state_hash() {
    std::atomic<std::uint64_t> sum = 0;
    parts_ = {0, pointers_.size()};
    share([&](std::size_t member) {
        team_->work_through(member, [&](std::size_t index) { sum += hash_process(index, true); });
    });
    return sum;
}

}  // namespace lookahead
