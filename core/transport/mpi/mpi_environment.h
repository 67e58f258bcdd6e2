#pragma once

#include <cstdlib>

namespace lookahead {

/// What Open MPI is asked for before MPI_Init, unless the user asks for something else.
/// - Batches of up to 64 KiB go through shared memory at once; its own limit of 4 KiB makes the sender of a usual batch
///   wait for the receiver.
/// - With more ranks than cores every look for a message would yield the core: `Waiting` says when to do that.
inline void prepare_mpi_environment() {
    constexpr bool kKeepTheUsers = false;
    setenv("OMPI_MCA_btl_vader_eager_limit", "65536", kKeepTheUsers);
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", kKeepTheUsers);
}

}  // namespace lookahead
