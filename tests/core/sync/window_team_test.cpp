#include "core/sync/window_team.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "core/error/error.h"
#include "core/sync/patience.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

constexpr std::size_t kMostTasks = 23;

/// The work of a team's members; counts how often and by which member each task was done in the open window.
struct Crew {
    WindowTeam team;
    std::vector<int> done = std::vector<int>(kMostTasks, 0);  // not atomic: every task belongs to one thread per window
    std::vector<std::atomic<int>> by_member;
    std::vector<std::thread> threads;

    explicit Crew(std::size_t most) : team(most, kMostTasks), by_member(most) {}
    ~Crew() { end(); }

    void hire() {
        threads.emplace_back([this] { team.help(); });
    }
    void wait_for_member() const {
        while (!team.has_members()) { std::this_thread::yield(); }
    }
    void work(std::size_t member) {
        team.work_through(member, [&](std::size_t task) {
            ++done[task];
            ++by_member[member];
        });
    }
    void share(std::size_t tasks, const std::function<void(std::size_t member)>& work) {
        std::fill(done.begin(), done.end(), 0);
        const std::size_t parts = team.members();
        std::vector<std::size_t> begins;
        for (std::size_t part = 0; part <= parts; ++part) { begins.push_back(part * tasks / parts); }
        team.share(begins, work);
    }
    void run_window(std::size_t tasks) {
        share(tasks, [this](std::size_t member) { work(member); });
    }
    bool each_once(std::size_t tasks) const {
        return std::all_of(done.begin(), done.begin() + static_cast<std::ptrdiff_t>(tasks),
                           [](int count) { return count == 1; }) &&
               std::all_of(done.begin() + static_cast<std::ptrdiff_t>(tasks), done.end(),
                           [](int count) { return count == 0; });
    }
    void end() {
        team.dismiss();
        for (std::thread& thread : threads) { thread.join(); }
        threads.clear();
    }
};

SimulationResult run_wanderers(const WandererOptions& options, Transport& transport, const std::string& sync,
                               std::size_t threads) {
    const Model model = make_wanderers(options);
    std::vector<std::thread> helpers;
    SimulationResult result;
    {
        Simulation simulation(model, spread(options.processes, transport.size(), false), transport,
                              {.sync = sync, .epoch_length = 10'000, .threads = threads, .shares_always = true});
        // One more than the team has room for.
        for (std::size_t i = 0; i < threads; ++i) { helpers.emplace_back(simulation.helper()); }
        result = simulation.run();
    }
    for (std::thread& helper : helpers) { helper.join(); }
    return result;
}

}  // namespace

TEST_CASE("a thread without work looks for some time before it sleeps, and anew when it was woken or had some") {
    const auto looks_of = [](Patience& patience) {
        int looks = 1;
        while (patience.after_a_look()) { ++looks; }
        return looks;
    };
    Patience patience;
    const int looks = looks_of(patience);
    CHECK(looks == Patience::kLooks + Patience::kYields + 1);
    CHECK(looks_of(patience) == looks);
    patience.after_a_look();
    patience.begin();
    CHECK(looks_of(patience) == looks);
}

TEST_CASE("every task of a window is done once, whoever does it") {
    for (std::size_t most = 1; most <= 5; ++most) {
        Crew crew(most);
        for (std::size_t i = 1; i < most; ++i) { crew.hire(); }
        for (std::size_t window = 0; window < 2000; ++window) {
            const std::size_t tasks = 1 + window % kMostTasks;
            crew.run_window(tasks);
            CAPTURE(most);
            CAPTURE(window);
            REQUIRE(crew.each_once(tasks));
        }
    }
}

TEST_CASE("members help: while the leader is busy with one task they do the others") {
    Crew crew(2);
    crew.hire();
    crew.wait_for_member();
    crew.share(kMostTasks, [&](std::size_t member) {
        if (member != 0) { return crew.work(member); }
        crew.team.work_through(0, [&](std::size_t task) {
            ++crew.done[task];
            while (crew.by_member[1] + 1 < static_cast<int>(kMostTasks)) { std::this_thread::yield(); }
        });
    });
    CHECK(crew.each_once(kMostTasks));
    CHECK(crew.by_member[1] >= static_cast<int>(kMostTasks) - 1);  // all, if the leader came late
}

TEST_CASE("a member that sleeps is woken by the next window") {
    Crew crew(2);
    crew.hire();
    crew.wait_for_member();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    crew.share(1, [&](std::size_t member) {
        if (member != 0) { return crew.work(member); }
        while (crew.by_member[1] == 0) { std::this_thread::yield(); }
    });
    CHECK(crew.by_member[0] == 0);
}

TEST_CASE("a team takes as many as it has room for, and nobody after its end") {
    Crew crew(3);
    CHECK_FALSE(crew.team.has_members());
    for (std::size_t members = 2; members <= 3; ++members) {
        crew.hire();
        while (crew.team.members() < members) { std::this_thread::yield(); }
    }
    CHECK(crew.team.has_members());
    crew.team.help();  // returns, because the team is full
    CHECK(crew.team.members() == 3);
    WindowTeam ended(3, 1);
    ended.dismiss();
    ended.help();
    CHECK_FALSE(ended.has_members());
}

TEST_CASE("what one thread throws in a window, the leader throws when the window is over") {
    Crew crew(2);
    crew.hire();
    crew.wait_for_member();
    for (const std::size_t thrower : {0, 1}) {
        std::atomic<bool> member_came = false;
        const auto work = [&](std::size_t member) {
            member_came = member_came || member == 1;
            while (!member_came) { std::this_thread::yield(); }
            if (member == thrower) { throw InternalError("broken"); }
        };
        CHECK_THROWS_AS(crew.share(1, work), InternalError);
    }
    crew.run_window(5);
    CHECK(crew.each_once(5));
}

TEST_CASE("a simulation's result does not depend on its threads") {
    InProcessTransport alone;
    for (const bool two_sides : {false, true}) {
        CAPTURE(two_sides);
        WandererOptions options{.processes = 17, .hops = 60, .kinds = two_sides ? 4u : 1u, .two_sides = two_sides};
        const SimulationResult reference = run_wanderers(options, alone, "serial", 1);
        REQUIRE(reference.outcome == Outcome::finished);
        CHECK(reference.per_rank[0].shared_windows == 0);
        for (const std::size_t threads : {2, 3, 4}) {
            CAPTURE(threads);
            const SimulationResult shared = run_wanderers(options, alone, "serial", threads);
            check_same(shared, reference);
            CHECK(shared.per_rank[0].events == reference.per_rank[0].events);
            CHECK(shared.per_rank[0].advances == reference.per_rank[0].advances);
            for (const std::string& sync : parallel_protocols()) {
                CAPTURE(sync);
                check_same(run_wanderers(options, test_transport(), sync, threads), reference);
            }
        }
    }
}

TEST_CASE("results do not depend on who is slow, with little or much that is pending") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        WandererOptions options{.seed = seed,
                                .processes = 7,
                                .letters = seed % 3 == 0 ? 4u : 1u,
                                .hops = 20,
                                .least_lookahead = seed % 2 == 0 ? 1000 : 10,
                                .kinds = 2 * (1 + static_cast<unsigned>(seed % 3)),
                                .two_sides = true,
                                .usual_delay = 300};
        options.longest_lookahead = seed % 2 == 0 ? 1 : 3000;  // alike, or very different
        InProcessTransport alone;
        const SimulationResult reference = run_wanderers(options, alone, "serial", 1);
        options.at_event =
            only({1, 5}, [](Wanderer&, Time) { std::this_thread::sleep_for(std::chrono::microseconds(30)); });
        for (const std::string& sync : parallel_protocols()) {
            for (const std::size_t threads : {1, 2}) {
                CAPTURE(sync);
                check_same(run_wanderers(options, test_transport(), sync, threads), reference);
            }
        }
    }
}

TEST_CASE("a helper that comes after the simulation's end, or its death, returns at once") {
    WandererOptions options;
    InProcessTransport alone;
    const Model model = make_wanderers(options);
    std::function<void()> helper;
    {
        Simulation simulation(model, spread(options.processes, 1, true), alone, {.threads = 2});
        helper = simulation.helper();
        CHECK(simulation.run().outcome == Outcome::finished);
        helper();
    }
    helper();
}

TEST_CASE("what another thread of the team throws, the run throws") {
    static std::thread::id leader;
    static std::atomic<bool> has_thrown;
    leader = std::this_thread::get_id();
    has_thrown = false;
    struct Unreadable final : Passive {
        void advance(Inbox, Time) override {}
        void fields(StateArchive&) override {
            if (std::this_thread::get_id() != leader) {
                has_thrown = true;
                throw InternalError("its state cannot be read");
            }
            while (!has_thrown) { std::this_thread::yield(); }
        }
    };
    Model model;
    for (int i = 0; i < 4; ++i) {
        model.add({"unreadable" + std::to_string(i), "unreadable"}, [] { return std::make_unique<Unreadable>(); });
    }
    InProcessTransport alone;
    std::vector<std::jthread> helpers;  // they wait for the simulation's end
    Simulation simulation(model, spread(4, 1, false), alone, {.threads = 2});
    helpers.emplace_back(simulation.helper());
    CHECK_THROWS_WITH_AS(simulation.run(), "its state cannot be read", InternalError);
}
