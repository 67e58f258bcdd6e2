#include "components/interconnect/crossbar/port_statistics.h"

#include "components/interconnect/crossbar/held_grants.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(InjectionCounters, "injection_port", "The sending side of a crossbar port.")
LOOKAHEAD_REGISTER_STATISTICS(EjectionCounters, "ejection_port", "The receiving side of a crossbar port.")
LOOKAHEAD_REGISTER_STATISTICS(HeldGrantCounters, "held_grants", "Grants out of turn of a crossbar port.")

}  // namespace lookahead::gpu
