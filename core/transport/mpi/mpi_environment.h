#pragma once

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

namespace lookahead {

/// Whether mpirun started more ranks on this host than there are cores for them. If mpirun has bound each rank to its
/// own cores, all cores of the host count; otherwise only those on which this rank may run, which it shares with the
/// others.
inline bool has_more_ranks_than_cores() {
    const char* const ranks = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    const bool is_bound = std::getenv("OMPI_MCA_orte_bound_at_launch") != nullptr;
    const long cores = is_bound ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&own);
    return ranks != nullptr && std::atol(ranks) > cores;
}

/// If there are more ranks than cores, makes MPI's own waiting yield the core during the lifetime of this object: 32
/// ranks on two cores take 31 s to start and end without it, and 5 s with it. Do not use it for a run's packets, for
/// which every check would yield: there `Waiting` decides when to yield, which is up to twenty times as fast.
class YieldWithinMpi {
  public:
    YieldWithinMpi() { set(true); }
    YieldWithinMpi(const YieldWithinMpi&) = delete;
    YieldWithinMpi& operator=(const YieldWithinMpi&) = delete;
    ~YieldWithinMpi() { set(false); }

    /// Call it before MPI_Init. Respects settings of Open MPI that the user has made.
    static void prepare() {
        constexpr const char* kVariable = "OMPI_MCA_mpi_yield_when_idle";
        constexpr int kReplace = 1;
        if (std::getenv(kVariable) == nullptr) {
            is_wanted_ = has_more_ranks_than_cores();
            setenv(kVariable, is_wanted_ ? "1" : "0", kReplace);
        }
    }

  private:
    /// MPI has no function to change this at run time; Open MPI's library has one.
    static void set(bool yields) {
        using Set = bool (*)(bool);
        static const auto own = reinterpret_cast<Set>(::dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
        if (is_wanted_ && own != nullptr) { own(yields); }
    }

    inline static bool is_wanted_ = false;
};

/// Sets options of Open MPI, unless the user has set them; call it before MPI_Init. Batches of up to 64 KiB then go
/// through shared memory at once; with Open MPI's limit of 4 KiB the sender of a usual batch would wait for the
/// receiver.
inline void prepare_mpi_environment() {
    constexpr int kKeepTheUsers = 0;
    setenv("OMPI_MCA_btl_vader_eager_limit", "65536", kKeepTheUsers);
    YieldWithinMpi::prepare();
}

}  // namespace lookahead
