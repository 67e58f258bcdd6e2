
#include <doctest/doctest.h>
#include <cstdlib>
#include <random>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/random_ptx.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

struct Counts {
    unsigned kernels = 0;
    unsigned refused = 0;
};

/// The interpreter of the PTX itself is the reference: it shares neither finaliser nor handlers.
void compare(std::uint64_t seed, const FinaliserOptions& options, Counts& counts) {
    // One warp, or two, the second of them partial.
    const std::uint32_t threads = seed % 3 == 0 ? 50 : kRandomThreads;
    const std::string text = random_ptx(seed, threads);
    const ptx::Module module = ptx::parse_module(text, "random.ptx");
    ++counts.kernels;
    isa::Kernel kernel;
    try {
        kernel = finalise(module, module.functions[0], options);
    } catch (const RegisterLimitError&) {
        ++counts.refused;
        return;
    }
    CHECK(kernel.registers <= options.isa.registers);
    CHECK(kernel.predicates <= options.predicate_limit);
    EmulatedDevice emulator({kernel}, {10'000'000});
    lookahead::test::ScalarInterpreter interpreter(module);
    const bool equal = memory_after(emulator, seed, threads) == memory_after(interpreter, seed, threads);
    CHECK_MESSAGE(equal, fmt::format("seed {}, limit {}, schedule {}: memory differs\n{}\n{}", seed,
                                     options.isa.registers, options.schedule, text, print(kernel)));
}

std::uint64_t first_seed() {
    const char* given = std::getenv("LOOKAHEAD_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

/// Machines differ in their treatment of 64-bit operations.
IsaOptions isa_of(std::uint64_t seed) {
    IsaOptions isa{.expand_64bit = seed % 3 != 0,
                   .wide_multiply = seed % 3 == 1,
                   .single_constant = seed % 2 != 0,
                   .pointers = seed % 7 < 3 ? 32u : 64u,
                   .reserved_registers = static_cast<unsigned>(seed % 4),
                   .held_sources = seed % 11 < 5 ? 12u : 0u};
    return isa;
}

void compare_many(unsigned limit, bool schedule, unsigned kernels, unsigned most_refused, unsigned predicates = 7,
                  bool simplify = true) {
    FinaliserOptions options;
    options.predicate_limit = predicates;
    options.schedule = schedule;
    options.simplify = simplify;
    Counts counts;
    const std::uint64_t first = first_seed();
    for (std::uint64_t seed = first; seed < first + kernels; ++seed) {
        CAPTURE(seed);
        options.isa = isa_of(seed);
        options.isa.registers = limit;
        options.fuse_products = seed % 5 < 3;
        options.rematerialise = seed % 13 < 9;
        options.spill_order = seed % 8 < 5 ? "cost" : "affine_first";
        compare(seed, options, counts);
    }
    MESSAGE(fmt::format("seeds {} to {}, limit {}, schedule {}: {} kernels, {} beyond the limit", first,
                        first + kernels - 1, limit, schedule, counts.kernels, counts.refused));
    CHECK(counts.refused <= most_refused);
}

}  // namespace

TEST_CASE("random kernels compute the same after finalising, scheduled, with all registers") {
    compare_many(255, true, 120, 0);
}

TEST_CASE("random kernels compute the same after finalising, scheduled, with 63 registers") {
    compare_many(63, true, 120, 0);
}

TEST_CASE("random kernels compute the same after finalising with 40, 24, 16 and 12 registers, the others spilled") {
    for (unsigned limit : {40U, 24U, 16U, 12U}) { compare_many(limit, true, 40, 0); }
}

TEST_CASE("random kernels compute the same at any limit, with three predicates or more") {
    std::mt19937 random(first_seed());
    for (int i = 0; i < 40; ++i) {
        const unsigned limit = 10 + random() % 50, predicates = 3 + random() % 5;
        CAPTURE(limit);
        CAPTURE(predicates);
        compare_many(limit, random() % 2 == 0, 3, 0, predicates);
    }
}

TEST_CASE("random kernels compute the same after finalising in the program's own order") {
    compare_many(63, false, 120, 0);
}

TEST_CASE("random kernels compute the same with three predicates, the others kept in registers") {
    compare_many(63, true, 120, 0, 3);
}

TEST_CASE("random kernels compute the same without passing constants and copies on") {
    compare_many(63, false, 60, 0, 7, false);
}
