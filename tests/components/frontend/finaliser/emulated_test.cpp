#include <fmt/format.h>

#include <doctest/doctest.h>
#include <random>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/lower.h"
#include "components/frontend/finaliser/print.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/address_space.h"
#include "tests/components/frontend/finaliser/random_ptx.h"
#include "tests/components/frontend/finaliser/scalar_machine.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

/// Two warps, the second with some lanes only.
constexpr std::uint32_t kThreads = 50;

Memory random_memory(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Memory memory(kThreadBytes * kThreads);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
    return memory;
}

/// What single threads make of the code straight from instruction selection.
Memory expected_memory(const ptx::Module& module, std::uint64_t seed) {
    Launch launch;
    launch.block = {kThreads, 1, 1};
    append(launch.parameters, isa::kGlobalBase);
    append(launch.parameters, static_cast<std::uint32_t>(seed));
    append(launch.parameters, 11U);
    Memory memory = random_memory(seed);
    execute(flatten(lower(module, module.functions[0])), launch, memory);
    return memory;
}

/// What the interpreter, which knows neither finaliser nor handlers, makes of the PTX itself.
Memory interpreted_memory(const ptx::Module& module, std::uint64_t seed) {
    lookahead::test::ScalarInterpreter device(module);
    const DeviceAddress out = device.upload(random_memory(seed));
    device.launch("k", {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(out, static_cast<std::uint32_t>(seed), 11U));
    return device.download<std::byte>(out, kThreadBytes * kThreads);
}

/// What warps with a reconvergence stack make of the finalised kernel.
Memory emulated_memory(const isa::Kernel& kernel, std::uint64_t seed) {
    EmulatedDevice device({kernel}, {10'000'000});
    const DeviceAddress out = device.upload(random_memory(seed));
    device.launch("k", {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(out, static_cast<std::uint32_t>(seed), 11U));
    return device.download<std::byte>(out, kThreadBytes * kThreads);
}

}  // namespace

TEST_CASE("random kernels that diverge compute the same on the emulator's warps as thread by thread") {
    constexpr std::uint64_t kFirst = 5000, kCount = 150;
    MESSAGE(fmt::format("seeds {} to {}", kFirst, kFirst + kCount - 1));
    for (std::uint64_t seed = kFirst; seed < kFirst + kCount; ++seed) {
        const std::string text = random_ptx(seed, {kThreads, false});
        const ptx::Module module = ptx::parse_module(text, "random.ptx");
        const isa::Kernel kernel = finalise(module, module.functions[0], {});
        const bool equal = emulated_memory(kernel, seed) == expected_memory(module, seed);
        CHECK_MESSAGE(equal, fmt::format("seed {}: memory differs\n{}\n{}", seed, text, print(kernel)));
    }
}

TEST_CASE("random kernels compute the same after finalising, on warps, as their PTX does in the interpreter") {
    constexpr std::uint64_t kFirst = 9000, kCount = 150;
    MESSAGE(fmt::format("seeds {} to {}", kFirst, kFirst + kCount - 1));
    for (std::uint64_t seed = kFirst; seed < kFirst + kCount; ++seed) {
        const std::string text = random_ptx(seed, {kThreads, true});
        const ptx::Module module = ptx::parse_module(text, "random.ptx");
        FinaliserOptions options;
        options.register_limit = seed % 3 == 0 ? 12 + seed % 20 : 63;
        const isa::Kernel kernel = finalise(module, module.functions[0], options);
        const bool equal = emulated_memory(kernel, seed) == interpreted_memory(module, seed);
        CHECK_MESSAGE(equal, fmt::format("seed {}: memory differs\n{}\n{}", seed, text, print(kernel)));
    }
}
