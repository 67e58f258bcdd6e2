#include "core/trace/chrome_trace.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/trace/process_trace.h"

using namespace lookahead;

TEST_CASE("the trace is JSON with a row for each rank and its spans") {
    ChromeTrace first(0);
    ChromeTrace idle(1);
    const auto begin = TraceSink::Clock::now();
    first.span(TraceActivity::compute, begin, begin + std::chrono::microseconds(3), 1000);
    first.span(TraceActivity::blocked, begin + std::chrono::microseconds(3), begin + std::chrono::microseconds(5),
               1000);
    const auto document = nlohmann::json::parse(ChromeTrace::document({first.events(), idle.events()}));
    const auto& events = document["traceEvents"];
    REQUIRE(events.size() == 5);
    CHECK(events[0]["args"]["name"] == "ranks, wall time");
    CHECK(events[1]["args"]["name"] == "rank 0");
    CHECK(events[2]["name"] == "compute");
    CHECK(events[2]["dur"].get<double>() == doctest::Approx(3));
    CHECK(events[2]["args"]["until_fs"] == 1000);
    CHECK(events[3]["name"] == "blocked");
    CHECK(events[4]["args"]["name"] == "rank 1");
}

TEST_CASE("a trace keeps no more spans than it may") {
    ChromeTrace trace(0, 2);
    const auto now = TraceSink::Clock::now();
    for (int i = 0; i < 5; ++i) { trace.span(TraceActivity::compute, now, now, i); }
    CHECK(nlohmann::json::parse("[" + trace.events() + "]").size() == 2);
}

TEST_CASE("processes have tracks of simulated time, by rank") {
    ProcessTrace here(0);
    here.span("sm0", "warp 1", "awaits_\"memory\"", 1'000'000'000, 1'500'000'000);
    here.span("sm0", "warp 2", "ready", 0, 1);
    here.value("sm0", "MSHRs", 2'000'000'000, 7);
    ProcessTrace there(1);
    there.span("sm1", "warp 1", "ready", 0, 1);
    const auto events = nlohmann::json::parse(ChromeTrace::document({here.events(), there.events()}))["traceEvents"];
    std::map<std::string, nlohmann::json> named;
    for (const auto& event : events) { named[event["name"].get<std::string>()] = event; }
    const nlohmann::json& span = named.at("awaits_\"memory\"");
    CHECK(span["ts"].get<double>() == 1.0);
    CHECK(span["dur"].get<double>() == 0.5);
    CHECK(named.at("MSHRs")["args"]["value"] == 7);
    CHECK(named.at("MSHRs")["pid"] == span["pid"]);
    CHECK(named.at("ready")["pid"] != span["pid"]);  // the last one with that name is sm1's
    CHECK(named.at("process_name")["args"]["name"] == "sm1, simulated time");
}
