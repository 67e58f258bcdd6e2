#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "core/state/archives.h"
#include "core/stats/phase_log.h"
#include "experiments/results/kernel_counters_collector.h"
#include "experiments/results/run_energy.h"
#include "experiments/results/stall_series.h"
#include "tests/support/seed.h"

namespace lookahead {
namespace {

constexpr StatisticDescription kCycles{"cycles", "cycle", "Cycles."};
constexpr StatisticDescription kReads{"reads", "request", "Reads."};

/// A process that keeps its counters by phases.
class Counting final : public LogicalProcess {
  public:
    void count(std::uint64_t cycles, std::uint64_t reads) {
        cycles_ += cycles;
        reads_ += reads;
    }
    void end_phase(std::uint64_t phase) {
        phases_.end_phase(phase, [this](StatisticsVisitor& visitor) { visit_statistics(visitor); });
    }

    void visit_statistics(StatisticsVisitor& visitor) const override {
        visitor.counter("sm0", "sm", kCycles, cycles_);
        visitor.counter("sm0.l1d", "l1d", kReads, reads_);
    }
    const PhaseLog* phases() const override { return &phases_; }

    void advance(Inbox, Time) override {}
    Time next_event_time() const override { return kTimeInfinity; }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return ""; }
    void fields(StateArchive&) override {}

  private:
    std::uint64_t cycles_ = 0;
    std::uint64_t reads_ = 0;
    PhaseLog phases_;
};

RunRecord record_of_kernels() {
    RunRecord record;
    record.counters = {{"host", {"host"}, {{"calls", "call", "Calls.", {3}}}},
                       {"l1d", {"sm0.l1d"}, {{"reads", "request", "Reads.", {0}}}},
                       {"sm", {"sm0"}, {{"cycles", "cycle", "Cycles.", {0}}}}};
    record.kernels.resize(2);
    record.kernels[0].id = 0;
    record.kernels[0].start_fs = 0;
    record.kernels[0].end_fs = 1'000'000'000;
    record.kernels[1].id = 1;
    record.kernels[1].start_fs = 2'000'000'000;
    record.kernels[1].end_fs = 5'000'000'000;
    return record;
}

class Totals {
  public:
    explicit Totals(std::size_t counters) : values(counters) {}
    void operator()(StatisticsVisitor& visitor) const {
        for (const std::uint64_t& value : values) { visitor.counter("sm0", "sm", kCycles, value); }
    }
    std::vector<std::uint64_t> values;
};

using Phases = std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>>;

Phases phases_of(const PhaseLog& log) {
    Phases phases;
    log.for_each([&](std::uint64_t phase, std::span<const std::uint64_t> counts) {
        phases.emplace_back(phase, std::vector<std::uint64_t>(counts.begin(), counts.end()));
    });
    return phases;
}

TEST_CASE("a phase log gives back zeros at every place, also after it was saved") {
    std::mt19937_64 random(test::random_seed());
    for (const double zeros : {0.0, 0.5, 0.95, 1.0}) {
        Totals totals(1 + random() % 300);
        PhaseLog log;
        Phases expected;
        for (std::uint64_t phase = 0; phase < 20; ++phase) {
            std::vector<std::uint64_t> counts(totals.values.size());
            for (std::size_t i = 0; i < counts.size(); ++i) {
                counts[i] = std::bernoulli_distribution(zeros)(random) ? 0 : random() >> (random() % 64);
                totals.values[i] += counts[i];
            }
            log.end_phase(phase * phase, std::ref(totals));
            expected.emplace_back(phase * phase, std::move(counts));
        }
        CHECK(phases_of(log) == expected);
        PhaseLog loaded;
        load_state(loaded, saved_state(log));
        CHECK(phases_of(loaded) == expected);
        CHECK(hash_of_state(loaded) == hash_of_state(log));
        totals.values[0] += 7;  // both continue from the same totals
        log.end_phase(1000, std::ref(totals));
        loaded.end_phase(1000, std::ref(totals));
        CHECK(phases_of(loaded) == phases_of(log));
    }
}

TEST_CASE("a process that does little in many phases takes little room") {
    Totals totals(200);
    PhaseLog log;
    for (std::uint64_t phase = 0; phase < 10000; ++phase) {
        totals.values[100] += 5;
        log.end_phase(phase, std::ref(totals));
    }
    CHECK(log.bytes() <= 10000 * 2 * 10);  // the vector may be twice as large as its contents
}

TEST_CASE("a phase log gives the differences of any counts back") {
    Counting process;
    std::vector<std::vector<std::uint64_t>> seen;
    process.count(127, 128);
    process.end_phase(0);
    process.count(0, ~std::uint64_t{0} - 200);
    process.end_phase(300);
    process.count(5, 5);  // after the last phase
    process.phases()->for_each([&](std::uint64_t phase, std::span<const std::uint64_t> counts) {
        seen.emplace_back(counts.begin(), counts.end());
        seen.back().push_back(phase);
    });
    CHECK(seen == std::vector<std::vector<std::uint64_t>>{{127, 128, 0}, {0, ~std::uint64_t{0} - 200, 300}});
}

TEST_CASE("kernels' counters are added up over processes and ranks, in the order of the record's counters") {
    Counting first;
    Counting second;
    for (Counting* each : {&first, &second}) {
        each->count(10, 1);
        each->end_phase(0);
        each->count(20, 2);
        each->end_phase(1);
    }
    KernelCountersCollector mine;
    KernelCountersCollector other;
    mine.add(first);
    other.add(second);
    mine.merge(other.to_bytes());
    RunRecord record = record_of_kernels();
    mine.write_into(record);
    CHECK(record.kernel_counters.counters == std::vector<std::string>{"l1d.reads", "sm.cycles"});
    CHECK(record.kernel_counters.values == std::vector<std::uint64_t>{2, 20, 4, 40});
}

TEST_CASE("a kernel that some process has not ended has zeros") {
    Counting ended;
    Counting running;
    ended.count(10, 1);
    ended.end_phase(0);
    ended.count(20, 1);
    ended.end_phase(1);
    running.count(5, 5);
    running.end_phase(0);
    KernelCountersCollector collector;
    collector.add(ended);
    collector.add(running);
    RunRecord record = record_of_kernels();
    collector.write_into(record);
    CHECK(record.kernel_counters.values == std::vector<std::uint64_t>{6, 15, 0, 0});
}

TEST_CASE("a kernel's energy is that of its counters and of its time") {
    RunRecord record = record_of_kernels();
    record.kernel_counters = {{"l1d.reads", "sm.cycles"}, {2, 20, 4, 40}};
    EnergyTable table;
    table.events = {{"core", "clock", "sm.cycles", 1e-9, "test"},
                    {"host", "calls", "host.calls", 1, "test"},
                    {"core", "tags", "l1d.reads", 5e-9, "test"}};
    table.statics = {{"core", "leakage", "sm", 2, "test"}};
    record.energy = energy_of(table, {{}, {{"sm", 3}}, 0});
    compute_kernel_energies(record);
    const std::vector<double>& joules = record.kernel_energies.joules;
    REQUIRE(joules.size() == 2 * 2 * 2);
    CHECK(joules[0] == doctest::Approx(30e-9));
    CHECK(joules[1] == doctest::Approx(3 * 2 * 1e-6));
    CHECK(joules[2] == 0);  // the host does not count by kernel
    CHECK(joules[4] == doctest::Approx(60e-9));
    CHECK(joules[5] == doctest::Approx(3 * 2 * 3e-6));
    CHECK(record.kernel_energies.energy_delay_js[1] == doctest::Approx((60e-9 + 18e-6) * 3e-6));
}

TEST_CASE("the schedulers' series become causes by SM") {
    RunRecord record;
    record.series = {{"other", {1}, {"x"}, {{"y", "", "Y.", {1}}}},
                     {"sm_scheduler",
                      {10, 20},
                      {"sm0.scheduler0", "sm0.scheduler1", "sm1.scheduler0", "sm1.scheduler1"},
                      {{"issued", "cycle", "I.", {1, 2, 3, 4, 5, 6, 7, 8}},
                       {"barrier", "cycle", "B.", {10, 20, 30, 40, 50, 60, 70, 80}}}}};
    separate_stalls(record, "sm_scheduler");
    CHECK(record.series.size() == 1);
    CHECK(record.stalls.components == std::vector<std::string>{"sm0", "sm1"});
    CHECK(record.stalls.causes == std::vector<std::string>{"issued", "barrier"});
    CHECK(record.stalls.cycles == std::vector<std::uint64_t>{10, 20});
    CHECK(record.stalls.values == std::vector<std::uint64_t>{3, 30, 7, 70, 11, 110, 15, 150});
}

}  // namespace
}  // namespace lookahead
