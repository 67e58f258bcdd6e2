// SMs with more warps than a word has bits.
#include <doctest/doctest.h>

#include "components/isa/instruction.h"
#include "components/isa/modes.h"
#include "components/sm/simt/simt_model.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"
#include "tests/support/variants.h"

namespace lookahead::test::many_warps_tests {
namespace {

constexpr unsigned kThreads = 256, kCtas = 24, kInput = 1 << 15;

/// Each thread changes its word, differently in odd and even lanes, and passes it to its neighbour by a shuffle and to
/// the neighbouring warp through shared memory.
isa::Kernel exchange_kernel() {
    ThreadKernel k("exchange");
    k.shared_bytes(kThreads * 4);
    const auto tid = k.reg(), value = k.reg(), odd = k.reg(), slot = k.reg(), near = k.reg(), far = k.reg();
    const auto source = k.reg64();
    const auto p = k.predicate();
    const auto even = k.label(), join = k.label();
    k.op(Operation::mad_wide, Type::u64, source, {k.index, k.literal(4), k.parameter(1)}).source_type = Type::u32;
    k.load(isa::Space::global, Type::u32, value, source);
    k.special(tid, isa::SpecialRegister::tid_x);
    k.op(Operation::bit_and, Type::b32, odd, {tid, k.literal(1)});
    k.setp(isa::Comparison::eq, Type::u32, p, odd, k.literal(0));
    k.branch_if(p, even, join);
    k.op(Operation::mul_lo, Type::u32, value, {value, k.literal(3)});
    k.branch(join, join);
    k.bind(even);
    k.op(Operation::add, Type::u32, value, {value, k.literal(5)});
    k.bind(join);
    k.op(Operation::shuffle, Type::b32, near, {value, k.literal(1), k.literal(31), k.literal(0xffffffffu)}).mode =
        static_cast<std::uint8_t>(isa::ShuffleMode::bfly);
    k.op(Operation::shl, Type::b32, slot, {tid, k.literal(2)});
    k.store(isa::Space::shared, Type::u32, slot, value);
    k.barrier();
    k.op(Operation::bit_xor, Type::b32, slot, {slot, k.literal(4 * isa::kWarpSize)});
    k.load(isa::Space::shared, Type::u32, far, slot);
    k.op(Operation::mad_lo, Type::u32, value, {far, k.literal(7), near});
    return k.finish_with(value);
}

std::uint32_t input(unsigned i) {
    return i * 2654435761u;
}
std::uint32_t expected(unsigned i) {
    const auto changed = [](unsigned of) { return of % 2 == 1 ? input(of) * 3 : input(of) + 5; };
    return changed(i ^ 1) + 7 * changed(i ^ isa::kWarpSize);
}

std::string places(unsigned warps, unsigned ctas) {
    return "[sm]\nmax_threads = 4096\nregisters = 131072\nmax_warps = " + std::to_string(warps) +
           "\nmax_ctas = " + std::to_string(ctas) + "\n";
}

struct Exchange {
    explicit Exchange(const std::string& keys) : harness({exchange_kernel()}, keys) {
        harness.memory().fill_global_words(kInput, kCtas * kThreads, input);
        const std::uint64_t out = isa::kGlobalBase, in = out + kInput;
        harness.launch({.grid = {kCtas, 1, 1},
                        .block = {kThreads, 1, 1},
                        .parameters = {static_cast<std::uint32_t>(out), static_cast<std::uint32_t>(out >> 32),
                                       static_cast<std::uint32_t>(in), static_cast<std::uint32_t>(in >> 32)}});
    }
    /// Runs to the end; returns the most resident warps in one cycle.
    std::uint64_t run() {
        std::uint64_t most = 0;
        while (!harness.done() && harness.now() < 1'000'000) {
            const std::uint64_t before = harness.counters().warp_cycles;
            harness.run_until(harness.now() + 1);
            most = std::max(most, harness.counters().warp_cycles - before);
        }
        REQUIRE(harness.done());
        return most;
    }
    unsigned wrong() {
        unsigned count = 0;
        for (unsigned i = 0; i < kCtas * kThreads; ++i) { count += harness.memory().global_word(4 * i) != expected(i); }
        return count;
    }

    SmHarness harness;
};

TEST_CASE("128 resident warps compute what they should, with any scheduler, model of divergence and issue extension") {
    for (const std::string& scheduler : lookahead::test::at_least(2, variant_names<gpu::WarpScheduler>())) {
        for (const std::string& simt : lookahead::test::at_least(2, variant_names<gpu::SimtModel>())) {
            for (const std::string& extension : lookahead::test::at_least(2, variant_names<gpu::IssueExtension>())) {
                CAPTURE(scheduler);
                CAPTURE(simt);
                CAPTURE(extension);
                Exchange exchange(places(128, 16) + "warp_scheduler = \"" + scheduler + "\"\nsimt = \"" + simt +
                                  "\"\nissue_extension = \"" + extension + "\"\nprivate_fetch = " +
                                  (extension == "none" ? "false" : "true") + "\n[pmode]\ncheck = true\n");
                CHECK(exchange.run() == 128);
                CHECK(exchange.wrong() == 0);
            }
        }
    }
}

TEST_CASE("places that no warp takes change nothing") {
    for (const std::string& scheduler : lookahead::test::at_least(2, variant_names<gpu::WarpScheduler>())) {
        CAPTURE(scheduler);
        const std::string keys = "warp_scheduler = \"" + scheduler + "\"\n";
        Exchange few(places(64, 8) + keys), many(places(128, 8) + keys), more(places(128, 9) + keys);
        CHECK(few.run() == 64);
        CHECK(many.run() == 64);
        CHECK(more.run() == 72);
        const auto same = [&](Exchange& other) {
            return std::memcmp(&few.harness.counters(), &other.harness.counters(), sizeof(gpu::SmCounters)) == 0;
        };
        if (scheduler != "group_interleaved") {  // its groups depend on the number of places
            CHECK(same(many));
        }
        CHECK(!same(more));
    }
}

TEST_CASE("an SM has places for 128 warps, and for no more") {
    CHECK_NOTHROW(SmHarness({exchange_kernel()}, places(128, 16)));
    CHECK_THROWS_WITH_AS(SmHarness({exchange_kernel()}, places(129, 16)), doctest::Contains("128"), ConfigurationError);
}

}  // namespace
}  // namespace lookahead::test::many_warps_tests
