// `partition`: shows the partition of a machine over ranks.
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

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
    std::string partitioner = kDefaultPartitioner;
    int ranks = 2;
    std::string weights;
    std::string predict;
    std::optional<int> nodes;  ///< one rank per node
    Cluster cluster;
    bool json = false;
};

/// By window: 1 for an epoch's first window.
std::vector<std::uint8_t> first_windows_of_epochs(const WindowLog& log, Time epoch_length) {
    std::vector<std::uint8_t> first(log.start.size(), 0);
    for (std::size_t window = 1; window < first.size(); ++window) {
        first[window] = log.start[window] / epoch_length != log.start[window - 1] / epoch_length;
    }
    return first;
}

void print_prediction(const PartitionOptions& options, const Model& model, std::span<const int> rank_of_lp) {
    const WindowLog log = read_window_log(options.predict, model);
    const std::vector<std::uint8_t> begins_epoch = first_windows_of_epochs(log, read_epoch_length(options.predict));
    const LoggedWindows windows{log.nanoseconds, log.messages, model.processes().size(), begins_epoch};
    Cluster cluster = options.cluster;
    cluster.ranks = options.ranks;
    cluster.nodes = options.nodes.value_or(options.ranks);
    const SpeedupPrediction prediction = predict_speedup(windows, rank_of_lp, cluster);
    say("{}", options.json ? fmt::format("{}\n", prediction.json()) : prediction.text());
}

ExitCode show_partition(const PartitionOptions& options, const Session& session) {
    const Configuration configuration = options.machine.configuration();
    if (options.nodes > options.ranks) {
        throw ConfigurationError("{} ranks cannot be on {} nodes; give each node at least one", options.ranks,
                                 *options.nodes);
    }
    if (options.json && options.predict.empty()) {
        throw ConfigurationError("--json prints the results of --predict; give --predict, too");
    }
    const gpu::Machine machine(configuration, {}, [](Device&) {});
    const Model& model = machine.model();
    std::vector<double> work;
    if (!options.weights.empty()) { work = read_process_seconds(options.weights, model); }
    const std::vector<int> rank_of_lp = partition(model, options.ranks, options.partitioner, work);
    if (!session.prints()) { return ExitCode::done; }
    if (!options.json) {
        std::fputs(report_partition(model, rank_of_lp, options.ranks, work).text().c_str(), stdout);
        say("\n");
    }
    if (!options.predict.empty()) {
        print_prediction(options, model, rank_of_lp);
        return ExitCode::done;
    }
    for (std::size_t i = 0; i < rank_of_lp.size(); ++i) {
        say("{:12} rank {}\n", model.processes()[i].name, rank_of_lp[i]);
    }
    return ExitCode::done;
}

}  // namespace

void add_partition_command(Command program, Session& session) {
    Command command = program.add_command(
        "partition",
        "Show how a machine's logical processes are assigned to ranks: load, cut, lookahead between ranks.");
    auto options = std::make_shared<PartitionOptions>();
    options->machine.add_to(command);
    command.add_option("PARTITIONER", options->partitioner, "linear, round_robin, by_kind, graph, or a file")
        .show_default();
    command.add_option("--ranks", options->ranks, "Number of ranks").in_range(1, 4096).show_default();
    command.add_option("--weights", options->weights,
                       "Balance by the costs in this earlier run's result file, instead of by estimates");
    command.add_option("--predict", options->predict,
                       "Result file of a run with --log-windows: compute its time on this partition");
    command.add_option("--nodes", options->nodes, "For --predict: the number of nodes [one per rank]")
        .in_range(1, 4096);
    command.add_option("--threads", options->cluster.threads, "For --predict: threads per rank")
        .in_range(1, 1024)
        .show_default();
    const auto add_number = [&](const char* name, double& value, const std::string& help) {
        return command.add_option(name, value, fmt::format("For --predict: {}", help)).show_default();
    };
    const auto add_cost = [&](const char* name, double& value, const std::string& help) {
        add_number(name, value, help).not_negative();
    };
    Cluster& cluster = options->cluster;
    add_cost("--latency-us", cluster.latency_us, "latency of a packet between two nodes");
    add_cost("--local-latency-us", cluster.local_latency_us, "latency of a packet between two ranks of a node");
    add_number("--bandwidth", cluster.gigabytes_per_s, "bandwidth of a node's link to the others, in GB/s").positive();
    add_cost("--packet-us", cluster.packet_us, "a core's time to send a packet, and again to receive it");
    add_cost("--message-ns", cluster.message_ns,
             "a core's time to write a message into a packet, and again to read it");
    add_cost("--message-bytes", cluster.message_bytes, "mean size of a message with its header");
    add_cost("--process-ns", cluster.process_ns, "time to find out whether a process has work in a window");
    add_cost("--share-us", cluster.share_us, "time to start and end a window for a rank's threads");
    add_number("--core-slowdown", cluster.slowdown, "slowdown of a thread's core while the rank's other cores are busy")
        .positive();
    add_number(
        "--rank-slowdown", cluster.rank_slowdown,
        "slowdown of a core while the cores of the node's other ranks are busy, each with a part of the processes")
        .positive();
    add_number("--half-work", cluster.half_work,
               "computing time of a window in two halves, over that of the whole window")
        .positive();
    command.add_flag("--json", options->json, "For --predict: print one JSON object on stdout and nothing else");
    session.on(command, [&session, options] { return show_partition(*options, session); });
}

}  // namespace lookahead::cli
