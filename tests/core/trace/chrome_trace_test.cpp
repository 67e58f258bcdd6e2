#include "core/trace/chrome_trace.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

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
    REQUIRE(events.size() == 4);
    CHECK(events[0]["args"]["name"] == "rank 0");
    CHECK(events[1]["name"] == "compute");
    CHECK(events[1]["dur"].get<double>() == doctest::Approx(3));
    CHECK(events[1]["args"]["until_fs"] == 1000);
    CHECK(events[2]["name"] == "blocked");
    CHECK(events[3]["args"]["name"] == "rank 1");
}

TEST_CASE("a trace keeps no more spans than it may") {
    ChromeTrace trace(0, 2);
    const auto now = TraceSink::Clock::now();
    for (int i = 0; i < 5; ++i) {
        trace.span(TraceActivity::compute, now, now, i);
    }
    CHECK(nlohmann::json::parse("[" + trace.events() + "]").size() == 2);
}
