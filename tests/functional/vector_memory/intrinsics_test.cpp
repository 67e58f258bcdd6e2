// The header of intrinsics, compiled by nvcc with the instructions and without.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <random>
#include <sstream>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"
#include "tests/support/seed.h"

namespace lookahead::test {
namespace {

constexpr std::size_t kThreads = 32, kOwn = 64;
constexpr std::int32_t kStride = 3;  // 2 + 15 * 3 words are within kOwn

isa::KernelTable kernels_of(const std::string& name) {
    const std::string path = std::string(LOOKAHEAD_SOURCE_DIR) + "/tests/functional/vector_memory/" + name;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return finaliser::finalise_module(ptx::parse_module(text.str(), path), {});
}

std::ptrdiff_t vector_instructions(const isa::Kernel& kernel) {
    return std::ranges::count_if(
        kernel.code, [](const isa::Instruction& instruction) { return isa::is_vector_memory(instruction.operation); });
}

std::vector<std::uint32_t> run(const isa::KernelTable& kernels, const std::string& kernel,
                               const std::vector<std::int32_t>& indices, const std::vector<float>& from) {
    EmulatedDevice device(kernels);
    const DeviceAddress at = device.upload(indices), source = device.upload(from);
    const DeviceAddress to = device.upload(std::vector<std::uint32_t>(3 * kOwn * kThreads, 0));
    device.launch(kernel, {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(at, source, to, kStride));
    return device.download<std::uint32_t>(to, 3 * kOwn * kThreads);
}

TEST_CASE("the intrinsics do as instructions what they do as plain code, and are one instruction each") {
    std::mt19937_64 random(random_seed());
    std::vector<std::int32_t> indices(16 * kThreads);
    for (std::int32_t& index : indices) { index = static_cast<std::int32_t>(random() % kOwn); }
    std::vector<float> from(kOwn * kThreads);
    for (float& value : from) { value = static_cast<float>(random() % 1'000'000); }

    const isa::KernelTable with = kernels_of("intrinsics.ptx"), plain = kernels_of("intrinsics_plain.ptx");
    REQUIRE(with.size() == 3);
    REQUIRE(plain.size() == 3);
    for (const std::string kernel : {"all_4", "all_8", "all_16"}) {
        CAPTURE(kernel);
        CHECK(vector_instructions(*std::ranges::find(with, kernel, &isa::Kernel::name)) == 9);
        CHECK(vector_instructions(*std::ranges::find(plain, kernel, &isa::Kernel::name)) == 0);
        const std::vector<std::uint32_t> found = run(with, kernel, indices, from);
        CHECK(found == run(plain, kernel, indices, from));
        // The first thread's first picked word is the beginning of its stride.
        CHECK(found[0] == std::bit_cast<std::uint32_t>(from[static_cast<std::size_t>(indices[0])]));
    }
}

}  // namespace
}  // namespace lookahead::test
