// Native code on the emulator computes what its PTX says (cubins/samples.ptx).
#include <bit>
#include <random>

#include "components/emulator/emulated_device.h"
#include "components/isa/half.h"
#include "tests/components/frontend/native/samples.h"
#include "tests/support/seed.h"

namespace lookahead::native {
namespace {

using isa::SimtModel;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kThreads = 64;

/// Runs `use` on a device of each architecture's cubin and each model of divergence.
template <class Use>
void on_each_device(const Use& use) {
    for (const unsigned architecture : {75u, 90u, 100u}) {
        for (const SimtModel simt : {SimtModel::stack, SimtModel::convergence_barrier}) {
            CAPTURE(architecture);
            const bool own_barriers = simt == SimtModel::convergence_barrier;
            EmulatedDevice device(lower(test::sample(architecture), "samples.cubin", own_barriers),
                                  {.max_warp_instructions = 1'000'000, .simt = simt});
            use(device);
        }
    }
}

template <class... Parameters>
Words run(EmulatedDevice& device, std::string_view kernel, const Words& memory, const Parameters&... parameters) {
    const DeviceAddress out = device.upload(memory);
    device.launch(kernel, {{1, 3, 1}, {kThreads, 1, 2}}, pack_parameters(out, parameters...));
    return device.download<std::uint32_t>(out, memory.size());
}

TEST_CASE("a kernel reads its parameters, constants and variables") {
    struct Three {
        std::uint32_t words[3];
    };
    on_each_device([](EmulatedDevice& device) {
        const std::uint8_t small = 200;
        const std::uint16_t half = 40000;
        const std::uint32_t n = 1000;
        const Words out = run(device, "reads", Words(8), small, half, n, Three{{1, 2, 77}});
        CHECK(out[0] == (200 + 40000) * 7 + 1000 + 77 + 12);
        CHECK(std::bit_cast<double>(out[2] | std::uint64_t{out[3]} << 32) == 3000.0);
        CHECK(out[4] == 3 * 2);  // the grid's y times the block's z
        CHECK((out[6] | std::uint64_t{out[7]} << 32) == device.variable("counters"));
        const auto scratch = device.download<std::uint32_t>(device.variable("scratch"), 16);
        CHECK(scratch[4] == 12);
    });
}

TEST_CASE("threads exchange values in shared memory, and keep others in local memory") {
    on_each_device([](EmulatedDevice& device) {
        const Words shared = run(device, "shares", Words(kThreads));
        const Words local = run(device, "stacks", Words(kThreads));
        for (std::uint32_t t = 0; t < kThreads; ++t) {
            CHECK(shared[t] == (t ^ 1));
            if (t % 8 == 3) { CHECK(local[t] == t); }  // own[4]
        }
    });
}

TEST_CASE("calls and loops with ways out give each thread its own result") {
    on_each_device([](EmulatedDevice& device) {
        Words memory(kThreads + 2);
        for (std::uint32_t t = 0; t < kThreads; ++t) { memory[t] = 900 + t * 7 % 40; }
        // One thread a block, so that no thread reads what another writes.
        const auto grow = [](std::uint32_t value) {
            do { value = value * value + 3; } while (value < 1000);
            return value;
        };
        const DeviceAddress out = device.upload(memory);
        const std::uint32_t n = 920;
        device.launch("calls", {{1, 1, 1}, {1, 1, 1}}, pack_parameters(out, n));
        std::uint32_t value = memory[0];
        do {
            if (memory[1] == grow(value)) { break; }
            memory[2] = ++value;
        } while (value < n);
        memory[0] = grow(value);
        CHECK(device.download<std::uint32_t>(out, memory.size()) == memory);
    });
}

TEST_CASE("generic accesses, atomic operations, products of bytes, halves, predicates and carries") {
    std::mt19937_64 random(lookahead::test::random_seed());
    Words input(kThreads * 4);
    for (std::uint32_t& word : input) {
        word = static_cast<std::uint32_t>(random() % 4 != 0 ? random() : random() % 40);
    }
    on_each_device([&](EmulatedDevice& device) {
        const DeviceAddress any = device.upload(input), to = device.upload(Words(kThreads * 16));
        device.launch("formats", {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(any, to));
        const auto out = device.download<std::uint32_t>(to, kThreads * 16);
        const auto after = device.download<std::uint32_t>(any, input.size());
        for (std::uint32_t t = 0; t < kThreads; ++t) {
            const std::uint32_t a = input[t * 4], b = input[t * 4 + 1], c = input[t * 4 + 2];
            const auto d = static_cast<std::int16_t>(input[t * 4 + 3] >> 16);
            const auto byte = [&](std::uint32_t word, unsigned i) { return word >> 8 * i & 0xff; };
            const auto signed_byte = [&](std::uint32_t word, unsigned i) {
                return static_cast<std::int8_t>(byte(word, i));
            };
            std::uint32_t low = c, high = c, four = c;
            for (unsigned i = 0; i < 2; ++i) {
                low += static_cast<std::uint32_t>(static_cast<std::int16_t>(a >> 16 * i) * signed_byte(b, i));
                high += (a >> 16 * i & 0xffff) * byte(b, 2 + i);
            }
            for (unsigned i = 0; i < 4; ++i) { four += static_cast<std::uint32_t>(signed_byte(a, i)) * byte(b, i); }
            const auto single = [](std::uint32_t half) {
                return std::bit_cast<std::uint32_t>(isa::float_of_half(static_cast<std::uint16_t>(half)));
            };
            const auto value = [](std::uint32_t word) { return static_cast<std::int32_t>(word); };
            const bool parity = (value(a) < value(b)) ^ (value(b) < value(c)) ^ (value(c) < d);
            const std::uint64_t first = std::uint64_t{a} + b, second = std::uint64_t{c} + a + (first >> 32);
            const std::uint32_t amount = std::min(c, 32u);
            const std::uint64_t pair = a | std::uint64_t{b} << 32;
            const Words expected = {c,
                                    static_cast<std::uint32_t>(d),
                                    c,
                                    c + a,
                                    low,
                                    high,
                                    four,
                                    single(a),
                                    single(a >> 16),
                                    std::bit_cast<std::uint32_t>(static_cast<float>(t)),
                                    0,
                                    parity,
                                    static_cast<std::uint32_t>(first),
                                    static_cast<std::uint32_t>(second),
                                    b + static_cast<std::uint32_t>(second >> 32),
                                    static_cast<std::uint32_t>(pair << amount >> 32)};
            const Words got(out.begin() + t * 16, out.begin() + t * 16 + 16);
            CAPTURE(t);
            for (unsigned i = 0; i < 16; ++i) {
                CAPTURE(i);
                // A NaN's payload is not the same everywhere.
                const bool nan = (i == 7 || i == 8) && (expected[i] & 0x7fffffff) > 0x7f800000;
                if (!nan) { CHECK(got[i] == expected[i]); }
            }
            CHECK(after[t * 4 + 2] == c + a + 5);
        }
    });
}

}  // namespace
}  // namespace lookahead::native
