// Any bytes as a fat binary give PTX and cubins, or an InputError.
#include <span>

#include "components/frontend/cudart/fat_binary.h"
#include "core/error/error.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    try {
        lookahead::cudart::extract_ptx(bytes, "fuzz");
    } catch (const lookahead::InputError&) {}
    try {
        lookahead::cudart::extract_cubins(bytes, "fuzz");
    } catch (const lookahead::InputError&) {}
    return 0;
}
