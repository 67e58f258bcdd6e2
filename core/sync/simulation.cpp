#include "core/sync/simulation.h"

#include <algorithm>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/checkpoint/archived.h"
#include "core/lp/audit.h"
#include "core/sync/rank_engine.h"
#include "core/sync/source_lookahead.h"
#include "core/sync/sync_protocol.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/all_gather.h"

namespace lookahead {
namespace {

constexpr std::size_t kMostNamed = 20;  ///< LPs or faults in a message

struct RankSummary {
    Time earliest;
    std::uint64_t progress;
    std::uint64_t traffic_hash;
    std::uint64_t failed;  ///< ExitCode of the first error of its LPs
    Time failed_at;
    std::uint64_t failed_lp;
    std::uint64_t asked_to_stop;
    std::uint64_t error;  ///< ExitCode of what went wrong outside its LPs
};

/// The first 20 of `count` sentences, and how many more there are.
std::string first_of(std::span<const std::string> sentences, std::size_t count) {
    const std::string named =
        fmt::format("{}", fmt::join(sentences.first(std::min(sentences.size(), kMostNamed)), "; "));
    return count > kMostNamed ? fmt::format("{}; and {} more", named, count - kMostNamed) : named;
}

}  // namespace

class Simulation::Implementation {
  public:
    Implementation(const Model& model, std::vector<int> rank_of_lp, Transport& transport, SimulationOptions options)
        : transport_(transport),
          options_(std::move(options)),
          lookahead_(model, rank_of_lp, transport.rank(), transport.size()),
          processes_(model.processes().size()),
          earliest_(static_cast<std::size_t>(transport.size())) {
        options_.threads = std::max<std::size_t>(options_.threads, 1);
        const SyncDescription& protocol = find_sync_protocol(options_.sync, transport.size());
        if (options_.epoch_length <= 0) {
            throw ConfigurationError("an epoch of {} fs is too short; give at least 1 fs", options_.epoch_length);
        }
        if (options_.log_windows && !protocol.has_common_windows) {
            throw ConfigurationError(
                "the protocol {} has no windows that all ranks share, so none can be logged; use window",
                options_.sync);
        }
        const bool in_rounds = transport.size() > protocol.most_direct ||
                               (options_.rounds_always && protocol.most_direct < protocol.most_ranks);
        routes_.emplace(transport.rank(), transport.size(), in_rounds);
        const RankError mine =
            catch_error([&] { engine_.emplace(model, rank_of_lp, transport.rank(), lookahead_, *routes_, options_); });
        if (const auto error = agree_on_error(transport_, mine)) { throw_as_its_kind(*error); }
        protocol_ = protocol.make({*engine_, transport_, lookahead_, *routes_, options_.halves_always});
    }

    void restore(Time time, const SavedProcesses& all);
    SimulationResult run();
    std::span<LogicalProcess* const> processes() { return engine_->processes().all(); }
    std::function<void()> helper() { return engine_->helper(); }

  private:
    std::optional<RankError> summarise(RankError error);
    bool report_epoch(SimulationResult&);
    bool fails(SimulationResult&, const std::optional<RankError>& error);
    void report_failure(SimulationResult&);
    void report_deadlock(SimulationResult&);
    void audit(SimulationResult&);
    void complete(SimulationResult&);

    Transport& transport_;
    SimulationOptions options_;
    SourceLookahead lookahead_;
    std::size_t processes_;  ///< of all ranks
    std::optional<Routes> routes_;
    std::optional<RankEngine> engine_;
    std::unique_ptr<SyncProtocol> protocol_;
    std::vector<RankSummary> summaries_;
    std::vector<Time> earliest_;
    Time first_ = 0;
    EpochReport report_{};
    RankError observed_;                   ///< of this rank's observer; the others learn of it at the next epoch
    const RankSummary* failed_ = nullptr;  ///< of the rank with the first error of an LP, if any has one
};

SimulationResult Simulation::Implementation::run() {
    SimulationResult result;
    summarise({});
    while (first_ < kTimeInfinity) {
        const Time boundary = epoch_after(first_, options_.epoch_length);
        protocol_->run_epoch(earliest_, boundary);
        RankError settled = catch_error([&] { engine_->settle(boundary); });
        ++engine_->statistics().epochs;
        result.end_time = boundary;
        if (fails(result, summarise(observed_.code != ExitCode::done ? observed_ : std::move(settled)))) { break; }
        report_.time = boundary;
        report_.index = static_cast<std::uint64_t>(boundary / options_.epoch_length);
        if (failed_->failed != 0) {
            report_failure(result);
            break;
        }
        if (!report_epoch(result)) { break; }
    }
    if (result.outcome != Outcome::failed) { fails(result, agree_on_error(transport_, observed_)); }
    if (result.outcome == Outcome::finished) { report_deadlock(result); }
    if (result.outcome == Outcome::finished) { audit(result); }
    complete(result);
    engine_->dismiss_helpers();
    return result;
}

/// Gathers the state of all ranks at this epoch. Returns, on all ranks, the error of the first rank that has one.
std::optional<RankError> Simulation::Implementation::summarise(RankError error) {
    const RankProcesses& processes = engine_->processes();
    const std::optional<LpFailure>& failure = processes.failure();
    summaries_ = all_gather(
        transport_, RankSummary{.earliest = least_of(processes.pending()),
                                .progress = processes.progress(),
                                .traffic_hash = processes.traffic_hash(),
                                .failed = static_cast<std::uint64_t>(failure ? failure->code : ExitCode::done),
                                .failed_at = failure ? failure->time : kTimeInfinity,
                                .failed_lp = failure ? failure->lp : ~std::uint64_t{0},
                                .asked_to_stop = options_.observer != nullptr && options_.observer->asked_to_stop(),
                                .error = static_cast<std::uint64_t>(error.code)});
    first_ = kTimeInfinity;
    report_.progress = 0;
    report_.traffic_hash = 0;
    report_.asked_to_stop = false;
    std::vector<std::uint64_t> codes(summaries_.size());
    for (std::size_t rank = 0; rank < summaries_.size(); ++rank) {
        const RankSummary& summary = summaries_[rank];
        earliest_[rank] = summary.earliest;
        first_ = std::min(first_, summary.earliest);
        report_.progress += summary.progress;
        report_.traffic_hash += summary.traffic_hash;
        report_.asked_to_stop |= summary.asked_to_stop != 0;
        codes[rank] = summary.error;
    }
    failed_ = &*std::ranges::min_element(
        summaries_, {}, [](const RankSummary& summary) { return std::pair(summary.failed_at, summary.failed_lp); });
    return first_error(transport_, std::move(error), codes);
}

/// Returns false if the run ends here.
bool Simulation::Implementation::report_epoch(SimulationResult& result) {
    if (options_.observer == nullptr) { return true; }
    RankError mine = catch_error([&] { options_.observer->on_epoch(report_, engine_->processes().all()); });
    if (observed_.code == ExitCode::done) { observed_ = std::move(mine); }
    const bool keeps = options_.observer->wants_checkpoint(report_);
    if (first_ == kTimeInfinity) { return true; }
    if (keeps) {
        RankError written = catch_error([&] { options_.observer->write_checkpoint(report_, engine_->processes()); });
        if (fails(result, agree_on_error(transport_, std::move(written)))) { return false; }
    }
    if (options_.observer->stop(report_)) {
        result.outcome = Outcome::stopped;
        return false;
    }
    return true;
}

/// Returns whether any rank has an error, and puts it into the result.
bool Simulation::Implementation::fails(SimulationResult& result, const std::optional<RankError>& error) {
    if (error) {
        result.outcome = Outcome::failed;
        result.code = error->code;
        result.message = error->sentence;
    }
    return error.has_value();
}

void Simulation::Implementation::restore(Time time, const SavedProcesses& all) {
    const RankError mine = catch_error([&] {
        const std::size_t saved = all.ids().size();
        if (saved != processes_) {
            throw InputError("the checkpoint has {} processes, the machine {}", saved, processes_);
        }
        engine_->restore(time, all);
    });
    if (const auto error = agree_on_error(transport_, mine)) { throw_as_its_kind(*error); }
}

void Simulation::Implementation::report_failure(SimulationResult& result) {
    const auto rank = static_cast<int>(failed_ - summaries_.data());
    std::string sentence = transport_.rank() == rank ? engine_->processes().failure()->sentence : "";
    transport_.broadcast(sentence, rank);
    fails(result, RankError{static_cast<ExitCode>(failed_->failed), sentence});
}

/// Called when no event is left: an LP that still waits will wait for ever.
void Simulation::Implementation::report_deadlock(SimulationResult& result) {
    std::vector<std::pair<std::uint64_t, std::string>> waiting;
    for (const LogicalProcess* process : engine_->processes().all()) {
        if (!process->finished()) {
            std::string sentence = fmt::format("{} waits for {}", process->name(), process->waiting_for());
            std::replace(sentence.begin(), sentence.end(), '\n', ' ');
            waiting.emplace_back(process->id(), std::move(sentence));
        }
    }
    const std::vector<std::size_t> counts = all_gather(transport_, waiting.size());
    const std::size_t count = std::reduce(counts.begin(), counts.end());
    if (count == 0) { return; }
    // Each rank's first 20 suffice, since the lists ascend by id.
    waiting.resize(std::min(waiting.size(), kMostNamed));
    std::string report;
    if (const std::vector<std::string> parts = transport_.gather(archived(waiting)); transport_.rank() == 0) {
        std::map<std::uint64_t, std::string> all;
        for (const std::string& part : parts) {
            read_archived(part, "what another rank waits for", waiting);
            all.insert(waiting.begin(), waiting.end());
        }
        std::vector<std::string> sentences;
        for (const auto& each : all) { sentences.push_back(each.second); }
        report = fmt::format("deadlock at {} fs: no event is left, but {} logical processes still wait: {}",
                             result.end_time, count, first_of(sentences, count));
    }
    transport_.broadcast(report);
    result.outcome = Outcome::deadlock;
    result.code = ExitCode::program_misbehaved;
    result.message = report;
}

/// Checks, after a complete run, that the books of all LPs balance.
void Simulation::Implementation::audit(SimulationResult& result) {
    Audit audit;
    for (const LogicalProcess* process : engine_->processes().all()) { process->audit(audit); }
    std::string report;
    const std::vector<std::string> parts = transport_.gather(audit.to_bytes());
    if (transport_.rank() == 0) {
        for (std::size_t rank = 1; rank < parts.size(); ++rank) { audit.merge(parts[rank]); }
        if (const auto faults = audit.faults(); !faults.empty()) {
            report = fmt::format("the run's books do not balance at its end: {}", first_of(faults, faults.size()));
        }
    }
    transport_.broadcast(report);
    if (!report.empty()) { fails(result, RankError{ExitCode::internal, report}); }
}

void Simulation::Implementation::complete(SimulationResult& result) {
    if (result.outcome != Outcome::failed) {
        const std::vector<std::uint64_t> hashes = all_gather(transport_, engine_->state_hash());
        result.state_hash = std::reduce(hashes.begin(), hashes.end());
    }
    result.progress = report_.progress;
    result.per_rank = all_gather(transport_, engine_->statistics());
    result.profile = gather_profile(transport_, engine_->profile(), processes_);
}

Simulation::Simulation(const Model& model, std::vector<int> rank_of_lp, Transport& transport, SimulationOptions options)
    : implementation_(std::make_unique<Implementation>(model, std::move(rank_of_lp), transport, std::move(options))) {}

Simulation::~Simulation() = default;

void Simulation::restore(Time time, const SavedProcesses& all) {
    implementation_->restore(time, all);
}

SimulationResult Simulation::run() {
    return implementation_->run();
}

std::function<void()> Simulation::helper() {
    return implementation_->helper();
}

std::span<LogicalProcess* const> Simulation::local_processes() {
    return implementation_->processes();
}

}  // namespace lookahead
