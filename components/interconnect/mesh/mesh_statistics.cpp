#include "components/interconnect/mesh/mesh_statistics.h"

#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(MeshCounters, "mesh", "A mesh of routers: the network of requests or that of replies.")

}  // namespace lookahead::gpu
