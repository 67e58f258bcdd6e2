// Any text as PTX: parsed and finalised, or refused with an InputError.
#include <string_view>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        lookahead::finaliser::finalise_module(lookahead::ptx::parse_module(text, "fuzz.ptx"), {});
    } catch (const lookahead::InputError&) {
    }
    return 0;
}
