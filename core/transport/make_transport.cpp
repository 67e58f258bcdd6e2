#include <cstdlib>

#include "core/transport/in_process/in_process_transport.h"
#include "core/transport/mpi/mpi_transport.h"
#include "core/transport/transport.h"

namespace lookahead {

std::unique_ptr<Transport> make_transport() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"}) {
        if (std::getenv(variable) != nullptr) {
            return std::make_unique<MpiTransport>();
        }
    }
    return std::make_unique<InProcessTransport>();
}

}  // namespace lookahead
