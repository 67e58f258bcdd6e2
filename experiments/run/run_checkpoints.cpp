#include "experiments/run/run_checkpoints.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "core/error/error.h"
#include "core/transport/agreement/agreement.h"

namespace lookahead {

std::string checkpoint_stem(const RunRequest& request) {
    return (std::filesystem::path(request.checkpoint_folder) / request.workload).string();
}

void RunCheckpoints::check(const Checkpoint& checkpoint) const {
    if (!std::ranges::equal(model_.processes(), checkpoint.names, {}, &LpDescription::name)) {
        throw InputError("the checkpoint belongs to a machine with other processes");
    }
    if (request_.max_cycles == checkpoint.max_cycles && request_.max_instructions == checkpoint.max_instructions &&
        run_id_ != checkpoint.run_id) {
        throw InputError(
            "the checkpoint belongs to run {}, but its inputs now give run {}: has its energy table changed?",
            checkpoint.run_id, run_id_);
    }
}

bool RunCheckpoints::take(Time time, std::uint64_t cycle, const RunningProcesses& local,
                          const SeriesCollector& series) {
    const std::string path = fmt::format("{}-{}-{}{}", checkpoint_stem(request_), run_id_, cycle, kCheckpointSuffix);
    std::string own_rows;
    std::optional<CheckpointWriter> writer;  // on rank 0 only
    auto error = agree_on_error(transport_, catch_error([&] {
                                    own_rows = series.to_bytes();
                                    if (transport_.rank() == 0) { writer.emplace(path); }
                                }));
    if (!error) {
        const auto rows = transport_.gather(own_rows);
        error = agree_on_error(transport_, catch_error([&] {
                                   gather_processes(transport_, local, writer ? &*writer : nullptr);
                                   if (writer) {
                                       writer->finish(describe(time, cycle, series, rows));
                                       keep_latest(path);
                                   }
                               }));
    }
    if (error && error->code == ExitCode::internal) { throw_as_its_kind(*error); }
    if (error && transport_.rank() == 0) {
        std::fprintf(stderr, "lookahead: warning: no checkpoint at cycle %llu, and the run continues: %s\n",
                     static_cast<unsigned long long>(cycle), error->sentence.c_str());
    }
    if (!error) { last_ = path; }
    return !error;
}

/// `rows`: each rank's rows of the time series.
Checkpoint RunCheckpoints::describe(Time time, std::uint64_t cycle, SeriesCollector series,
                                    const std::vector<std::string>& rows) {
    for (std::size_t rank = 1; rank < rows.size(); ++rank) { series.merge(rows[rank]); }
    Checkpoint checkpoint{.run_id = run_id_,
                          .workload = request_.workload,
                          .size = request_.size,
                          .seed = request_.context.seed,
                          .machine = request_.machine,
                          .configuration = configuration_,
                          .max_cycles = request_.max_cycles,
                          .max_instructions = request_.max_instructions,
                          .inputs = inputs_,
                          .cycle = cycle,
                          .time = time,
                          .names = {},
                          .series = series.to_bytes()};
    for (const LpDescription& process : model_.processes()) { checkpoint.names.push_back(process.name); }
    return checkpoint;
}

void RunCheckpoints::keep_latest(const std::string& path) {
    written_.push_back(path);
    if (request_.checkpoint_keep != 0 && written_.size() > request_.checkpoint_keep) {
        std::error_code ignored;  // it may already have been removed
        std::filesystem::remove(written_.front(), ignored);
        written_.pop_front();
    }
}

}  // namespace lookahead
