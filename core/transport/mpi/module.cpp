#include "core/transport/mpi/mpi_transport.h"

/// make_transport() finds this function in the module by its name.
extern "C" lookahead::Transport* lookahead_make_mpi_transport() {
    return new lookahead::MpiTransport();
}
