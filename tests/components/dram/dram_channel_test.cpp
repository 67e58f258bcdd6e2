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

/// The delay between two commands is `cycles`, and as many more as the parameter is.
struct Rule {
    const char* says;
    Cycle DramParameters::*parameter;
    std::vector<Line> lines;
    std::function<Cycle(const Harness&)> delay;
    Cycle cycles;
    DramParameters base = with_high_groups();
};

TEST_CASE("a command follows those before it as soon as the timing parameters allow, and not a cycle earlier") {
    using P = DramParameters;
    const P base = with_high_groups();
    constexpr Command kActivate = Command::activate, kPrecharge = Command::precharge, kRead = Command::read,
                      kWrite = Command::write;
    const std::vector<Line> row{{7, 3}}, two_banks{{7, 3}, {7, 9}}, two_rows{{7, 3}, {8, 3}},
        two_written{{7, 3, true}, {8, 3, true}}, one_group{{7, 0}, {7, 1}},
        five_banks{{7, 0}, {7, 1}, {7, 4}, {7, 5}, {7, 8}},
        open_groups{{7, 0}, {7, 4}, {7, 0, false, 500}, {7, 4, false, 500}},
        write_read{{7, 3}, {7, 9}, {7, 3, true, 500}, {7, 9, false, 500}},
        read_write{{7, 3}, {7, 9}, {7, 3, false, 500}, {7, 9, true, 500}};
    const auto activates = gap({kActivate, 0}, {kActivate, 1}), to_read = gap({kWrite, 1}, {kRead, 4}),
               to_write = gap({kRead, 5}, {kWrite, 0}), after_write = gap({kWrite, 1}, {kPrecharge, 0});
    const P other_group = with(base, &P::ccdl, 2);  // a read in another group could slip in before the second write
    const P four = with(base, &P::rrd, 3, &P::faw, 31, &P::rcd, 100);  // no column command comes in between
    const Rule rules[] = {
        {"a column command follows an activate", &P::rcd, row, gap({kActivate, 0}, {kRead, 0}), 12},
        {"a read's data end CL and a burst after its last command", &P::cl, row,
         [](const Harness& h) { return h.done.at(0) - h.when(Command::read, 1); }, 12 + 2},
        {"column commands of one bank group", &P::ccdl, row, gap({kRead, 0}, {kRead, 1}), 3},
        {"column commands of one bank group", &P::ccdl, {{7, 3, true}}, gap({kWrite, 0}, {kWrite, 1}), 3},
        {"column commands of different groups, where CCDL does not bind", &P::ccd, open_groups,
         gap({kRead, 2, 0}, {kRead, 2, 4}), 2, with(base, &P::ccdl, 50)},
        {"activates of different banks", &P::rrd, two_banks, activates, 6},
        {"activates of one bank group, where RRDL is more than RRD", &P::rrdl, one_group, activates, 9,
         with(base, &P::rrdl, 9)},
        {"activates of different groups", &P::rrd, {{7, 0}, {7, 4}}, activates, 6, with(base, &P::rrdl, 9)},
        {"activates of one bank group, where RRD is more", &P::rrd, one_group, activates, 6, with(base, &P::rrdl, 2)},
        {"an activate after the fourth before it", &P::faw, five_banks, gap({kActivate, 0}, {kActivate, 4}), 31, four},
        {"an activate whose fourth before it is long past", &P::rrd, five_banks, gap({kActivate, 3}, {kActivate, 4}), 3,
         with(four, &P::faw, 1)},
        {"a row stays open before it is precharged", &P::ras, two_rows, gap({kActivate, 0}, {kPrecharge, 0}), 28},
        {"an activate follows a precharge", &P::rp, two_rows, gap({kPrecharge, 0}, {kActivate, 1}), 12},
        {"activates of one bank, without RP, which with RAS is as much", &P::rc, two_rows, activates, 40,
         with(base, &P::rp, 0)},
        {"a precharge follows a read", &P::rtpl, two_rows, gap({kRead, 1}, {kPrecharge, 0}), 2, with(base, &P::ras, 0)},
        {"a precharge follows a write after WL, the burst and WR", &P::wr, two_written, after_write, 4 + 2 + 12},
        {"a precharge follows a write after WL, the burst and WR", &P::wl, two_written, after_write, 4 + 2 + 12},
        {"a read follows a write of any bank", &P::cdlr, write_read, to_read, 4 + 2 + 5, other_group},
        {"a read follows a write of any bank", &P::wl, write_read, to_read, 4 + 2 + 5, other_group},
        {"a write follows a read's turnround", &P::turnaround, read_write, to_write, 12 + 2 + 2 - 4, other_group},
        {"a write follows a read's turnround", &P::cl, read_write, to_write, 12 + 2 + 2 - 4, other_group}};
    for (const auto& [says, parameter, lines, delay, cycles, parameters] : rules) {
        for (const Cycle more : {0, 1, 2, 7}) {
            CAPTURE(says);
            CAPTURE(more);
            Harness harness(with(parameters, parameter, parameters.*parameter + more));
            harness.run(lines);
            CHECK(delay(harness) == cycles + more);
        }
    }
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
