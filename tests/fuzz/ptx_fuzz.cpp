// Any text as PTX is parsed and finalised, or refused with an InputError; then again without the unusable parts.
#include <string_view>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using lookahead::ptx::Refusal;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Refusal refusal : {Refusal::of_module, Refusal::of_kernel}) {
        try {
            lookahead::finaliser::finalise_module(lookahead::ptx::parse_module(text, "fuzz.ptx", refusal), {});
            return 0;
        } catch (const lookahead::InputError&) {}
    }
    return 0;
}
