#include "experiments/sweep/ensemble.h"

#include <signal.h>

#include <algorithm>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "core/checkpoint/archived.h"
#include "core/json/json.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/all_gather.h"
#include "experiments/run/stop_signal.h"
#include "experiments/sweep/group_point.h"
#include "experiments/sweep/point_limits.h"

namespace lookahead {

namespace {

/// Rank 0 has the counters: if the network cannot reach its memory by itself, others wait this long for a point.
constexpr auto kLookPatience = std::chrono::milliseconds(2);
constexpr auto kQuietPatience = std::chrono::milliseconds(200);
constexpr auto kElsewherePatience = std::chrono::milliseconds(200);
constexpr int kMostTimesBegun = 3;
constexpr int kBadInput = static_cast<int>(ExitCode::bad_input);

EnsemblePlan shared(const EnsemblePlan& mine, Transport& world) {
    if (world.size() == 1) { return mine; }
    std::string bytes = world.rank() == 0 ? archived(mine.program, mine.points, mine.work) : std::string();
    world.broadcast(bytes);
    if (world.rank() == 0) { return mine; }
    EnsemblePlan plan;
    read_archived(bytes, "the plan of a sweep", plan.program, plan.points, plan.work);
    return plan;
}

struct Slot {
    PointServer* server;
    const SweepPoint* point = nullptr;  ///< null: none
    SweepFolder::Claim claim = {};
    bool resumes = false;  ///< from a checkpoint
    bool is_told = false;  ///< to stop at a checkpoint
};

/// The work of one rank, from its first point to its last.
class Ensemble {
  public:
    Ensemble(const EnsemblePlan& plan, const SweepFolder& folder, const SweepRunOptions& options, Transport& world,
             std::span<PointServer* const> servers, const ReadRequest& read)
        : plan_(plan), folder_(folder), options_(options), world_(world), read_(read) {
        for (PointServer* server : servers) { slots_.push_back({server}); }
    }
    Ensemble(const Ensemble&) = delete;
    Ensemble& operator=(const Ensemble&) = delete;
    /// After an exception no point continues, and nothing half-written remains.
    ~Ensemble() {
        for (Slot& slot : slots_) {
            if (slot.point != nullptr) {
                static_cast<void>(catch_error([&] {
                    slot.server->signal(SIGKILL);
                    slot.server->wait(std::chrono::seconds(10));
                }));
                remove_result(*slot.point);
                forget_if_empty(*slot.point);
            }
        }
    }

    SweepRunResult run() {
        ended_ = world_.make_counter();
        failed_ = world_.make_counter();
        for (std::size_t from = 0; from < plan_.work.size();) {
            const auto behind = std::ranges::find_if(
                plan_.work.begin() + static_cast<std::ptrdiff_t>(from), plan_.work.end(),
                [&](const EnsemblePlan::Work& each) { return each.ranks != plan_.work[from].ranks; });
            const auto to = static_cast<std::size_t>(behind - plan_.work.begin());
            run_alike(std::span(plan_.work).subspan(from, to - from));
            from = to;
        }
        const double all_s = seconds_since(begin_);
        ended_->rest([this] { report(false); });
        report(true);
        failed_.reset();
        ended_.reset();
        return sum_over_ranks(all_s);
    }

  private:
    using Work = std::span<const EnsemblePlan::Work>;

    /// Runs points with the same number of ranks. Ranks left over make a smaller group; no result depends on it.
    void run_alike(Work work) {
        counter_ = world_.make_counter();
        group_ = world_.split(world_.rank() / work.front().ranks);
        if (group_->size() == 1) {
            run_in_processes(work);
        } else {
            run_on_groups(work);
        }
        group_.reset();
        counter_->rest([this] { report(false); });
        counter_.reset();
    }

    const SweepPoint& point_of(const EnsemblePlan::Work& work) const { return plan_.points[work.point]; }

    /// Runs each point in its own process, as many at once as this rank has servers.
    void run_in_processes(Work work) {
        std::deque<const SweepPoint*> elsewhere;
        bool has_more = true;
        Clock::time_point next_look = Clock::now();
        while (true) {
            for (Slot& slot : slots_) {
                while (slot.point == nullptr && has_more && !is_stopped()) {
                    const std::size_t at = counter_->next();
                    has_more = at < work.size();
                    if (has_more && !take(slot, point_of(work[at]))) { elsewhere.push_back(&point_of(work[at])); }
                }
            }
            if (!has_more && options_.waits && !is_stopped() && Clock::now() >= next_look) {
                next_look = Clock::now() + kElsewherePatience;
                take_from(elsewhere);
            }
            std::vector<PointServer*> running;
            for (Slot& slot : slots_) {
                if (slot.point == nullptr) { continue; }
                running.push_back(slot.server);
                if (StopSignal::came() && !std::exchange(slot.is_told, true)) { slot.server->signal(SIGUSR1); }
            }
            if (running.empty() && (is_stopped() || (!has_more && (elsewhere.empty() || !options_.waits)))) { break; }
            PointServer::wait_for_any(running,
                                      world_.rank() == 0 && world_.size() > 1 ? kLookPatience : kQuietPatience);
            for (Slot& slot : slots_) {
                if (slot.point == nullptr) { continue; }
                if (const auto end = slot.server->wait(std::chrono::milliseconds(0))) { end_point(slot, *end); }
            }
            counter_->progress();
            report(false);
        }
        result_.elsewhere += options_.waits ? 0 : elsewhere.size();
        result_.interrupted |= has_more || (options_.waits && !elsewhere.empty());
    }

    /// Idle servers take points of other programs. A point belongs to the program that runs it until either ends.
    void take_from(std::deque<const SweepPoint*>& elsewhere) {
        std::size_t left = elsewhere.size();
        for (Slot& slot : slots_) {
            for (; slot.point == nullptr && left > 0; --left) {
                const SweepPoint* const point = elsewhere.front();
                elsewhere.pop_front();
                if (!take(slot, *point)) { elsewhere.push_back(point); }
            }
        }
    }

    /// Begins a point unless another program runs or has finished it. Returns false if one runs it now.
    bool take(Slot& slot, const SweepPoint& point) {
        auto claim = folder_.claim(point);
        if (!claim) { return false; }
        if (has_end(point)) { return true; }
        slot.point = &point;
        slot.claim = *std::move(claim);
        ++result_.executed;
        begin(slot, folder_.last_checkpoint(point));
        return true;
    }

    void begin(Slot& slot, const std::string& checkpoint) {
        slot.resumes = !checkpoint.empty();
        slot.is_told = false;
        slot.server->begin({arguments_of(*slot.point, checkpoint), options_});
    }

    void end_point(Slot& slot, const PointEnd& end) {
        if (end.exit_code == kBadInput && slot.resumes) {
            forget_checkpoints(*slot.point);
            begin(slot, {});
            return;
        }
        const SweepFolder::Claim claim = std::move(slot.claim);  // held until the point's files are in place
        finish(*std::exchange(slot.point, nullptr), end);
    }

    void forget_if_empty(const SweepPoint& point) const {
        if (folder_.last_checkpoint(point).empty()) { folder_.remove_checkpoints(point); }
    }

    /// Removes checkpoints with which a point does not continue.
    void forget_checkpoints(const SweepPoint& point) {
        folder_.require_room();  // else the result could not be written
        folder_.remove_checkpoints(point);
    }

    void run_on_groups(Work work) {
        std::vector<const SweepPoint*> elsewhere;
        for (std::size_t at = next(); at < work.size(); at = next()) {
            if (!take_on_group(point_of(work[at]))) { elsewhere.push_back(&point_of(work[at])); }
        }
        wait_for_others(std::move(elsewhere));
    }

    bool leads() const { return group_->rank() == 0; }

    /// Makes the number the same on every rank of the group.
    std::uint64_t agreed(std::uint64_t number) {
        if (group_->size() > 1) {
            std::string text = std::to_string(number);
            group_->broadcast(text);
            number = std::stoull(text);
        }
        return number;
    }

    std::size_t next() {
        constexpr std::uint64_t kNone = UINT64_MAX;
        if (!leads()) { return agreed(kNone); }
        result_.interrupted |= StopSignal::came();
        return agreed(result_.interrupted ? kNone : counter_->next());
    }

    /// Also true after a signal that only a point received.
    bool is_stopped() const { return StopSignal::came() || result_.interrupted; }

    enum class Decision : std::uint64_t { elsewhere, ended, run };

    /// Runs a point unless another program runs or has finished it. Returns false if one runs it now.
    bool take_on_group(const SweepPoint& point) {
        SweepFolder::Claim claim;
        Decision decision = Decision::ended;
        if (leads()) {
            auto mine = folder_.claim(point);
            decision = !mine ? Decision::elsewhere : has_end(point) ? Decision::ended : Decision::run;
            if (mine) { claim = *std::move(mine); }
        }
        decision = static_cast<Decision>(agreed(static_cast<std::uint64_t>(decision)));
        if (decision == Decision::run) { run_point(point); }
        return decision != Decision::elsewhere;
    }

    /// Whether the point has a result or a failure. One that has ended too many jobs counts as failed.
    bool has_end(const SweepPoint& point) {
        PointState state = folder_.state(point);
        const int times = group_->size() > 1 ? folder_.times_begun(point) : 0;
        if (state.status == PointStatus::missing && times >= kMostTimesBegun) {
            state.status = PointStatus::failed;
            state.exit_code = kOverrunCode;
            state.message = fmt::format("the jobs that ran it ended without a message, {} times", times);
            folder_.record_failure(point, state);
            folder_.forget_begun(point);
        }
        if (state.status != PointStatus::missing) { count(state.status == PointStatus::complete); }
        return state.status != PointStatus::missing;
    }

    /// Waits until other programs have finished their points, and takes those whose program ends.
    void wait_for_others(std::vector<const SweepPoint*> elsewhere) {
        if (!options_.waits) {
            result_.elsewhere += elsewhere.size();
            return;
        }
        std::vector<const SweepPoint*> still;
        while (agreed(leads() && !elsewhere.empty() && !is_stopped()) != 0) {
            for (const auto until = Clock::now() + kElsewherePatience; leads() && Clock::now() < until;) {
                std::this_thread::sleep_for(kLookPatience);
                counter_->progress();
                report(false);
            }
            still.clear();
            for (const SweepPoint* const point : elsewhere) {
                if (agreed(leads() && is_stopped()) != 0 || !take_on_group(*point)) { still.push_back(point); }
            }
            elsewhere.swap(still);
        }
        result_.interrupted |= leads() && !elsewhere.empty();
    }

    std::vector<std::string> arguments_of(const SweepPoint& point, const std::string& checkpoint) const {
        std::vector<std::string> arguments{"run"};
        if (checkpoint.empty()) {
            arguments.insert(arguments.end(), point.arguments.begin(), point.arguments.end());
        } else {
            arguments = {"resume", checkpoint};
        }
        arguments.insert(arguments.end(),
                         {"--out", folder_.temporary_file(point), "--checkpoint-dir",
                          folder_.make_checkpoint_folder(point), "--json", "--progress", "none", "--threads", "1"});
        return arguments;
    }

    void run_point(const SweepPoint& point) {
        if (leads()) { ++result_.executed; }
        const std::string checkpoint = leads() ? folder_.last_checkpoint(point) : std::string();
        PointEnd end = attempt(point, checkpoint);
        if (agreed(leads() && end.exit_code == kBadInput && !checkpoint.empty()) != 0) {
            if (leads()) { forget_checkpoints(point); }
            end = attempt(point, {});
        }
        if (leads()) { finish(point, end); }
    }

    PointEnd attempt(const SweepPoint& point, const std::string& checkpoint) {
        std::string text;
        if (leads()) { text = Json(arguments_of(point, checkpoint)).text(); }
        group_->broadcast(text);
        const auto line = Json::parse(text).as_texts();
        if (leads()) { folder_.note_begun(point, folder_.times_begun(point) + 1); }
        const PointEnd end = run_on_group([&] { return read_(line, *group_); }, options_, folder_, point, *group_);
        if (leads()) { folder_.forget_begun(point); }
        return end;
    }

    void finish(const SweepPoint& point, PointEnd end) {
        const std::string result = folder_.temporary_file(point);
        if (end.exit_code == static_cast<int>(ExitCode::done)) {
            end.message = fault_of_result(point, result, plan_.program);
            end.exit_code = static_cast<int>(end.message.empty() ? ExitCode::done : ExitCode::bad_input);
        }
        result_.points_s += end.wall_s * group_->size();
        if (end.exit_code == static_cast<int>(ExitCode::done)) {
            const std::string file = folder_.result_file(point);
            std::error_code error;
            std::filesystem::rename(result, file, error);
            if (error) {
                remove_result(point);
                forget_if_empty(point);
                throw InputError("{}: the result of a point cannot be renamed: {}", file, error.message());
            }
            folder_.remove_checkpoints(point);
            count(true);
            return;
        }
        remove_result(point);
        if (end.exit_code == static_cast<int>(ExitCode::stopped_at_checkpoint)) {
            --result_.executed;
            result_.interrupted = true;
            return;
        }
        folder_.require_room();
        folder_.remove_checkpoints(point);
        folder_.record_failure(point, {PointStatus::failed, end.exit_code, message_of(end), end.wall_s});
        count(false);
    }

    void remove_result(const SweepPoint& point) const {
        for (const char* suffix : {"", ".partial"}) {
            std::error_code ignored;  // it may not be there
            std::filesystem::remove(folder_.temporary_file(point) + suffix, ignored);
        }
    }

    std::string message_of(const PointEnd& end) const {
        if (end.overrun == PointEnd::Overrun::time) { return time_overrun(options_.timeout_s); }
        return end.overrun == PointEnd::Overrun::memory ? memory_overrun(options_.memory_bytes) : end.message;
    }

    void count(bool is_complete) {
        ++(is_complete ? result_.complete : result_.failed);
        if (!is_complete) { failed_->next(); }
        ended_->next();
    }

    SweepRunResult sum_over_ranks(double all_s) {
        result_.all_s = all_s;
        SweepRunResult sum;
        for (const SweepRunResult& each : all_gather(world_, result_)) {
            sum.complete += each.complete;
            sum.failed += each.failed;
            sum.executed += each.executed;
            sum.interrupted |= each.interrupted;
            sum.elsewhere += each.elsewhere;
            sum.points_s += each.points_s;
            sum.all_s += world_.size() > 1 ? each.all_s : 0;
        }
        return sum;
    }

    void report(bool last) {
        constexpr auto kInterval = std::chrono::seconds(2);
        if (world_.rank() != 0 || options_.progress == ProgressMode::none || plan_.work.empty() ||
            (!last && Clock::now() < next_report_)) {
            return;
        }
        next_report_ = Clock::now() + kInterval;
        const auto ended = static_cast<double>(ended_->value());
        const double rate = ended / std::max(seconds_since(begin_), 1e-3);
        const double left = ended == 0 ? -1 : (static_cast<double>(plan_.work.size()) - ended) / rate;
        std::fprintf(stderr, "%.0f of %zu points, %ju failed, %.2f points/s, %s left\n", ended, plan_.work.size(),
                     static_cast<std::uintmax_t>(failed_->value()), rate, duration_text(left).c_str());
    }

    const EnsemblePlan& plan_;
    const SweepFolder& folder_;
    const SweepRunOptions& options_;
    Transport& world_;
    const ReadRequest& read_;
    std::vector<Slot> slots_;
    std::unique_ptr<SharedCounter> ended_;    ///< points ended, by all ranks
    std::unique_ptr<SharedCounter> failed_;   ///< points failed
    std::unique_ptr<SharedCounter> counter_;  ///< points of a kind that have been taken
    std::unique_ptr<Transport> group_;
    SweepRunResult result_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point next_report_ = begin_ + std::chrono::seconds(2);
};

}  // namespace

SweepRunResult run_ensemble(const EnsemblePlan& mine, const SweepFolder& folder, const SweepRunOptions& options,
                            Transport& world, std::span<PointServer* const> servers, const ReadRequest& read) {
    const EnsemblePlan plan = shared(mine, world);
    SweepRunResult result = Ensemble(plan, folder, options, world, servers, read).run();
    result.complete += mine.complete;
    result.failed += mine.failed;
    return result;
}

}  // namespace lookahead
