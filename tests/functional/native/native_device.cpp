#include "tests/functional/native/native_device.h"

#include <fmt/format.h>

#include "components/frontend/native/lower.h"
#include "core/error/error.h"
#include "experiments/run/native_code.h"

namespace lookahead::test {

namespace {

constexpr const char* kFile = "random.ptx";

}  // namespace

bool has_ptxas() {
    try {
        compile_native(".version 9.0\n.target sm_75\n.address_size 64\n", 75);
        return true;
    } catch (const InputError& error) { return std::string_view(error.what()).find("CUDA_HOME") == std::string::npos; }
}

native::Cubin compile_native(std::string text, unsigned architecture) {
    const std::string target = ".target sm_75";
    text.replace(text.find(target), target.size(), fmt::format(".target sm_{}", architecture));
    Configuration configuration = Configuration::from_toml("", "test.toml");
    configuration.override_value("program.code=native");
    configuration.override_value(fmt::format("isa.native={}", architecture));
    return native_program({text, kFile}, configuration);
}

EmulatedDevice native_device(const native::Cubin& cubin, isa::SimtModel simt) {
    constexpr std::uint64_t kMaxInstructions = 20'000'000;
    return EmulatedDevice(native::lower(cubin, kFile, simt == isa::SimtModel::convergence_barrier),
                          {.max_warp_instructions = kMaxInstructions, .simt = simt});
}

}  // namespace lookahead::test
