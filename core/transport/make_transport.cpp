#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include "core/error/error.h"
#include "core/files/program_file.h"
#include "core/transport/in_process/in_process_transport.h"
#include "core/transport/transport.h"

namespace lookahead {

namespace {

/// The path of the module with MPI. It belongs to the program; test programs find it where it was built.
std::filesystem::path mpi_module() {
    constexpr const char* kName = "liblookahead_mpi.so";
    const auto own = program_file(kName);
    return std::filesystem::exists(own) ? own : std::filesystem::path(LOOKAHEAD_MPI_FOLDER) / kName;
}

std::unique_ptr<Transport> make_mpi_transport() {
    // Stays loaded until the process ends. Open MPI's own modules look for its symbols among the global ones.
    const std::filesystem::path path = mpi_module();
    void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* make = module == nullptr ? nullptr : ::dlsym(module, "lookahead_make_mpi_transport");
    if (make == nullptr) {
        throw ConfigurationError(
            "cannot load MPI: {}; build the target lookahead_mpi, and keep its file beside the program", ::dlerror());
    }
    return std::unique_ptr<Transport>(reinterpret_cast<Transport* (*)()>(make)());
}

/// The number in the first of these variables that is set; 0 if none is set or it is not a number.
int first_number_of(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (const char* text = std::getenv(name)) { return std::atoi(text); }
    }
    return 0;
}

/// The number of processes that the launcher says it started as one job; 0 if no launcher is known. A job within a
/// Slurm allocation may be smaller, so its step's number precedes the allocation's, and mpirun's own precedes Slurm's.
int launched_processes() {
    return first_number_of({"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "PMI_SIZE", "SLURM_NTASKS"});
}

/// Refuses processes that MPI does not join: they would be separate simulations writing one file.
void require_one_world(int ranks) {
    const int launched = launched_processes();
    if (launched > 1 && launched != ranks) {
        throw ConfigurationError(
            "the launcher says that it started {} processes, but MPI joins {}: start them with Open MPI's mpirun or "
            "with 'srun --mpi=pmix'; for one process in an allocation of several, 'srun -n 1' or 'mpirun -n 1'",
            launched, ranks);
    }
}

}  // namespace

bool is_under_mpirun() {
    return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

std::unique_ptr<Transport> make_transport() {
    auto transport = is_under_mpirun() ? make_mpi_transport() : std::make_unique<InProcessTransport>();
    require_one_world(transport->size());
    return transport;
}

}  // namespace lookahead
