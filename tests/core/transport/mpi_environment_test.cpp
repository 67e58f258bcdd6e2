#include "core/transport/mpi/mpi_environment.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace lookahead {
namespace {

constexpr const char* kYield = "OMPI_MCA_mpi_yield_when_idle";

/// The settings for Open MPI if mpirun says that it started so many ranks on this host.
std::string asked_for(const char* ranks, const char* bound, const char* by_user) {
    ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", ranks, 1);
    ::unsetenv("OMPI_MCA_orte_bound_at_launch");
    ::unsetenv(kYield);
    if (bound != nullptr) { ::setenv("OMPI_MCA_orte_bound_at_launch", bound, 1); }
    if (by_user != nullptr) { ::setenv(kYield, by_user, 1); }
    prepare_mpi_environment();
    return std::getenv(kYield);
}

TEST_CASE(
    "MPI's own waiting leaves the core to others where there are more ranks than cores, unless the user says "
    "otherwise") {
    CHECK(asked_for("1", nullptr, nullptr) == "0");
    CHECK(asked_for("100000", nullptr, nullptr) == "1");
    CHECK(asked_for("100000", "1", nullptr) == "1");
    CHECK(asked_for("100000", nullptr, "0") == "0");
    CHECK(asked_for("1", nullptr, "1") == "1");
    // Ranks bound by mpirun have separate cores; this rank sees only its own.
    const std::string cores = std::to_string(::sysconf(_SC_NPROCESSORS_ONLN));
    CHECK(asked_for(cores.c_str(), "1", nullptr) == "0");
}

}  // namespace
}  // namespace lookahead
