// `partition`: what a partition of a machine over ranks looks like.
#include <cstdio>
#include <memory>

#include "components/machine/machine.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"
#include "experiments/results/run_profile.h"
#include "partitioning/partitioners/partition.h"
#include "partitioning/placement/partition_report.h"
#include "partitioning/placement/speedup_prediction.h"

namespace lookahead::cli {

namespace {

struct PartitionOptions {
    MachineOptions machine;
    std::string partitioner = "graph";
    int ranks = 2;
    std::string weights;
    std::string predict;
    SynchronisationCost cost;
    double window_us = cost.window_seconds * 1e6;
    double message_ns = cost.message_seconds * 1e9;
};

void print_prediction(const PartitionOptions& options, const Model& model, std::span<const int> rank_of_lp) {
    const WindowLog log = read_window_log(options.predict, model);
    const SynchronisationCost cost{options.window_us * 1e-6, options.message_ns * 1e-9};
    const LoggedWindows windows{log.nanoseconds, log.messages, model.processes().size()};
    std::printf("%s", predict_speedup(windows, rank_of_lp, options.ranks, cost).text(cost).c_str());
}

ExitCode show_partition(const PartitionOptions& options, const Session& session) {
    const Configuration configuration = options.machine.configuration();
    const gpu::Machine machine(configuration, {}, [](Device&) {});
    const Model& model = machine.model();
    std::vector<double> work;
    if (!options.weights.empty()) {
        work = read_process_seconds(options.weights, model);
    }
    const std::vector<int> rank_of_lp = partition(model, options.ranks, options.partitioner, work);
    if (!session.prints()) {
        return ExitCode::done;
    }
    std::fputs(report_partition(model, rank_of_lp, options.ranks, work).text().c_str(), stdout);
    std::printf("\n");
    if (!options.predict.empty()) {
        print_prediction(options, model, rank_of_lp);
        return ExitCode::done;
    }
    for (std::size_t i = 0; i < rank_of_lp.size(); ++i) {
        std::printf("%-12s rank %d\n", model.processes()[i].name.c_str(), rank_of_lp[i]);
    }
    return ExitCode::done;
}

}  // namespace

void add_partition_command(Command program, Session& session) {
    Command command = program.add_command(
        "partition", "Show how a machine's logical processes are given to ranks: load, cut, lookahead between ranks.");
    auto options = std::make_shared<PartitionOptions>();
    options->machine.add_to(command);
    command.add_option("PARTITIONER", options->partitioner, "linear, round_robin, graph, or a file").show_default();
    command.add_option("--ranks", options->ranks, "How many ranks").in_range(1, 4096).show_default();
    command.add_option("--weights", options->weights,
                       "Balance by the costs that this earlier run's result file has, instead of by estimates");
    command.add_option("--predict", options->predict,
                       "Result file of a run with --log-windows: compute its time on this partition");
    command
        .add_option("--window-us", options->window_us,
                    "For --predict: cost of an empty window on two ranks (`mpirun -n 2 lookahead bench window`)")
        .not_negative()
        .show_default();
    command
        .add_option("--message-ns", options->message_ns,
                    "For --predict: what a message to another rank costs more than one within a rank")
        .not_negative()
        .show_default();
    command.when_given(
        [&session, options] { session.action = [&session, options] { return show_partition(*options, session); }; });
}

}  // namespace lookahead::cli
