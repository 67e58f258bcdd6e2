// Tests the tool alone: a plain SM agrees with the emulator, and each kind of difference is found and named.
#include <doctest/doctest.h>

#include "components/mechanisms/pmode/pmode.h"
#include "tests/components/sm/emulated_run.h"
#include "tests/components/sm/random_kernel.h"
#include "tests/support/execution_trace/traced_extension.h"
#include "tests/support/seed.h"

namespace lookahead::test {
namespace {

/// Breaks part of context 0's state before its n-th instruction.
class Fault : public gpu::IssueExtension {
  public:
    enum class Kind { none, bit_of_register, lane_of_predicate, way, bits_of_pool };
    static inline Kind kind = Kind::none;
    static inline unsigned number = 0;

    using IssueExtension::IssueExtension;

    void warp_started(unsigned context) override { attend(context, context == 0); }
    void before_execution(unsigned context, Cycle) override {
        if (context != 0 || issued_++ != number) { return; }
        gpu::Stream& stream = state_.warps.streams[0];
        const gpu::DecodedInstruction& decoded = (*state_.kernel)[stream.stack.pc()];
        if (kind == Kind::bit_of_register) {
            state_.registers.row(state_.warps.map.of(0)[decoded.read_registers()[0]])[5] ^= 2;
        } else if (kind == Kind::lane_of_predicate) {
            stream.predicates[decoded.source_predicate.slot] ^= 1u << 9;
        } else if (kind == Kind::way) {
            stream.predicates[decoded.guard.slot] ^= isa::kFullMask;
        }
    }

  private:
    unsigned issued_ = 0;
};
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, Fault, "fault", "Breaks something.", "tests")

/// Changes P-mode's results before they are reused; its name must come before P-mode's.
class WrongReuse final : public gpu::IssueExtension {
  public:
    using IssueExtension::IssueExtension;

    void warp_started(unsigned context) override { attend(context, true); }
    bool supply(unsigned, Cycle) override {
        const gpu::RegisterPool& pool = dynamic_cast<gpu::Pmode&>((*state_.extensions)[2]).pool();
        for (unsigned row = pool.first(); row < pool.first() + pool.size(); ++row) {
            state_.registers.row(row)[3] += pool.is_free(row) ? 0 : 1;
        }
        return false;
    }
};
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, WrongReuse, "wrong_reuse", "Spoils results.", "tests")

struct Run {
    explicit Run(const isa::Kernel& kernel, const std::string& extension = "traced", const std::string& sm = "",
                 const TestLaunch& emulated = kLaunch, const TestLaunch& run = kLaunch)
        : harness({kernel}, "[sm]\nissue_extension = \"" + extension + "\"\n" + sm) {
        harness.fill_input(1024, [](unsigned i) { return 7 * i + 3; });
        const isa::SimtModel model = sm.empty() ? isa::SimtModel::stack : isa::SimtModel::convergence_barrier;
        differences = EmulatedRun(kernel, emulated, harness.memory(), model).differences_of(harness, run);
    }
    static inline const TestLaunch kLaunch{.grid = {2, 1, 1}, .block = {70, 1, 1}, .parameters = global_parameters()};

    SmHarness harness;
    std::vector<std::string> differences;
};

TEST_CASE("a plain SM executes what the emulator executes, on both SIMT models") {
    const std::uint64_t first_seed = random_seed();
    for (std::uint64_t seed = first_seed; seed < first_seed + 40; ++seed) {
        CAPTURE(seed);
        const isa::Kernel kernel = RandomKernel(seed).finish();
        const TestLaunch launch{.grid = {1, 1, 1},
                                .block = {static_cast<unsigned>(1 + seed % 160), 1, 1},
                                .parameters = global_parameters()};
        const Run run(kernel, "traced", seed % 2 == 0 ? "simt = \"convergence_barrier\"\n" : "", launch, launch);
        REQUIRE_MESSAGE(run.differences.empty(), run.differences.front());
    }
}

TEST_CASE("to be traced changes no cycle") {
    const auto end = [](const std::string& extension) {
        SmHarness harness({mixed_kernel(3)}, extension);
        harness.run_to_end(Run::kLaunch);
        return harness.received().back().cycle;
    };
    CHECK(end("[sm]\nissue_extension = \"traced\"\n") == end(""));
    CHECK(end("[sm]\nissue_extension = \"traced+pmode\"\n") == end("[sm]\nissue_extension = \"pmode\"\n"));
}

TEST_CASE("a wrong bit in a register is named where it is first read") {
    Fault::kind = Fault::Kind::bit_of_register;
    Fault::number = 2;  // index = ctaid * ntid + tid, which reads ctaid first
    const Run run(add_index(), "traced+fault");
    REQUIRE_FALSE(run.differences.empty());
    CHECK(run.differences.front() ==
          "launch 0, CTA (0, 0, 0), warp 0: instruction 2, add_index.ptx:3 (PC 0x00000010), writes 0x00000091 to R2 of "
          "lane 5, the emulator's 0x00000005");
}

/// out[i] = i where i > 7, else 0.
isa::Kernel selected() {
    ThreadKernel k("selected");
    const auto p = k.predicate(), q = k.predicate();
    const auto x = k.reg();
    k.setp(isa::Comparison::gt, Type::u32, p, k.index, k.literal(7));
    k.setp(isa::Comparison::gt, Type::u32, q, k.index, k.literal(7)).source_predicate = p.index;
    k.select(Type::b32, x, k.index, k.literal(0), p);
    const auto end = k.label();
    k.branch_if(!p, end, end);
    k.store(isa::Space::global, Type::u32, k.address, x);
    k.bind(end);
    return k.finish();
}

TEST_CASE("a wrong lane of a predicate and a wrong way are named") {
    Fault::kind = Fault::Kind::none;
    CHECK(Run(selected(), "traced+fault").differences.empty());
    Fault::kind = Fault::Kind::lane_of_predicate;
    Fault::number = 6;
    const Run lane(selected(), "traced+fault");
    REQUIRE_FALSE(lane.differences.empty());
    CHECK(lane.differences.front().find("warp 0: instruction 6, selected.ptx:7") != std::string::npos);
    CHECK(lane.differences.front().find("of lane 9") != std::string::npos);
    Fault::kind = Fault::Kind::way;
    Fault::number = 7;
    const Run way(selected(), "traced+fault");
    REQUIRE_FALSE(way.differences.empty());
    CHECK(way.differences.front() ==
          "launch 0, CTA (0, 0, 0), warp 0: instruction 8 is selected.ptx:9 (PC 0x00000040) in lanes 0x000000ff; the "
          "emulator's is selected.ptx:9 (PC 0x00000040) in lanes 0xffffff00");
    CHECK(way.differences.back().find(" of memory is ") != std::string::npos);
}

TEST_CASE("a warp that is missing, and one too many, are named") {
    TestLaunch one = Run::kLaunch;
    one.grid = {1, 1, 1};
    const Run missing(add_index(), "traced", "", Run::kLaunch, one);
    REQUIRE_FALSE(missing.differences.empty());
    CHECK(missing.differences.front() ==
          "launch 0, CTA (1, 0, 0), warp 0: 0 instructions were issued and 0 written; the emulator's are 9");
    const Run added(add_index(), "traced", "", one, Run::kLaunch);
    REQUIRE_FALSE(added.differences.empty());
    CHECK(added.differences.front().find("CTA (1, 0, 0), warp ") != std::string::npos);
    CHECK(added.differences.front().find("is none of the emulator's") != std::string::npos);
}

TEST_CASE("a result that P-mode spoils before it is reused is named") {
    BlockedKernel k;
    const auto x = k.reg();
    k.block();
    const auto pre_executed = k.add(x, k.thread);
    k.op(Operation::add, Type::u32, x, {x, k.used});
    k.store(isa::Space::global, Type::u32, k.out, x);
    CHECK(Run(k.finish(), "traced+pmode").differences.empty());
    const Run run(k.finish(), "traced+wrong_reuse+pmode");
    REQUIRE_FALSE(run.differences.empty());
    CHECK(run.differences.front().find("blocked.ptx:" + std::to_string(pre_executed + 1)) != std::string::npos);
    CHECK(run.differences.front().find("of lane 3") != std::string::npos);
}

}  // namespace
}  // namespace lookahead::test
