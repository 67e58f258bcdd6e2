// Random vector memory instructions on the emulator, under all finaliser options, compared with the PTX interpreter,
// which shares only the parser, and with plain C++.
#include <doctest/doctest.h>

#include <random>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/register_profile.h"
#include "components/frontend/ptx/parse_module.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"
#include "tests/functional/vector_memory/vector_kernel.h"
#include "tests/support/seed.h"

namespace lookahead::test {
namespace {

constexpr std::int32_t kOwnWords = kMemoryWords / kLanes;

/// Lanes use separate words, in any order and with repetitions, because the interpreter runs them one by one.
VectorRun random_run(const VectorAccess& access, std::mt19937_64& random) {
    const auto pick = [&](std::int32_t from, std::int32_t to) {
        return from + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(to - from + 1));
    };
    VectorRun run;
    for (std::uint32_t& word : run.memory) { word = static_cast<std::uint32_t>(random()); }
    const auto mask = static_cast<std::uint32_t>(random() % 4 == 0 ? ~std::uint64_t{0} : random());
    const auto last = static_cast<std::int32_t>(access.length) - 1;
    for (unsigned l = 0; l < kLanes; ++l) {
        Lane& lane = run.lanes[l];
        lane.active = mask >> l & 1;
        const auto begin = static_cast<std::int32_t>(l) * kOwnWords;
        const std::int32_t word = pick(0, kOwnWords - 1);
        const std::int32_t widest = (kOwnWords - 1) / last;
        lane.stride = pick(-widest, widest);
        while (word + last * lane.stride < 0 || word + last * lane.stride >= kOwnWords) { lane.stride /= -2; }
        for (std::int32_t& index : lane.indices) { index = pick(0, kOwnWords - 1) - word; }
        for (std::uint32_t& data : lane.data) { data = static_cast<std::uint32_t>(random()); }
        lane.byte = 4 * (begin + word);
    }
    return run;
}

std::vector<finaliser::FinaliserOptions> ways_to_finalise(const ptx::Module& module) {
    std::vector<finaliser::FinaliserOptions> ways(6);
    ways[1].isa.expand_64bit = true;
    ways[2].isa.pointers = 32;
    ways[3].isa.single_constant = true;
    ways[3].simplify = false;
    ways[4].schedule = false;
    ways[4].isa.expand_64bit = true;
    // The fewest registers possible: data or indices are spilled and loaded again.
    ways[5].isa.registers = finaliser::profile_registers(module, module.functions[0], {}).least;
    return ways;
}

TEST_CASE("random strides, indices, masks: the emulator, the interpreter and C++ agree") {
    const std::uint64_t seed = random_seed();
    std::mt19937_64 random(seed);
    std::vector<VectorAccess> all = all_vector_accesses();
    for (const unsigned length : {4u, 8u, 16u}) {
        for (const bool shared : {false, true}) { all.push_back({true, false, length, shared, true}); }
    }
    unsigned spilled = 0;
    for (const VectorAccess& access : all) {
        const ptx::Module module = ptx::parse_module(kernel_text(access), access.name() + ".ptx");
        const std::vector<finaliser::FinaliserOptions> ways = ways_to_finalise(module);
        spilled += finalised(access, ways.back())[0].spill_bytes != 0;
        for (unsigned turn = 0; turn < 4; ++turn) {
            CAPTURE(seed);
            CAPTURE(access.name());
            CAPTURE(turn);
            const VectorRun run = random_run(access, random);
            const VectorRun wanted = expected(access, run);
            ScalarInterpreter interpreter(module);
            check_equal(execute(interpreter, access, run), wanted);
            for (const finaliser::FinaliserOptions& options : ways) {
                CAPTURE(&options - ways.data());
                EmulatedDevice device(finalised(access, options));
                check_equal(execute(device, access, run), wanted);
            }
        }
    }
    CHECK(spilled > 0);
}

}  // namespace
}  // namespace lookahead::test
