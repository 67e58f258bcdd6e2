#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "core/error/error.h"
#include "core/transport/in_process/in_process_transport.h"
#include "core/transport/transport.h"

namespace lookahead {

namespace {

/// The module with MPI lies beside the program; the tests' programs find it where it was built.
std::filesystem::path mpi_module() {
    constexpr const char* kName = "liblookahead_mpi.so";
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / kName;
    return std::filesystem::exists(beside) ? beside : std::filesystem::path(LOOKAHEAD_MPI_FOLDER) / kName;
}

std::unique_ptr<Transport> make_mpi_transport() {
    // It stays loaded to the end of the process. Open MPI's own modules look for its symbols among the global ones.
    const std::filesystem::path path = mpi_module();
    void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* make = module == nullptr ? nullptr : ::dlsym(module, "lookahead_make_mpi_transport");
    if (make == nullptr) {
        throw ConfigurationError("cannot load MPI: " + std::string(::dlerror()) +
                                 "; build the target lookahead_mpi, and keep its file beside the program");
    }
    return std::unique_ptr<Transport>(reinterpret_cast<Transport* (*)()>(make)());
}

}  // namespace

bool is_under_mpirun() {
    return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

std::unique_ptr<Transport> make_transport() {
    if (is_under_mpirun()) {
        return make_mpi_transport();
    }
    return std::make_unique<InProcessTransport>();
}

}  // namespace lookahead
