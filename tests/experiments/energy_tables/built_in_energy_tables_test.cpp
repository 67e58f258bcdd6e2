#include <doctest/doctest.h>

#include <set>
#include <string>

#include "core/error/error.h"
#include "experiments/energy_tables/energy_tables.h"
#include "tests/core/error/error_of.h"

namespace lookahead {
namespace {

std::set<std::string> charged_by(const BuiltInEnergyTable& table) {
    std::set<std::string> counters;
    for (const EventEnergy& event : fit_built_in_energy_table(table, registered_statistics_sets()).events) {
        counters.insert(event.counter);
    }
    return counters;
}

TEST_CASE("every built-in table fits the statistics of the program") {
    CHECK(!built_in_energy_tables().empty());
    for (const BuiltInEnergyTable& built_in : built_in_energy_tables()) {
        CAPTURE(built_in.name);
        EnergyTable table;
        REQUIRE_NOTHROW(table = fit_built_in_energy_table(built_in, registered_statistics_sets()));
        CHECK(table.events.size() > 20);
        CHECK(table.statics.size() > 2);
    }
}

TEST_CASE("every class of instructions costs energy in every built-in table") {
    for (const BuiltInEnergyTable& built_in : built_in_energy_tables()) {
        const std::set<std::string> charged = charged_by(built_in);
        for (const char* counter :
             {"sm.warp_instructions", "sm.integer", "sm.integer_mad", "sm.fp32_add", "sm.fp32_fma", "sm.fp64_fma",
              "sm.special", "l2_slice.reads", "l2_slice.writes", "dram.activates"}) {
            CHECK_MESSAGE(charged.contains(counter), counter);
        }
    }
}

TEST_CASE("what mechanisms add costs what their papers say") {
    const EnergyTable table = fit_built_in_energy_table(built_in_energy_tables().front(), registered_statistics_sets());
    const auto picojoules = [&](const std::string& counter) {
        double sum = 0;
        for (const EventEnergy& event : table.events) { sum += event.counter == counter ? event.joules * 1e12 : 0; }
        return sum;
    };
    CHECK(picojoules("pmode.renamings") == doctest::Approx(2.94));
    CHECK(picojoules("pmode.switches") == doctest::Approx(100));
    CHECK(picojoules("pmode.pqueue_accesses") == doctest::Approx(4.15));
    CHECK(picojoules("dac.atq_accesses") == doctest::Approx(5.3));
    CHECK(picojoules("dac.pwaq_accesses") == doctest::Approx(3.4));
    // Two operations and a sixteenth of a row for 32 operations; the rows are counted by thread.
    CHECK(picojoules("cae.instructions") == doctest::Approx(135 + 56 - 2160));
    CHECK(picojoules("cae.threads") == doctest::Approx(-28));
    CHECK(picojoules("caps.table_accesses") == doctest::Approx(15.07));
    // By bytes, as an entry of DAC's affine tuple queue: a sixteenth of its 392 bytes.
    const double byte = picojoules("dac.atq_accesses") / (392.0 / 16);
    CHECK(picojoules("ccws.probes") == doctest::Approx(8 * 41 / 8 * byte).epsilon(0.01));
    CHECK(picojoules("ccws.insertions") == doctest::Approx(41 / 8.0 * byte).epsilon(0.01));
    CHECK(picojoules("ccws.picks") == doctest::Approx(64 * byte).epsilon(0.01));
    CHECK(picojoules("batch.requests") == doctest::Approx((2 * 8 + 4 * 6) * byte).epsilon(0.01));
    CHECK(picojoules("batch.with_data") == doctest::Approx(2 * 128 * byte).epsilon(0.01));
}

TEST_CASE("schedulers and request paths that are compared with the vectors cost energy in the tables of boards") {
    for (const BuiltInEnergyTable& built_in : built_in_energy_tables()) {
        if (std::string(built_in.name) == "gpuwattch_gtx480") {
            continue;  // counted by GPUWattch only
        }
        CAPTURE(built_in.name);
        const std::set<std::string> charged = charged_by(built_in);
        for (const char* counter :
             {"ccws.probes", "ccws.insertions", "ccws.picks", "ccws.victim_hits", "batch.requests", "batch.with_data",
              "held_grants.same_sender", "held_grants.other_sender"}) {
            CHECK_MESSAGE(charged.contains(counter), counter);
        }
    }
}

TEST_CASE("a table that a renamed statistic leaves behind is named, with its entry and the way round") {
    auto statistics = registered_statistics_sets();
    for (StatisticsSetEntry& set : statistics) {
        for (StatisticEntry& each : set.statistics) {
            if (set.kind == "sm" && each.name == "fp32_fma") { each.name = "fp32_fused"; }
        }
    }
    const BuiltInEnergyTable& table = built_in_energy_tables().front();
    const std::string message = test::error_of<InternalError>([&] { fit_built_in_energy_table(table, statistics); });
    for (const char* part : {"fermi_40nm", "which is part of this program", "fermi_40nm.toml:", "'sm.fp32_fma'",
                             "rename it in the table too", "energy.table=FILE.toml"}) {
        CHECK_MESSAGE(message.find(part) != std::string::npos, message);
    }
}

}  // namespace
}  // namespace lookahead
