// `partition`: what a partition of a machine over ranks looks like.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "components/machine/machine.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"
#include "partitioning/partitioners/partition.h"
#include "partitioning/placement/partition_report.h"

namespace lookahead::cli {

namespace {

struct PartitionOptions {
    MachineOptions machine;
    std::string partitioner = "graph";
    int ranks = 2;
};

ExitCode show_partition(const PartitionOptions& options, const Session& session) {
    const Configuration configuration = options.machine.configuration();
    const gpu::Machine machine(configuration, {}, [](Device&) {});
    const std::vector<int> rank_of_lp = partition(machine.model(), options.ranks, options.partitioner);
    if (!session.prints()) {
        return ExitCode::done;
    }
    std::fputs(report_partition(machine.model(), rank_of_lp, options.ranks).text().c_str(), stdout);
    std::printf("\n");
    for (std::size_t i = 0; i < rank_of_lp.size(); ++i) {
        std::printf("%-12s rank %d\n", machine.model().processes()[i].name.c_str(), rank_of_lp[i]);
    }
    return ExitCode::done;
}

}  // namespace

void add_partition_command(CLI::App& program, Session& session) {
    CLI::App* command = program.add_subcommand(
        "partition", "Show how a machine's logical processes are given to ranks: load, cut, lookahead between ranks.");
    auto options = std::make_shared<PartitionOptions>();
    options->machine.add_to(*command);
    command->add_option("PARTITIONER", options->partitioner, "linear, round_robin, graph, or a file")
        ->capture_default_str();
    command->add_option("--ranks", options->ranks, "How many ranks")->check(CLI::Range(1, 4096))->capture_default_str();
    command->callback(
        [&session, options] { session.action = [&session, options] { return show_partition(*options, session); }; });
}

}  // namespace lookahead::cli
