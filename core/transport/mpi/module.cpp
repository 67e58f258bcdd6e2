#include "core/transport/mpi/mpi_transport.h"

/// What make_transport() finds in the module by its name.
extern "C" lookahead::Transport* lookahead_make_mpi_transport() {
    return new lookahead::MpiTransport();
}
