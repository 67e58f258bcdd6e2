// CUDA's driver interface: each function ends the program and reports its name. So programs that are linked with it
// start, and can use the runtime as long as they do not call it.
#include <dlfcn.h>

#include <cerrno>
#include <string>

#include "components/frontend/cudart/runtime/connection.h"

namespace {

/// The library that calls the driver, such as cuRAND or cuBLAS, for the message.
std::string caller(const void* place) {
    Dl_info information;
    if (dladdr(place, &information) == 0 || information.dli_fname == nullptr) { return "it"; }
    const std::string file = information.dli_fname;
    return file == program_invocation_name ? "it" : "its library " + file.substr(file.rfind('/') + 1);
}

[[noreturn]] void refuse(const char* function, const void* place) {
    lookahead::cudart::Connection::get().refuse(
        caller(place) + " calls " + function +
        " of the CUDA driver; only the CUDA runtime is supported, built in with nvcc --cudart shared");
}

}  // namespace

#define LOOKAHEAD_FUNCTION(name)                    \
    extern "C" int name() {                         \
        refuse(#name, __builtin_return_address(0)); \
    }

#include "components/frontend/cudart/driver_functions.inc"
