#include <doctest/doctest.h>

#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/spare_accesses.h"
#include "core/error/error.h"
#include "tests/components/cache/l1_bench.h"

namespace lookahead::gpu::test {
namespace {

/// A client that writes its name into a log for each access that it makes.
class LoggingClient final : public L1Client {
  public:
    LoggingClient(std::string name, int priority, std::vector<std::string>& log)
        : name_(std::move(name)), priority_(priority), log_(log) {}

    std::string_view name() const override { return name_; }
    int priority() const override { return priority_; }
    void joined(L1Data&, const AllocationMap&) override {}
    bool wants_access() const override { return wanted > 0; }
    bool access(Cycle) override {
        log_.push_back(has_room ? name_ : name_ + " refused");
        wanted -= has_room;
        return has_room;
    }

    bool has_own_port() const override { return own_port; }

    bool own_port = false;
    int wanted = 1;
    bool has_room = true;

  private:
    std::string name_;
    int priority_;
    std::vector<std::string>& log_;
};

struct ClientsBench {
    L1Bench l1{L1Bench::parameters(1, 2)};
    SpareAccesses accesses{l1.l1, nullptr};
    AllocationMap allocations;
    std::vector<std::string> log;
    LoggingClient low{"low", 1, log};
    LoggingClient high{"high", 2, log};

    ClientsBench() {
        accesses.join(low, allocations);
        accesses.join(high, allocations);
    }
    void cycle(Cycle now) { accesses.cycle(now, false, true); }
};

TEST_CASE("of two clients the one with the higher priority accesses L1 first, one access a cycle") {
    ClientsBench bench;
    CHECK(bench.accesses.next_event(0, false, true) == 1);
    for (Cycle now = 1; now <= 3; ++now) { bench.cycle(now); }
    CHECK(bench.log == std::vector<std::string>{"high", "low"});
    CHECK(bench.accesses.next_event(3, false, true) == kCycleInfinity);
}

TEST_CASE("a client without room leaves later cycles to the others until L1 has changed") {
    ClientsBench bench;
    bench.high.has_room = false;
    for (Cycle now = 1; now <= 3; ++now) { bench.cycle(now); }
    CHECK(bench.log == std::vector<std::string>{"high refused", "low"});
    bench.high.has_room = true;
    bench.accesses.renew_clients();
    bench.cycle(4);
    CHECK(bench.log.back() == "high");
}

TEST_CASE("clients give way to an instruction's access") {
    ClientsBench bench;
    bench.accesses.give_way(1);
    bench.cycle(1);
    CHECK(bench.log.empty());
}

TEST_CASE("a client with a port of its own needs no free cycle, and takes none from others") {
    ClientsBench bench;
    bench.high.own_port = true;
    bench.high.wanted = 2;
    bench.cycle(1);
    CHECK(bench.log == std::vector<std::string>{"high", "low"});
    bench.accesses.give_way(2);
    bench.cycle(2);
    CHECK(bench.log.size() == 3);
}

TEST_CASE("two clients of one priority are refused by their names") {
    ClientsBench bench;
    LoggingClient other("other", 2, bench.log);
    CHECK_THROWS_WITH_AS(bench.accesses.join(other, bench.allocations),
                         "high and other cannot both make accesses of their own to L1: each has the priority 2",
                         ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu::test
