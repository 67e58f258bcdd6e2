#include "components/dram/dram_channel.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "core/error/error.h"
#include "core/param/configuration.h"
#include "tests/support/with.h"

namespace lookahead::gpu {
namespace {

using lookahead::test::with;
using Command = DramChannel::Command;

struct Issued {
    Command command;
    unsigned bank;
    Cycle cycle;
};

struct Line {
    std::uint64_t row;
    unsigned bank;
    bool write = false;
    Cycle arrival = 0;
    unsigned columns = 2;
};

/// The tests name banks by groups of four neighbours.
DramParameters with_high_groups() {
    return with(DramParameters{}, &DramParameters::bank_group_bits, "high");
}

struct Harness {
    explicit Harness(const DramParameters& parameters, const std::string& scheduler = "fcfs", unsigned banks = 16)
        : timing(parameters),
          channel(
              parameters, banks,
              make_variant<DramScheduler>(scheduler, Configuration{},
                                          DramSchedulerShape{static_cast<unsigned>(parameters.queue_entries), banks})) {
    }

    void run_until(Cycle limit) {
        while (channel.next_event() < limit) {
            const Cycle now = channel.next_event();
            const DramChannel::Step step = channel.step(now);
            if (step.command != Command::none) { trace.push_back({step.command, step.bank, now}); }
            if (step.read_done) {
                done[step.tag] = step.data_end;
                channel.release_return(now + 1);
            }
        }
    }
    void accept(const Line& line, std::uint32_t tag) {
        run_until(line.arrival);
        channel.accept(line.row, line.bank, line.write, tag, line.columns, line.arrival);
    }
    const std::vector<Issued>& run(const std::vector<Line>& lines) {
        for (std::uint32_t tag = 0; tag < lines.size(); ++tag) { accept(lines[tag], tag); }
        run_until(kCycleInfinity);
        CHECK(channel.idle());
        return trace;
    }
    /// The cycle of the n-th command of that kind, optionally on one bank.
    Cycle when(Command command, int n, std::optional<unsigned> bank = {}) const {
        for (const Issued& each : trace) {
            if (each.command == command && (!bank || each.bank == *bank) && n-- == 0) { return each.cycle; }
        }
        FAIL("no such command");
        return 0;
    }

    DramParameters timing;
    DramChannel channel;
    std::vector<Issued> trace;
    std::map<std::uint32_t, Cycle> done;
};

/// The n-th command of a kind, optionally on one bank.
struct Nth {
    Command command;
    int n;
    std::optional<unsigned> bank = {};
};

auto gap(Nth from, Nth to) {
    return [=](const Harness& harness) {
        return harness.when(to.command, to.n, to.bank) - harness.when(from.command, from.n, from.bank);
    };
}

/// Checks that the delay between two commands is `expected` cycles, and one more if the parameter is one more: the
/// second command is neither a cycle early nor late.
void check_bound(Cycle DramParameters::*parameter, const std::vector<Line>& lines,
                 const std::function<Cycle(const Harness&)>& delay, Cycle expected,
                 const DramParameters& base = with_high_groups()) {
    for (const Cycle more : {0, 1, 2, 7}) {
        CAPTURE(more);
        Harness harness(with(base, parameter, base.*parameter + more));
        harness.run(lines);
        CHECK(delay(harness) == expected + more);
    }
}

TEST_CASE("a column command follows an activate after exactly RCD") {
    check_bound(&DramParameters::rcd, {{7, 3}}, gap({Command::activate, 0}, {Command::read, 0}), 12);
}

TEST_CASE("the data of a read end CL and a burst after its last command") {
    check_bound(
        &DramParameters::cl, {{7, 3}}, [](const Harness& h) { return h.done.at(0) - h.when(Command::read, 1); },
        12 + 2);
}

TEST_CASE("column commands of one bank group are CCDL apart") {
    check_bound(&DramParameters::ccdl, {{7, 3}}, gap({Command::read, 0}, {Command::read, 1}), 3);
    check_bound(&DramParameters::ccdl, {{7, 3, true}}, gap({Command::write, 0}, {Command::write, 1}), 3);
}

TEST_CASE("column commands of different bank groups are CCD apart") {
    // Two open rows in groups 0 and 1; then a read of each at the same time. CCDL is large so that it does not bind.
    const DramParameters base = with(with_high_groups(), &DramParameters::ccdl, 50);
    const std::vector<Line> lines = {{7, 0}, {7, 4}, {7, 0, false, 500}, {7, 4, false, 500}};
    check_bound(&DramParameters::ccd, lines, gap({Command::read, 2, 0}, {Command::read, 2, 4}), 2, base);
}

TEST_CASE("bank groups by the low bits put neighbouring banks into different groups") {
    for (const bool low : {false, true}) {
        CAPTURE(low);
        Harness harness(
            with(DramParameters{}, &DramParameters::bank_group_bits, low ? "low" : "high", &DramParameters::ccdl, 9));
        harness.run({{7, 0}, {7, 1}, {7, 0, false, 500}, {7, 1, false, 500}});
        CHECK(harness.when(Command::read, 2, 1) - harness.when(Command::read, 2, 0) == (low ? 2 : 2 * 9));
    }
}

TEST_CASE("activates of different banks are RRD apart") {
    check_bound(&DramParameters::rrd, {{7, 3}, {7, 9}}, gap({Command::activate, 0}, {Command::activate, 1}), 6);
}

TEST_CASE("activates of one bank group are RRDL apart, where that is more than RRD") {
    DramParameters base = with_high_groups();
    base.rrdl = 9;
    const auto delay = gap({Command::activate, 0}, {Command::activate, 1});
    check_bound(&DramParameters::rrdl, {{7, 0}, {7, 1}}, delay, 9, base);
    check_bound(&DramParameters::rrd, {{7, 0}, {7, 4}}, delay, 6, base);
    base.rrdl = 2;
    check_bound(&DramParameters::rrd, {{7, 0}, {7, 1}}, delay, 6, base);
}

TEST_CASE("an activate comes no earlier than FAW after the fourth before it") {
    DramParameters base = with_high_groups();
    base.rrd = 3;
    base.faw = 31;
    base.rcd = 100;  // no column command comes in between
    const std::vector<Line> lines = {{7, 0}, {7, 1}, {7, 4}, {7, 5}, {7, 8}};
    check_bound(&DramParameters::faw, lines, gap({Command::activate, 0}, {Command::activate, 4}), 31, base);
    base.faw = 1;
    check_bound(&DramParameters::rrd, lines, gap({Command::activate, 3}, {Command::activate, 4}), 3, base);
}

TEST_CASE("a row stays open for RAS before it is precharged") {
    check_bound(&DramParameters::ras, {{7, 3}, {8, 3}}, gap({Command::activate, 0}, {Command::precharge, 0}), 28);
}

TEST_CASE("an activate follows a precharge after exactly RP") {
    check_bound(&DramParameters::rp, {{7, 3}, {8, 3}}, gap({Command::precharge, 0}, {Command::activate, 1}), 12);
}

TEST_CASE("activates of one bank are at least RC apart") {
    // RAS + RP is 40 too; without RP, only RC binds.
    const DramParameters base = with(with_high_groups(), &DramParameters::rp, 0);
    check_bound(&DramParameters::rc, {{7, 3}, {8, 3}}, gap({Command::activate, 0}, {Command::activate, 1}), 40, base);
}

TEST_CASE("a precharge follows a read after exactly RTPL") {
    const DramParameters base = with(with_high_groups(), &DramParameters::ras, 0);
    check_bound(&DramParameters::rtpl, {{7, 3}, {8, 3}}, gap({Command::read, 1}, {Command::precharge, 0}), 2, base);
}

TEST_CASE("a precharge follows a write after WL, the burst and WR") {
    const auto delay = gap({Command::write, 1}, {Command::precharge, 0});
    const std::vector<Line> lines = {{7, 3, true}, {8, 3, true}};
    check_bound(&DramParameters::wr, lines, delay, 4 + 2 + 12);
    check_bound(&DramParameters::wl, lines, delay, 4 + 2 + 12);
}

TEST_CASE("a read follows a write after WL, the burst and CDLR, in any bank") {
    const std::vector<Line> lines = {{7, 3}, {7, 9}, {7, 3, true, 500}, {7, 9, false, 500}};
    const auto delay = gap({Command::write, 1}, {Command::read, 4});
    // The read's bank is in another group: its first command could slip in before the second write's.
    const DramParameters base = with(with_high_groups(), &DramParameters::ccdl, 2);
    check_bound(&DramParameters::cdlr, lines, delay, 4 + 2 + 5, base);
    check_bound(&DramParameters::wl, lines, delay, 4 + 2 + 5, base);
}

TEST_CASE("a write follows a read when the data bus has turned round") {
    const std::vector<Line> lines = {{7, 3}, {7, 9}, {7, 3, false, 500}, {7, 9, true, 500}};
    const auto delay = gap({Command::read, 5}, {Command::write, 0});
    const DramParameters base = with(with_high_groups(), &DramParameters::ccdl, 2);
    check_bound(&DramParameters::turnaround, lines, delay, 12 + 2 + 2 - 4, base);
    check_bound(&DramParameters::cl, lines, delay, 12 + 2 + 2 - 4, base);
}

TEST_CASE("the first read of an idle channel takes RCD, two column commands, CL and a burst") {
    Harness harness({});
    harness.run({{7, 3, false, 100}});
    CHECK(harness.when(Command::activate, 0) == 100);
    CHECK(harness.done.at(0) == 100 + 12 + 3 + 12 + 2);
    CHECK(harness.channel.counters().row_misses == 1);
}

TEST_CASE("a hit needs no activate and a conflict needs a precharge as well") {
    Harness harness({});
    harness.run({{7, 3}, {7, 3, false, 200}, {8, 3, false, 400}});
    const DramCounters& counters = harness.channel.counters();
    CHECK(counters.row_misses == 1);
    CHECK(counters.row_hits == 1);
    CHECK(counters.row_conflicts == 1);
    CHECK(counters.activates == 2);
    CHECK(counters.precharges == 1);
    CHECK(counters.data_bus_cycles == 3 * 4);
    CHECK(harness.done.at(1) == 200 + 3 + 12 + 2);
    CHECK(harness.done.at(2) == 400 + 12 + 12 + 3 + 12 + 2);
}

TEST_CASE("no more reads start than the return queue has room for") {
    Harness harness(with(with_high_groups(), &DramParameters::return_entries, 2));
    for (std::uint32_t tag = 0; tag < 3; ++tag) { harness.channel.accept(7, tag, false, tag, 2, 0); }
    std::vector<std::uint32_t> done;
    while (harness.channel.next_event() < 1000) {
        const auto step = harness.channel.step(harness.channel.next_event());
        if (step.read_done) { done.push_back(step.tag); }
    }
    CHECK(done == std::vector<std::uint32_t>{0, 1});
    CHECK(harness.channel.next_event() == kCycleInfinity);
    harness.channel.release_return(1000);
    CHECK(harness.channel.next_event() == 1000);
}

TEST_CASE("refresh closes the rows, keeps the banks busy for its duration, and is not an event") {
    Harness harness(
        with(with_high_groups(), &DramParameters::refresh_interval, 1000, &DramParameters::refresh_cycles, 60));
    harness.accept({7, 3, false, 0}, 0);
    harness.run_until(kCycleInfinity);
    CHECK(harness.channel.next_event() == kCycleInfinity);
    harness.accept({7, 3, false, 999}, 1);  // the first column is in time, the second is not
    harness.run_until(kCycleInfinity);
    CHECK(harness.when(Command::read, 2) == 999);
    CHECK(harness.when(Command::activate, 1) == 999 + 2 + 12 + 60);
    harness.accept({7, 3, false, 5010}, 2);
    harness.run_until(kCycleInfinity);
    CHECK(harness.when(Command::activate, 2) == 5000 + 60);
    CHECK(harness.channel.counters().refreshes == 5);
}

/// Checks a trace against the rules one by one, independently of the channel's bookkeeping.
void check_trace(const std::vector<Issued>& trace, const DramParameters& t, unsigned banks) {
    const Cycle burst = t.burst_cycles();
    const auto group = [&](unsigned bank) { return bank / (banks / t.bank_groups); };
    for (std::size_t j = 0; j < trace.size(); ++j) {
        const Issued& b = trace[j];
        int activates = 0;  // before b
        const bool b_column = b.command == Command::read || b.command == Command::write;
        for (std::size_t i = j; i-- > 0 && trace[i].cycle > b.cycle - 100;) {
            const Issued& a = trace[i];
            const Cycle gap = b.cycle - a.cycle;
            const bool same = a.bank == b.bank;
            CAPTURE(j);
            CAPTURE(i);
            REQUIRE(gap >= 1);
            if (a.command == Command::activate && b.command == Command::activate) {
                REQUIRE(gap >= (same ? t.rc : t.rrd));
                REQUIRE((group(a.bank) != group(b.bank) || gap >= t.rrdl));
                if (++activates == 4) { REQUIRE(gap >= t.faw); }
            }
            if (same && a.command == Command::activate && b_column) { REQUIRE(gap >= t.rcd); }
            if (same && a.command == Command::activate && b.command == Command::precharge) { REQUIRE(gap >= t.ras); }
            if (same && a.command == Command::precharge && b.command == Command::activate) { REQUIRE(gap >= t.rp); }
            if (same && b.command == Command::precharge && a.command == Command::read) { REQUIRE(gap >= t.rtpl); }
            if (same && b.command == Command::precharge && a.command == Command::write) {
                REQUIRE(gap >= t.wl + burst + t.wr);
            }
            if (b_column && a.command == b.command) {
                REQUIRE(gap >= (group(a.bank) == group(b.bank) ? t.ccdl : t.ccd));
            }
            if (a.command == Command::write && b.command == Command::read) { REQUIRE(gap >= t.wl + burst + t.cdlr); }
            if (a.command == Command::read && b.command == Command::write) {
                REQUIRE(gap >= t.cl + burst + t.turnaround - t.wl);
            }
        }
    }
}

std::vector<Line> random_lines(std::mt19937& random, int count, unsigned rows, unsigned gap) {
    std::vector<Line> lines;
    Cycle arrival = 0;
    for (int i = 0; i < count; ++i) {
        arrival += random() % gap;
        lines.push_back({random() % rows, static_cast<unsigned>(random() % 16), random() % 3 == 0, arrival});
    }
    return lines;
}

TEST_CASE("random traffic keeps every timing rule and every request is served once") {
    for (const std::string scheduler : {"fcfs", "frfcfs"}) {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            CAPTURE(scheduler);
            CAPTURE(seed);
            std::mt19937 random(seed);
            DramParameters parameters = with_high_groups();
            parameters.queue_entries = 1024;
            if (seed % 2 == 0) {
                parameters.rrd = 3;
                parameters.rrdl = 8;
                parameters.faw = 30;
            }
            Harness harness(parameters, scheduler);
            const auto lines = random_lines(random, 600, 1 + seed % 4, 1 + 4 * (seed % 5));
            harness.run(lines);
            check_trace(harness.trace, parameters, 16);
            std::size_t reads = 0;
            for (const Line& line : lines) { reads += !line.write; }
            CHECK(harness.done.size() == reads);
            CHECK(harness.channel.counters().reads == reads);
            CHECK(harness.channel.counters().writes == lines.size() - reads);
        }
    }
}

TEST_CASE("a stream of reads over two bank groups fills the data bus") {
    Harness harness(with(with_high_groups(), &DramParameters::queue_entries, 1024), "frfcfs");
    std::vector<Line> lines;
    for (unsigned i = 0; i < 1000; ++i) { lines.push_back({i / 64, i % 2 == 0 ? 0u : 4u}); }
    harness.run(lines);
    const Cycle end = harness.trace.back().cycle;
    const double utilisation = static_cast<double>(harness.channel.counters().data_bus_cycles) / end;
    CHECK(utilisation > 0.9);
    CHECK(utilisation <= 1.0);
}

TEST_CASE("the shortest refresh interval that is taken leaves time for every access, and a shorter one is refused") {
    std::mt19937 random(5);
    for (const Cycle refresh : {0, 1, 60, 1000}) {
        for (const Cycle rrd : {0, 6, 2000}) {
            CAPTURE(refresh);
            CAPTURE(rrd);
            DramParameters parameters = with_high_groups();
            parameters.refresh_cycles = refresh;
            parameters.rrd = rrd;
            parameters.queue_entries = 1024;
            parameters.refresh_interval = std::max<Cycle>(std::max<Cycle>(40, 4 + 2 + 12 + 12) + refresh, rrd) + 12 + 1;
            for (const std::string scheduler : {"fcfs", "frfcfs"}) {
                Harness harness(parameters, scheduler);
                const auto lines = random_lines(random, 200, 3, 6);
                harness.run(lines);
                CHECK(harness.channel.counters().reads + harness.channel.counters().writes == lines.size());
            }
            --parameters.refresh_interval;
            CHECK_THROWS_WITH_AS(Harness{parameters}, doctest::Contains("dram.refresh_interval"), ConfigurationError);
        }
    }
}

}  // namespace
}  // namespace lookahead::gpu
