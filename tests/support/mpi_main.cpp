// Runs the tests on every rank; only rank 0 prints unless a rank fails, and all ranks exit alike.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <mpi.h>

#include <iostream>
#include <sstream>

#include "core/transport/mpi/mpi_environment.h"

int main(int argc, char** argv) {
    lookahead::prepare_mpi_environment();
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    doctest::Context context(argc, argv);
    std::ostringstream muted;
    if (rank != 0) {
        context.setCout(&muted);
    }
    const int mine = context.run();
    if (rank != 0 && mine != 0) {
        std::cerr << "rank " << rank << ":\n" << muted.str();
    }

    int worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
