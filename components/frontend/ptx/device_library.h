#pragma once

#include <string_view>

namespace lookahead::ptx {

/// Functions that CUDA programs declare and that CUDA's runtime brings along, as PTX with 64-bit addresses: vprintf. A
/// module that declares one of them and has no body for it gets the library's (device_library/).
std::string_view device_library();

/// The function of the library, by which it is known whether a module needs it.
inline constexpr std::string_view kPrintFunction = "vprintf";
/// The library's variable that printed text is collected in (components/device/device_print.h).
inline constexpr std::string_view kPrintBuffer = "lookahead_print_buffer";

}  // namespace lookahead::ptx
