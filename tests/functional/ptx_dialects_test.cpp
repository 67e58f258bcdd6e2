// PTX as clang and older versions of nvcc write it. The samples are hand-written in their styles; each has a kernel
// `run(out, in, n)` whose result is checked.
#include <doctest/doctest.h>

#include <bit>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"

using namespace lookahead;

namespace {

constexpr std::uint32_t kThreads = 64, kCtas = 2, kCount = 100;

/// The output of the sample's kernel for `in`, which has kThreads * kCtas numbers.
std::vector<std::uint32_t> run(const std::string& name, const std::vector<std::uint32_t>& in) {
    std::ifstream file(LOOKAHEAD_SOURCE_DIR "/tests/functional/ptx_dialects/" + name);
    std::stringstream text;
    text << file.rdbuf();
    EmulatedDevice device(finaliser::finalise_module(ptx::parse_module(text.str(), name), {}));
    const DeviceAddress out = device.allocate(4 * in.size());
    device.fill(out, std::byte{0}, 4 * in.size());
    const DeviceAddress input = device.upload(in);
    std::vector<std::byte> parameters = pack_parameters(out, input, kCount);
    parameters.resize(device.kernels().front().parameter_bytes);  // the structure's last bytes are padding
    device.launch("run", {{kCtas}, {kThreads}}, parameters);
    return device.download<std::uint32_t>(out, in.size());
}

std::vector<std::uint32_t> input(std::uint32_t modulus) {
    std::vector<std::uint32_t> values(kThreads * kCtas);
    for (std::uint32_t i = 0; i < values.size(); ++i) { values[i] = (i * 37 + 5) % modulus; }
    return values;
}

}  // namespace

TEST_CASE("LLVM's PTX for sm_35: labels without $, .ptr parameters, weak functions called over several lines") {
    const auto in = input(9);
    const auto out = run("clang_sm35.ptx", in);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        float sum = 0;
        for (std::uint32_t k = 0; k < in[i]; ++k) {
            sum +=
                (k < 4 ? 1.5f - static_cast<float>(k) : 1.5f * static_cast<float>(k)) + static_cast<float>(k % 4 + 1);
        }
        CHECK(std::bit_cast<float>(out[i]) == sum);
    }
    CHECK(out[kCount] == 0);
}

TEST_CASE("nvcc 6.5's PTX for sm_20: .s32 registers, .loc and .file with three numbers, volatile shared memory, @!p") {
    const auto in = input(1000);
    CHECK(run("nvcc65_sm20.ptx", in)[0] == std::accumulate(in.begin(), in.begin() + kCount, 0U));
}

TEST_CASE("nvcc 8's PTX with -g: debug sections, labels of line tables, a function declared before its definition") {
    const auto in = input(500);
    const auto out = run("nvcc80_sm30_debug.ptx", in);
    for (std::uint32_t i = 0; i < kCount; ++i) { CHECK(out[i] == 2 * in[i] + 1); }
}

TEST_CASE("nvcc 9's PTX for sm_60: shuffles and votes without .sync, inline assembler in scopes of its own") {
    const auto in = input(25);
    const auto out = run("nvcc90_sm60_warp.ptx", in);
    for (std::uint32_t i = 0; i < in.size(); ++i) {
        const std::uint32_t first = i / 32 * 32, lane = i % 32;
        const auto sum = [&](std::uint32_t l) { return in[first + l] + in[first + (l + 16 < 32 ? l + 16 : l)]; };
        const auto swapped = [&](std::uint32_t l) { return sum(l ^ 1); };
        std::uint32_t large = 0;
        for (std::uint32_t l = 0; l < 32; ++l) { large += in[first + l] > 10; }
        const std::uint32_t shuffled = lane >= 4 ? swapped(lane) + swapped(lane - 4) : 77;
        CHECK(out[i] == shuffled + (large != 0 ? 1000 : 0) + 32 + large);
    }
}

TEST_CASE("Hand-written PTX: other orders of modifiers, cache hints, addresses of parameters, bmsk") {
    const auto in = input(60);
    const auto out = run("modern_features.ptx", in);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        const auto mask = [](std::uint32_t begin, std::uint32_t bits) {
            const std::uint64_t ones = bits >= 32 ? 0xffffffffU : (std::uint64_t{1} << bits) - 1;
            return static_cast<std::uint32_t>(begin >= 32 ? 0 : ones << begin);
        };
        CHECK(out[i] == ((3 * in[i]) ^ mask(4, in[i])) + mask(in[i] % 32, 5) + 3);
    }
}
