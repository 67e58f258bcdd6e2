#pragma once

#include <span>
#include <string_view>

namespace lookahead::ptx {

/// A function that CUDA programs declare and CUDA's runtime provides.
struct LibraryFunction {
    std::string_view name;
    unsigned parameters;    ///< of 8 bytes each
    unsigned result_bytes;  ///< 0: none
};

/// Functions that belong together, and their PTX with 64-bit addresses.
struct LibraryPart {
    std::span<const LibraryFunction> functions;
    std::string_view mention;  ///< text that shows that a module needs the part; empty: none
    std::string_view ptx;
};

/// The parts: vprintf; malloc and free; the workspace of cooperative grids. A module that declares one of the functions
/// without a body gets the part's body (device_library/).
std::span<const LibraryPart> device_library();

inline constexpr std::string_view kPrintFunction = "vprintf";
/// The library's variable that collects printed text (components/device/device_print.h).
inline constexpr std::string_view kPrintBuffer = "lookahead_print_buffer";
/// The library's variable whose address %envreg1 and %envreg2 give.
inline constexpr std::string_view kGridWorkspace = "lookahead_grid_workspace";
/// The library's variable for malloc's blocks: large, and its contents need no initial value.
inline constexpr std::string_view kHeapStorage = "lookahead_heap_storage";

}  // namespace lookahead::ptx
