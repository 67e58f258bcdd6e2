#pragma once

#include <doctest/doctest.h>
#include <mpi.h>

#include <iostream>
#include <sstream>

#include "core/transport/mpi/mpi_environment.h"

namespace lookahead::test {

/// Runs the tests on every rank of the job; only rank 0 prints unless a rank fails, and all ranks exit alike. With
/// `ends_at_failure` the first failure of any rank ends the job: the others may wait for that rank for ever.
inline int run_on_ranks(int argc, char** argv, bool ends_at_failure = false) {
    prepare_mpi_environment();
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    doctest::Context context(argc, argv);
    std::ostringstream muted;
    if (rank != 0) { context.setCout(&muted); }
    if (ends_at_failure) { context.setOption("abort-after", 1); }
    const int mine = context.run();
    if (rank != 0 && mine != 0) { std::cerr << "rank " << rank << ":\n" << muted.str(); }
    if (ends_at_failure && mine != 0) { MPI_Abort(MPI_COMM_WORLD, mine); }

    int worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}

}  // namespace lookahead::test
