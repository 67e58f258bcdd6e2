// Streams that an extension adds to an SM: a further program of the kernel, run by the SM's stages with any priority,
// in an SM with several extensions.
#include <doctest/doctest.h>

#include "components/sm/pipeline/extension_streams.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

using gpu::ContextMask;
using gpu::ContextState;
using gpu::DecodedInstruction;
using gpu::IssuePriority;

/// Runs the kernel's second program once per launch, as one stream with a full warp of lanes, in rows after the warps'
/// own. It has loads and arithmetic and leaves its results in its registers.
class Assistant : public gpu::IssueExtension, private gpu::StreamPolicy {
  public:
    struct Ways {
        IssuePriority priority;
        Cycle pause;  ///< between the first warp's start and its own start
        Cycle holds;  ///< its issue slot, for each instruction
    };
    Assistant(const gpu::IssueExtensionArguments& arguments, Ways ways)
        : IssueExtension(arguments),
          ways_(ways),
          issue_(arguments.issue),
          execute_(arguments.execute),
          memory_(arguments.memory),
          streams_(arguments, *this,
                   {.count = 1,
                    .priority = ways.priority,
                    .of_scheduler = std::vector<ContextMask>(arguments.issue.schedulers(), gpu::context_bit(0))}) {}

    /// Register `number` in lane 0 after the last launch.
    std::uint32_t result(unsigned number) const { return state_.registers.row(first_row_ + number)[0]; }
    const std::vector<Cycle>& issued() const { return issued_; }
    Cycle waited() const { return issued_.front() - begun_; }

    Cycle longest_delay() const override { return gpu::ExtensionStreams::longest_delay(state_, ways_.pause); }
    void begin_launch() override {
        streams_.begin_launch();
        const unsigned registers = state_.kernel->first_predicate_bit();
        first_row_ = state_.warps.size() * state_.launch.occupancy.rows_per_warp + sm_.number * registers;
        state_.registers.grow(first_row_ + registers);
        started_ = false;
    }
    void warp_started(unsigned) override {
        if (started_ || state_.kernel->kernel().programs.empty()) { return; }
        started_ = true;
        gpu::Stream& stream = streams_.start(0);
        stream.start(state_.simt, isa::kFullMask, 0, 0);
        stream.stack.start(state_.simt, state_.kernel->kernel().programs[0].entry, isa::kFullMask);
        for (unsigned number = 0; number < state_.kernel->first_predicate_bit(); ++number) {
            streams_.set().map.set(0, number, static_cast<std::uint16_t>(first_row_ + number));
        }
        begun_ = state_.now;
        streams_.resume_after(0, ways_.pause, state_.now);
    }
    void event(unsigned, std::uint32_t pc, Cycle) override { written(pc); }
    void load_completed(std::uint16_t token, const isa::Instruction&, Cycle) override { written(token - 1u); }
    void audit(Audit& audit, const std::string& sm) const override { streams_.audit(audit, sm, "assistants"); }
    void fields(StateArchive& archive) override {
        archive& first_row_& started_;
        streams_.fields(archive);
    }

  private:
    void written(std::uint32_t pc) {
        streams_.set().scoreboard.release(0, state_.kernel->writes(pc));
        streams_.renew(0);
    }
    ContextState judge(unsigned stream) override {
        const std::uint32_t pc = streams_[stream].stack.pc();
        return state_.waits_for(streams_.set(), stream, pc, state_.kernel->needs(pc));
    }
    void issue(unsigned scheduler, unsigned stream, Cycle now) override {
        issued_.push_back(now);
        issue_.hold(scheduler, ways_.holds, now);
        gpu::Stream& of = streams_[stream];
        const std::uint32_t pc = of.stack.pc();
        const DecodedInstruction& decoded = (*state_.kernel)[pc];
        const isa::LaneMask active = decoded.guarded_lanes(of.stack.active(), of.predicates);
        const std::uint16_t* map = streams_.set().map.of(stream);
        if (decoded.action == gpu::Action::exit) { return streams_.stop(stream); }
        if (decoded.action == gpu::Action::branch) {
            REQUIRE(streams_.branch(stream, active, *decoded.instruction));
            return streams_.await_branch(stream, now);
        }
        const Cycle from = issue_.enter(scheduler, decoded, {}, {}, now);
        streams_.set().scoreboard.reserve(stream, state_.kernel->writes(pc), decoded.long_latency);
        if (decoded.action == gpu::Action::memory) {
            gpu::MemoryInstruction& request = execute_.make_request(0, pc, map, active, from);
            for (unsigned row = 0; row < decoded.instruction->destination_rows; ++row) {
                request.destination_rows[row] = map[decoded.instruction->destination + row];
            }
            request.token = token_of(pc + 1);
            request.pre_load = false;
            memory_.accept(request, now);
            issue_.note_accepted();
        } else {
            isa::OperandRows rows = execute_.operand_rows(map, of.predicates, decoded);
            for (unsigned word = 0; word < decoded.instruction->destination_rows; ++word) {
                rows.destination[word] = state_.registers.row(map[decoded.instruction->destination + word]);
            }
            decoded.handler(rows, active, *decoded.instruction);
            if (decoded.writes_predicate) { of.predicates[decoded.destination_predicate] = rows.destination_predicate; }
            schedule(0, pc, now, from + decoded.latency);
        }
        REQUIRE(streams_.advance(stream));
    }

    const Ways ways_;
    gpu::IssueStage& issue_;
    gpu::ExecuteStage& execute_;
    gpu::LoadStoreUnit& memory_;
    gpu::ExtensionStreams streams_;
    std::uint32_t first_row_ = 0;
    bool started_ = false;
    Cycle begun_ = 0;  // this and the next are for the test, not state
    std::vector<Cycle> issued_;
};

constexpr Cycle kLate = 5000;  ///< longer than an SM by itself ever looks ahead
constexpr Cycle kHolds = 5;

template <IssuePriority kPriority, Cycle kPause = 100, Cycle kHeld = 1>
struct AssistantWith final : Assistant {
    explicit AssistantWith(const gpu::IssueExtensionArguments& arguments)
        : Assistant(arguments, {.priority = kPriority, .pause = kPause, .holds = kHeld}) {}
};
using AssistantAbove = AssistantWith<IssuePriority::above>;
using AssistantBeside = AssistantWith<IssuePriority::beside>;
using AssistantBelow = AssistantWith<IssuePriority::below>;
using LateAssistant = AssistantWith<IssuePriority::above, kLate>;
using HoldingAssistant = AssistantWith<IssuePriority::above, 100, kHolds>;
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, AssistantAbove, "assistant_above", "Runs a second program.", "tests")
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, AssistantBeside, "assistant_beside", "Runs a second program.", "tests")
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, AssistantBelow, "assistant_below", "Runs a second program.", "tests")
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, LateAssistant, "late_assistant", "Runs a second program.", "tests")
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, HoldingAssistant, "holding_assistant", "Runs a second program.",
                           "tests")

constexpr unsigned kTurns = 10;

/// R0 counts to kTurns; R1 is kTurns times the word at parameter 1.
isa::Kernel summing_program() {
    KernelBuilder k("sum", {8, 8});
    const auto count = k.reg(), sum = k.reg(), word = k.reg();
    const auto more = k.predicate();
    k.op(Operation::mov, Type::u32, count, {k.literal(0)});
    k.op(Operation::mov, Type::u32, sum, {k.literal(0)});
    const auto again = k.here(), done = k.label();
    k.load(isa::Space::global, Type::u32, word, k.parameter(1));
    k.op(Operation::add, Type::u32, sum, {sum, word});
    k.op(Operation::add, Type::u32, count, {count, k.literal(1)});
    k.setp(isa::Comparison::lt, Type::u32, more, count, k.literal(kTurns));
    k.branch_if(more, again, done);
    k.bind(done);
    return k.finish();
}

struct Outcome {
    std::vector<std::uint32_t> words;
    Cycle cycles = 0;
    bool operator==(const Outcome&) const = default;
};

struct Bench {
    explicit Bench(const isa::Kernel& kernel, const std::string& extension, const std::string& keys = "")
        : harness({kernel}, "[sm]\n" + (extension.empty() ? "" : "issue_extension = \"" + extension + "\"\n") + keys) {
        harness.fill_input(1024, [](unsigned i) { return 7 * i + 3; });
        harness.run_to_end({.grid = {4, 1, 1}, .block = {128, 1, 1}, .parameters = global_parameters()});
    }
    Outcome outcome() {
        Outcome of;
        of.cycles = harness.received().back().cycle;
        for (unsigned i = 0; i < 512; ++i) { of.words.push_back(harness.memory().global_word(4 * i)); }
        return of;
    }
    Assistant& assistant(std::size_t number = 0) { return dynamic_cast<Assistant&>(harness.sm().extensions()[number]); }
    std::uint64_t charged(gpu::SchedulerCycle cause) const { return harness.charged(cause); }
    SmHarness harness;
};

constexpr const char* kPriorities[] = {"assistant_above", "assistant_beside", "assistant_below"};

TEST_CASE("a stream of an extension runs a program of its own beside the warps, with each priority") {
    const isa::Kernel kernel = with_program(mixed_kernel(3), summing_program());
    Bench plain(kernel, "");
    for (const char* extension : kPriorities) {
        CAPTURE(extension);
        Bench bench(kernel, extension);
        CHECK(bench.assistant().result(0) == kTurns);
        CHECK(bench.assistant().result(1) == kTurns * 3);
        const std::size_t instructions = 2 + kTurns * 5 + 1;
        CHECK(bench.assistant().issued().size() == instructions);
        CHECK(bench.charged(gpu::SchedulerCycle::extension_issued) == instructions);
        CHECK(bench.charged(gpu::SchedulerCycle::issued) == plain.charged(gpu::SchedulerCycle::issued));
    }
}

TEST_CASE("a kernel without a program for the extension runs as if there were none") {
    const isa::Kernel kernel = mixed_kernel(3);
    Bench plain(kernel, "");
    for (const char* extension : kPriorities) {
        CAPTURE(extension);
        CHECK(Bench(kernel, extension).outcome() == plain.outcome());
    }
}

/// Enough to issue that one scheduler is never idle for long.
isa::Kernel busy_kernel() {
    KernelBuilder k("busy", {8, 8});
    for (unsigned i = 0; i < 200; ++i) {
        k.op(Operation::add, Type::u32, k.registers(1), {k.literal(1), k.literal(2)});
    }
    return k.finish();
}

/// Independent instructions, so that the assistant never waits for itself.
isa::Kernel straight_program() {
    KernelBuilder k("straight", {8, 8});
    for (unsigned i = 0; i < 24; ++i) { k.op(Operation::add, Type::u32, k.registers(1), {k.literal(i), k.literal(1)}); }
    return k.finish();
}

TEST_CASE("a priority says who waits where both the warps and the extension could issue") {
    const isa::Kernel kernel = with_program(busy_kernel(), straight_program());
    // One scheduler and no instruction cache: fetches never delay the assistant for long.
    const std::string keys = "schedulers = 1\n[l1i]\nenabled = false\n";
    Cycle last[3];
    for (unsigned priority = 0; priority < 3; ++priority) {
        Bench bench(kernel, kPriorities[priority], keys);
        const std::vector<Cycle>& issued = bench.assistant().issued();
        REQUIRE(issued.size() == 25);
        last[priority] = issued.back() - issued.front();
    }
    CHECK(last[0] < last[1]);
    CHECK(last[1] < last[2]);
}

TEST_CASE("two extensions get their own events and loads, and the warps' results stay") {
    const isa::Kernel kernel = with_program(mixed_kernel(3), summing_program());
    Bench both(kernel, "assistant_below+assistant_above");
    for (std::size_t number : {0, 1}) {
        CHECK(both.assistant(number).result(0) == kTurns);
        CHECK(both.assistant(number).result(1) == kTurns * 3);
    }
    CHECK(both.assistant(0).issued().size() == both.assistant(1).issued().size());
    CHECK(both.assistant(0).issued() != both.assistant(1).issued());
    CHECK(both.charged(gpu::SchedulerCycle::extension_issued) == 2 * both.assistant(0).issued().size());
}

TEST_CASE("an extension may look as far ahead as it declares") {
    Bench bench(with_program(busy_kernel(), straight_program()), "late_assistant");
    CHECK(bench.assistant().waited() >= kLate);
    CHECK(bench.assistant().waited() < kLate + 200);
}

TEST_CASE("an instruction may hold its issue slot for several cycles, which are charged as held") {
    const isa::Kernel kernel = with_program(busy_kernel(), straight_program());
    const std::string keys = "schedulers = 1\n[l1i]\nenabled = false\n";
    Bench holding(kernel, "holding_assistant", keys), plain(kernel, "assistant_above", keys);
    const std::vector<Cycle>& issued = holding.assistant().issued();
    REQUIRE(issued.size() == 25);
    for (std::size_t i = 1; i < issued.size(); ++i) { CHECK(issued[i] - issued[i - 1] >= kHolds); }
    CHECK(holding.charged(gpu::SchedulerCycle::slot_held) == issued.size() * (kHolds - 1));
    CHECK(plain.charged(gpu::SchedulerCycle::slot_held) == 0);
    CHECK(holding.charged(gpu::SchedulerCycle::issued) == plain.charged(gpu::SchedulerCycle::issued));
    CHECK(holding.outcome().words == plain.outcome().words);
    CHECK(holding.outcome().cycles > plain.outcome().cycles);
}

/// R0 to R3 are words 3, 1, 2 and 0 at parameter 1.
isa::Kernel gathering_program() {
    KernelBuilder k("gather", {8, 8});
    const auto words = k.registers(4), indices = k.registers(4);
    const unsigned order[] = {3, 1, 2, 0};
    for (unsigned i = 0; i < 4; ++i) {
        k.op(Operation::mov, Type::u32, KernelBuilder::word(indices, i), {k.literal(order[i])});
    }
    isa::Instruction& load = k.op(Operation::load_indirect, Type::b32, words, {k.parameter(1), indices});
    load.space = isa::Space::global;
    load.vector = 4;
    return k.finish();
}

TEST_CASE("an extension's vector memory instruction holds the slot as a warp's does, while its operands are staged") {
    Bench bench(with_program(busy_kernel(), gathering_program()), "assistant_above");
    CHECK(bench.charged(gpu::SchedulerCycle::slot_held) == 1);
    const unsigned order[] = {3, 1, 2, 0};
    for (unsigned i = 0; i < 4; ++i) { CHECK(bench.assistant().result(i) == 7 * order[i] + 3); }
}

TEST_CASE("an SM with a stream of an extension goes on from a copy in the middle as if nothing had been") {
    const isa::Kernel kernel = with_program(mixed_kernel(3), summing_program());
    for (const char* extension : {kPriorities[0], kPriorities[1], kPriorities[2], "holding_assistant"}) {
        CAPTURE(extension);
        const std::string keys = "[sm]\nissue_extension = \"" + std::string(extension) + "\"\n";
        SmHarness whole({kernel}, keys), copied({kernel}, keys);
        for (SmHarness* harness : {&whole, &copied}) {
            harness->launch({.grid = {4, 1, 1}, .block = {128, 1, 1}, .parameters = global_parameters()});
        }
        for (Cycle at = 50; at < 1000; at += 37) {
            copied.run_until_window_by_window(copied.clock().edge(at));
            whole.run_until_window_by_window(whole.clock().edge(at));
            copied.replace_sm_by_restored_copy();
            REQUIRE(copied.state_hash() == whole.state_hash());
        }
        REQUIRE(whole.run());
        REQUIRE(copied.run());
        CHECK(copied.state_hash() == whole.state_hash());
        CHECK(copied.received().back().cycle == whole.received().back().cycle);
    }
}

TEST_CASE("extensions that stand twice, beside none, or are not known are refused by name") {
    const auto make = [](const std::string& extension) {
        SmHarness({add_index()}, "[sm]\nissue_extension = \"" + extension + "\"\n");
    };
    using doctest::Contains;
    CHECK_THROWS_WITH_AS(make("assistant_above+assistant_above"), Contains("names assistant_above twice"),
                         ConfigurationError);
    CHECK_THROWS_WITH_AS(make("none+assistant_above"), Contains("names none beside others"), ConfigurationError);
    CHECK_THROWS_WITH_AS(make("assistant_abov"), Contains("assistant_above"), ConfigurationError);
    CHECK_THROWS_WITH_AS(make("assistant_above+"), Contains("no variant \"\""), ConfigurationError);
    CHECK_NOTHROW(make("assistant_above+assistant_beside"));
}

}  // namespace
}  // namespace lookahead::test
