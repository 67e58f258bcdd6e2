#include <doctest/doctest.h>
#include <mpi.h>

#include <string>

#include "experiments/results/run_diff.h"
#include "experiments/results/run_writer.h"
#include "experiments/results/series_collector.h"
#include "experiments/results/statistics_collector.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead {
namespace {

constexpr StatisticDescription kCycles{"cycles", "cycle", "Cycles with work."};
constexpr int kComponents = 7;

int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int size_of_world() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/// Sends the bytes of every other rank to rank 0, which merges them.
template <class Collector>
void gather(Collector& collector) {
    if (rank_of_world() != 0) {
        const std::string bytes = collector.to_bytes();
        MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        return;
    }
    for (int rank = 1; rank < size_of_world(); ++rank) {
        MPI_Status status;
        MPI_Probe(rank, 0, MPI_COMM_WORLD, &status);
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        std::string bytes(static_cast<std::size_t>(size), '\0');
        MPI_Recv(bytes.data(), size, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        collector.merge(bytes);
    }
}

/// The components dealt to this rank of `ranks`, collected.
RunRecord collected(int rank, int ranks, bool over_mpi) {
    StatisticsCollector statistics;
    SeriesCollector series({"box.cycles"});
    for (int epoch = 1; epoch <= 4; ++epoch) {
        series.begin_epoch(static_cast<std::uint64_t>(epoch) * 100);
        for (int i = rank; i < kComponents; i += ranks) {
            series.counter("box" + std::to_string(i), "box", kCycles, static_cast<std::uint64_t>(epoch * (i + 1)));
        }
    }
    for (int i = rank; i < kComponents; i += ranks) {
        statistics.counter("box" + std::to_string(i), "box", kCycles, static_cast<std::uint64_t>(4 * (i + 1)));
    }
    if (over_mpi) {
        gather(statistics);
        gather(series);
    }
    RunRecord record;
    for (int i = 0; i < kComponents; ++i) { record.components.push_back({"box" + std::to_string(i), "box", -1}); }
    if (!over_mpi || rank == 0) {
        statistics.write_into(record);
        series.write_into(record);
    }
    return record;
}

TEST_CASE("what rank 0 collects from all ranks is what one process collects") {
    const RunRecord parallel = collected(rank_of_world(), size_of_world(), true);
    if (rank_of_world() != 0) { return; }
    const TemporaryFolder folder;
    write_run(parallel, folder.file("parallel.h5"));
    write_run(collected(0, 1, false), folder.file("serial.h5"));
    CHECK(diff_runs(folder.file("parallel.h5"), folder.file("serial.h5")) == std::nullopt);
    REQUIRE(parallel.series.size() == 1);
    CHECK(parallel.series[0].columns[0].values.size() == 4 * kComponents);
}

}  // namespace
}  // namespace lookahead
