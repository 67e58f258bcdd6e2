// An SM's launches by themselves: what a launch puts into the SM's state.
#include "components/sm/multiprocessor/launches.h"

#include <doctest/doctest.h>

#include <cstring>

#include "tests/components/sm/kernels.h"

namespace lookahead::test {
namespace {

struct LaunchBench {
    /// Launches CTAs of one warp of the kernel. The first parameters come before the launch's message.
    void launch(unsigned number, unsigned kernel, std::vector<std::uint32_t> first = {},
                std::vector<std::uint32_t> last = {}) {
        const auto bytes = static_cast<std::uint32_t>(4 * (first.size() + last.size()));
        if (!first.empty()) { launches.add_parameters(message(gpu::LaunchParameters{4 * first.size()}, first)); }
        launches.begin(message(gpu::KernelBegin{{number, kernel, {4, 1, 1}, {32, 1, 1}, 0, bytes}}, last));
    }
    /// A message of the payload with the words behind it; valid until the next.
    template <class P>
    const MessageHeader& message(const P& payload, const std::vector<std::uint32_t>& words) {
        message_.assign(16, 0);
        auto& header = *reinterpret_cast<MessageHeader*>(message_.data());
        header.type = P::kType;
        header.payload_words = static_cast<std::uint8_t>((sizeof payload + 4 * words.size() + 7) / 8);
        auto* bytes = reinterpret_cast<std::byte*>(&header + 1);
        std::memcpy(bytes, &payload, sizeof payload);
        if (!words.empty()) { std::memcpy(bytes + sizeof payload, words.data(), 4 * words.size()); }
        return header;
    }

    isa::KernelTable kernels{dependent_chain(Operation::add, Type::u32, 20), add_index()};
    gpu::PipelineState state{{}, {}, isa::SimtModel::stack, {}};
    gpu::Launches launches{state, kernels};

  private:
    std::vector<std::uint64_t> message_;
};

TEST_CASE("a launch has its kernel's code, occupancy and all of its parameters; after its end there is none") {
    LaunchBench bench;
    bench.launch(5, 1, {6}, {7, 8, 9});
    const gpu::LaunchState& launch = bench.state.launch;
    CHECK(launch.active);
    CHECK(&bench.state.kernel->kernel() == &bench.kernels[1]);
    REQUIRE(launch.parameters.size() == 16);
    const std::uint32_t words[] = {6, 7, 8, 9};
    CHECK(std::memcmp(launch.parameters.data(), words, sizeof words) == 0);
    const gpu::LaunchOnSm on_sm = bench.launches.on_sm();
    CHECK(on_sm.number == 1);
    CHECK(on_sm.launch == 5);
    CHECK(on_sm.warps_per_cta == 1);
    CHECK(on_sm.cta_slots == launch.occupancy.ctas);
    bench.launches.end();
    CHECK_FALSE(launch.active);
    CHECK(bench.state.kernel == nullptr);
}

TEST_CASE("each kernel's code begins on a line of its own, and is decoded once") {
    LaunchBench bench;
    bench.launch(0, 0);
    const gpu::DecodedKernel* decoded = bench.state.kernel;
    CHECK(bench.state.launch.code == isa::kCodeBase);
    bench.launches.end();
    bench.launch(1, 1, {}, {0, 0, 0, 0});
    const std::uint64_t bytes = bench.kernels[0].code.size() * isa::kInstructionBytes;
    REQUIRE(bytes % gpu::kLineBytes != 0);
    CHECK(bench.state.launch.code == isa::kCodeBase + (bytes / gpu::kLineBytes + 1) * gpu::kLineBytes);
    bench.launches.end();
    bench.launch(2, 0);
    CHECK(bench.state.kernel == decoded);
}

}  // namespace
}  // namespace lookahead::test
