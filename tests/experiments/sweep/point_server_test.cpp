#include "experiments/sweep/point_server.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "experiments/run/stop_signal.h"
#include "experiments/sweep/point_limits.h"

namespace lookahead {
namespace {

using namespace std::chrono_literals;

/// A child's actions, chosen by the first word.
int obey(const std::vector<std::string>& arguments) {
    const std::string& what = arguments.front();
    if (what == "say") {
        std::fprintf(stderr, "first line\n%s\n", arguments.at(1).c_str());
        return 3;
    }
    if (what == "crash") {
        ::signal(SIGSEGV, SIG_DFL);
        ::raise(SIGSEGV);
    }
    if (what == "sleep") { std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(arguments.at(1)))); }
    if (what == "take") {
        std::vector<char> memory(std::stoul(arguments.at(1)), 'x');
        std::this_thread::sleep_for(300ms);
        return memory.back() == 'x' ? 0 : 1;
    }
    if (what == "wait for a signal") {
        while (!StopSignal::came()) { std::this_thread::sleep_for(1ms); }
        return 75;
    }
    return 0;
}

PointEnd end_of(PointServer& server, const PointOrder& order) {
    server.begin(order);
    while (true) {
        if (const auto end = server.wait(100ms)) { return *end; }
    }
}

TEST_CASE("exit codes and the last line of stderr come back, one order after the other") {
    PointServer server(obey);
    CHECK(end_of(server, {{"nothing"}}).exit_code == 0);
    CHECK(end_of(server, {{"nothing"}}).message.empty());
    const PointEnd said = end_of(server, {{"say", "what went wrong"}});
    CHECK(said.exit_code == 3);
    CHECK(said.message == "what went wrong");
    CHECK(end_of(server, {{"crash"}}).exit_code == 128 + SIGSEGV);
    CHECK(end_of(server, {{"nothing"}}).exit_code == 0);
}

TEST_CASE("an order is ended behind its time, and not before") {
    PointServer server(obey);
    const PointEnd late = end_of(server, {{"sleep", "20000"}, {0.2}});
    CHECK(late.overrun == PointEnd::Overrun::time);
    CHECK(late.exit_code == kOverrunCode);
    CHECK(late.wall_s >= 0.2);
    CHECK(late.wall_s < 15);
    const PointEnd early = end_of(server, {{"sleep", "20"}, {60}});
    CHECK(early.overrun == PointEnd::Overrun::none);
    CHECK(early.exit_code == 0);
    CHECK(early.wall_s >= 0.02);
    CHECK(early.wall_s < 15);
}

TEST_CASE("an order that takes more memory than it may is ended, another is not") {
    constexpr std::uint64_t kLimit = 200'000'000;
    PointServer server(obey);
    CHECK(end_of(server, {{"take", "400000000"}, {0, kLimit}}).overrun == PointEnd::Overrun::memory);
    CHECK(end_of(server, {{"take", "400000000"}, {0, kLimit}}).exit_code == kOverrunCode);
    CHECK(end_of(server, {{"take", "1000000"}, {0, kLimit}}).exit_code == 0);
    CHECK(end_of(server, {{"take", "400000000"}}).exit_code == 0);
}

TEST_CASE("a child hears the signal that asks it to stop") {
    PointServer server(obey);
    server.begin({{"wait for a signal"}, 60});
    CHECK(!server.wait(200ms));
    server.signal(SIGUSR1);
    std::optional<PointEnd> end;
    while (!end) { end = server.wait(100ms); }
    CHECK(end->exit_code == 75);
}

}  // namespace
}  // namespace lookahead
