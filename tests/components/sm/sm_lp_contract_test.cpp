#include <doctest/doctest.h>

#include "components/isa/instruction.h"
#include "components/isa/modes.h"
#include "components/sm/simt/simt_model.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"
#include "tests/contract/lp/lp_contract.h"
#include "tests/support/seed.h"
#include "tests/support/variants.h"

namespace lookahead::test {
namespace {

constexpr Cycle kLatency = SmHarness::kLatency;

/// Hands out CTAs until none is left, then ends the kernel, as the dispatcher does.
class DispatcherScript final : public LpEnvironment {
  public:
    DispatcherScript(const ClockDomain& clock, std::uint64_t next_cta, std::uint64_t ctas)
        : clock_(clock), next_cta_(next_cta), ctas_(ctas) {}

    void respond(unsigned, unsigned, const MessageHeader& sent, std::vector<ScriptedMessage>& answers) override {
        if (sent.type != gpu::CtaCompleted::kType) { return; }
        ++completed_;
        const Time at = clock_.edge(clock_.cycle_at_or_after(sent.time) + kLatency);
        if (next_cta_ < ctas_) {
            answers.push_back(scripted(at, 7, gpu::kSmDispatchPort, gpu::CtaAssign{next_cta_++}));
        } else if (completed_ == ctas_) {
            answers.push_back(scripted(at, 7, gpu::kSmDispatchPort, gpu::KernelEnd{0}));
        }
    }

  private:
    ClockDomain clock_;
    std::uint64_t next_cta_;
    std::uint64_t ctas_;
    std::uint64_t completed_ = 0;
};

/// Odd and even lanes shuffle with one another and reach a counting barrier on different paths, in three iterations of
/// a loop that polls memory; a warp's last lanes end early.
isa::Kernel meeting_kernel() {
    ThreadKernel k("meeting");
    const auto odd = k.predicate(), again = k.predicate(), last = k.predicate();
    const auto lane = k.reg(), bit = k.reg(), value = k.reg(), other = k.reg(), round = k.reg(), polled = k.reg();
    const auto one = k.literal(1), zero = k.launch(isa::LaunchRow::zero), all = k.literal(0xffffffffu);
    k.special(lane, isa::SpecialRegister::laneid);
    k.op(Operation::bit_and, Type::b32, bit, {lane, one});
    k.setp(isa::Comparison::ne, Type::u32, odd, bit, zero);
    k.setp(isa::Comparison::gt, Type::u32, last, lane, k.literal(28));
    k.guard(last);
    k.exit();
    k.unguard();
    k.op(Operation::mov, Type::b32, round, {zero});
    k.op(Operation::add, Type::u32, value, {k.index, one});
    const auto loop = k.here();
    const auto side = k.label(), join = k.label(), out = k.label();
    k.branch_if(odd, side, join);
    const auto meet = [&] {
        k.op(Operation::shuffle, Type::b32, other, {value, one, k.literal(31), all}).mode =
            static_cast<std::uint8_t>(isa::ShuffleMode::bfly);
        auto& barrier = k.op(Operation::barrier, Type::u32, bit, {one});
        barrier.barrier = isa::BarrierKind::popc;
        barrier.source_predicate = odd.index;
    };
    meet();
    k.branch(join);
    k.bind(side);
    k.op(Operation::mul_lo, Type::u32, value, {value, k.literal(3)});
    meet();
    k.bind(join);
    k.op(Operation::mad_lo, Type::u32, value, {value, bit, other});
    k.load(isa::Space::global, Type::u32, polled, k.address).order = isa::Order::volatile_;
    k.op(Operation::add, Type::u32, round, {round, one});
    k.setp(isa::Comparison::lt, Type::u32, again, round, k.literal(3));
    k.branch_if(again, loop, out).yields = true;
    k.bind(out);
    return k.finish_with(value);
}

/// CTAs that an SM may get at once.
constexpr std::uint64_t kUsualCtas = 4;

/// One launch of a kernel on an SM with a FakeLoadStoreUnit; the seed determines grid, block and scheduler load.
struct SmContract {
    SmContract(const std::string& scheduler, const isa::Kernel& kernel = mixed_kernel(2),
               const std::string& simt = "stack", const std::string& extension = "none", const std::string& keys = "",
               std::uint64_t most_at_once = kUsualCtas)
        : configuration(Configuration::from_toml("[sm]\nwarp_scheduler = \"" + scheduler + "\"\nsimt = \"" + simt +
                                                     "\"\nissue_extension = \"" + extension + "\"\n" + keys,
                                                 "test.toml")),
          kernels{kernel},
          most_ctas(most_at_once),
          clock(gpu::SmParameters{}.frequency) {
        contract.make = [this] {
            return std::make_unique<gpu::StreamingMultiprocessor>(
                configuration, kernels, gpu::SmIdentity{3, 15}, [](const gpu::LoadStoreServices& services) {
                    return std::make_unique<FakeLoadStoreUnit>(FakeMemory{}, services);
                });
        };
        const PortOfContract port{1, clock.least_span(kLatency), 0};
        contract.ports = {port, port, port};
        contract.script = [this](std::uint64_t seed) { return script(seed); };
        contract.environment = [this](std::uint64_t seed) {
            const Plan plan(seed, most_ctas);
            return std::make_unique<DispatcherScript>(clock, plan.first, plan.ctas);
        };
        contract.end = clock.edge(static_cast<Cycle>(9000 * most_ctas / kUsualCtas));
        contract.usual_chop = clock.edge(20);
    }

    struct Plan {
        explicit Plan(std::uint64_t seed, std::uint64_t most_ctas = kUsualCtas) {
            std::mt19937_64 random(seed);
            threads = static_cast<std::uint32_t>(1 + random() % 256);
            ctas = 1 + random() % (most_ctas + 2);
            first = std::min<std::uint64_t>(ctas, 1 + random() % most_ctas);
        }
        std::uint32_t threads;
        std::uint64_t ctas;
        std::uint64_t first;
    };

    std::vector<ScriptedMessage> script(std::uint64_t seed) const {
        const Plan plan(seed, most_ctas);
        gpu::KernelBegin begin{};
        begin.grid = {static_cast<std::uint32_t>(plan.ctas), 1, 1};
        begin.block = {plan.threads, 1, 1};
        const std::vector<std::uint32_t> parameters = global_parameters();
        begin.parameter_bytes = static_cast<std::uint32_t>(parameters.size() * 4);
        std::vector<ScriptedMessage> messages{scripted(clock.edge(3) + 77, 9, gpu::kSmAllocationPort,
                                                       gpu::AllocationUpdate{isa::kGlobalBase, 1 << 16, 0}),
                                              scripted(clock.edge(10), 7, gpu::kSmDispatchPort, begin)};
        const auto* bytes = reinterpret_cast<const std::byte*>(parameters.data());
        messages.back().payload.insert(messages.back().payload.end(), bytes, bytes + begin.parameter_bytes);
        for (std::uint64_t cta = 0; cta < plan.first; ++cta) {
            messages.push_back(
                scripted(clock.edge(11 + static_cast<Cycle>(cta)), 7, gpu::kSmDispatchPort, gpu::CtaAssign{cta}));
        }
        return messages;
    }

    Configuration configuration;
    isa::KernelTable kernels;
    std::uint64_t most_ctas;
    ClockDomain clock;
    LpContract contract;
};

TEST_CASE("an SM keeps the contract of logical processes") {
    const std::uint64_t first_seed = random_seed();
    for (const std::string& scheduler : at_least(2, variant_names<gpu::WarpScheduler>())) {
        CAPTURE(scheduler);
        SmContract sm(scheduler);
        CHECK(check_contract(sm.contract, first_seed, often(60), often(6)) == "");
        CHECK(count_outputs(sm.contract, first_seed) == SmContract::Plan(first_seed).ctas + 1);
    }
}

TEST_CASE("an SM whose lanes wait for one another on ways of their own keeps the contract of logical processes") {
    const std::uint64_t first_seed = random_seed();
    SmContract sm("gto", meeting_kernel(), "convergence_barrier");
    CHECK(check_contract(sm.contract, first_seed, often(25), often(3)) == "");
    CHECK(count_outputs(sm.contract, first_seed) == SmContract::Plan(first_seed).ctas + 1);
}

TEST_CASE("an SM whose kernel has a further program runs its own code as if it were alone, also from a checkpoint") {
    const std::uint64_t first_seed = random_seed();
    SmContract alone("gto", meeting_kernel(), "convergence_barrier");
    isa::Kernel second = meeting_kernel();
    second.registers += 100;
    SmContract sm("gto", with_program(meeting_kernel(), second), "convergence_barrier");
    for (std::uint64_t seed = first_seed; seed < first_seed + often(5); ++seed) {
        REQUIRE(check_save_and_load(sm.contract, seed) == "");
        CHECK(count_outputs(sm.contract, seed) == count_outputs(alone.contract, seed));
    }
}

TEST_CASE("an SM of 96 warps that pre-execute keeps the contract of logical processes") {
    const std::uint64_t first_seed = random_seed();
    constexpr std::uint64_t kCtas = 12;
    SmContract sm("gto", mixed_kernel(2), "stack", "pmode",
                  "max_warps = 96\nmax_threads = 3072\nmax_ctas = 16\nregisters = 65536\nprivate_fetch = true\n",
                  kCtas);
    CHECK(check_contract(sm.contract, first_seed, often(3), often(1)) == "");
    CHECK(count_outputs(sm.contract, first_seed) == SmContract::Plan(first_seed, kCtas).ctas + 1);
}

TEST_CASE("an SM with any issue extension keeps the contract of logical processes, under both models of divergence") {
    const std::uint64_t first_seed = random_seed();
    for (const std::string& extension : at_least(2, variant_names<gpu::IssueExtension>())) {
        if (extension == "none") { continue; }
        CAPTURE(extension);
        for (const std::string& simt : at_least(2, variant_names<gpu::SimtModel>())) {
            const bool stack = simt == "stack";
            SmContract sm("gto", stack ? mixed_kernel(2) : meeting_kernel(), simt, extension,
                          stack ? "private_fetch = true\n" : "");
            CHECK(check_contract(sm.contract, first_seed, often(10), often(1)) == "");
            CHECK(count_outputs(sm.contract, first_seed) == SmContract::Plan(first_seed).ctas + 1);
        }
    }
}

}  // namespace
}  // namespace lookahead::test
