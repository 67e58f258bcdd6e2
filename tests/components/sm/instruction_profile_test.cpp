// Each cycle of a warp is counted at the instruction that it had reached, by what it waited for.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "components/isa/instruction.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

/// The table of one kernel's instructions.
class Profile final : public StatisticsVisitor {
  public:
    void counter(std::string_view, std::string_view, const StatisticDescription&, const std::uint64_t&) override {}
    void table(const CountTableView& view) override {
        if (view.kind != "instruction") { return; }
        const std::size_t columns = view.counters.size();
        for (std::size_t row = 0; row < view.counts.size() / columns; ++row) {
            Counts counts;
            for (std::size_t i = 0; i < columns; ++i) {
                counts[std::string(view.counters[i].name)] = view.counts[row * columns + i];
            }
            rows.push_back(counts);
        }
    }

    std::vector<Counts> rows;
};

struct Ran {
    isa::Kernel kernel;
    std::vector<Counts> rows;
    std::uint64_t warp_cycles = 0;

    /// The counts of the `number`-th instruction with the operation.
    const Counts& of(Operation operation, unsigned number = 0) const {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (kernel.code[i].operation == operation && number-- == 0) { return rows[i]; }
        }
        FAIL("the kernel has no such instruction");
        return rows.front();
    }
};

Ran run(const isa::Kernel& kernel, unsigned warps, const std::string& machine = "[sm]\nschedulers = 1\n") {
    PlainSmHarness harness({kernel}, machine, {.global_latency = 400, .capacity = 1});
    harness.run_to_end({.grid = {1, 1, 1}, .block = {32 * warps, 1, 1}, .parameters = global_parameters()});
    Profile profile;
    harness.sm().visit_statistics(profile);
    return {kernel, profile.rows, harness.sm().counters().warp_cycles};
}

constexpr const char* kWaits[] = {"turn",     "memory_unit", "memory", "constants", "fence",
                                  "pipeline", "fetch",       "branch", "barrier"};

std::uint64_t waits(const Counts& counts) {
    std::uint64_t sum = 0;
    for (const char* wait : kWaits) { sum += counts.at(wait); }
    return sum;
}

TEST_CASE("a wait belongs to the instruction that needs the value, and its end to the one that gives it") {
    KernelBuilder k("values", {8, 8});
    const auto x = k.reg(), y = k.reg(), z = k.reg();
    k.load(isa::Space::global, Type::u32, x, k.parameter(1));
    k.op(Operation::add, Type::u32, y, {x, x});
    k.op(Operation::div, Type::u32, z, {y, k.literal(3)});
    k.op(Operation::sub, Type::u32, z, {z, z});
    const Ran ran = run(k.finish(), 1);
    const Counts &load = ran.of(Operation::load), &add = ran.of(Operation::add), &div = ran.of(Operation::div);
    CHECK(load.at("issued") == 1);
    CHECK(load.at("lanes") == 32);
    CHECK(add.at("memory") >= 399);
    CHECK(load.at("waited_for") == add.at("memory"));
    CHECK(add.at("pipeline") == 0);
    CHECK(div.at("pipeline") > 0);
    CHECK(add.at("waited_for") == div.at("pipeline"));
    CHECK(div.at("waited_for") == ran.of(Operation::sub).at("pipeline"));
    CHECK(div.at("waited_for") > 100);
}

TEST_CASE("a wait for two loads is divided between them at the first one's end") {
    KernelBuilder k("two", {8, 8});
    const auto x = k.reg(), y = k.reg();
    k.load(isa::Space::global, Type::u32, x, k.parameter(1));
    for (unsigned i = 0; i < 6; ++i) { k.op(Operation::div, Type::u32, k.reg(), {k.literal(7), k.literal(3)}); }
    k.load(isa::Space::global, Type::u32, y, k.parameter(0));
    k.op(Operation::add, Type::u32, x, {x, y});
    const Ran ran = run(k.finish(), 1);
    const std::uint64_t first = ran.of(Operation::load, 0).at("waited_for");
    const std::uint64_t second = ran.of(Operation::load, 1).at("waited_for");
    CHECK(first + second == ran.of(Operation::add).at("memory"));
    CHECK(second > 0);
}

TEST_CASE("the cycles of warps at a barrier and after a branch are the barrier's and the branch's") {
    KernelBuilder k("meeting", {8, 8});
    k.shared_bytes(64);
    const auto tid = k.reg(), x = k.reg();
    const auto first = k.predicate();
    const auto late = k.label(), meet = k.label();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.setp(isa::Comparison::lt, Type::u32, first, tid, k.literal(32));
    k.branch_if(first, late, meet);
    k.branch(meet, meet);
    k.bind(late);
    for (unsigned i = 0; i < 4; ++i) { k.op(Operation::div, Type::u32, x, {x, k.literal(3)}); }
    k.bind(meet);
    k.barrier();
    const Ran ran = run(k.finish(), 2, "[sm]\nschedulers = 1\nbranch_latency = 9\n");
    CHECK(ran.of(Operation::barrier).at("issued") == 2);
    CHECK(ran.of(Operation::barrier).at("barrier") > 300);
    CHECK(ran.of(Operation::bra, 0).at("branch") == 2 * 9);
    CHECK(ran.of(Operation::bra, 1).at("branch") == 9);
    for (const Counts& row : ran.rows) {
        if (&row != &ran.of(Operation::barrier)) { CHECK(row.at("barrier") == 0); }
    }
}

TEST_CASE("warps that have all they need wait for their turn, or for the load/store unit") {
    KernelBuilder k("turns", {8, 8});
    for (unsigned i = 0; i < 4; ++i) { k.op(Operation::div, Type::u32, k.reg(), {k.literal(7), k.literal(3)}); }
    for (unsigned i = 0; i < 4; ++i) { k.store(isa::Space::global, Type::u32, k.parameter(0), k.literal(1)); }
    const Ran ran = run(k.finish(), 8);
    CHECK(ran.of(Operation::div, 3).at("turn") > 8);
    CHECK(ran.of(Operation::div, 3).at("memory_unit") == 0);
    CHECK(ran.of(Operation::store, 3).at("memory_unit") > 100);
}

TEST_CASE("instructions share all cycles of the warps, and those whose guard fails have no lanes") {
    KernelBuilder k("all", {8, 8});
    const auto tid = k.reg(), x = k.reg();
    const auto never = k.predicate();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.setp(isa::Comparison::gt, Type::u32, never, tid, k.literal(100'000));
    k.load(isa::Space::global, Type::u32, x, k.parameter(1));
    k.op(Operation::add, Type::u32, x, {x, x});
    const auto end = k.label();
    k.branch_if(never, end, end);
    k.bind(end);
    const Ran ran = run(k.finish(), 5);
    std::uint64_t sum = 0;
    for (const Counts& row : ran.rows) { sum += waits(row); }
    CHECK(sum == ran.warp_cycles);
    CHECK(ran.of(Operation::bra).at("issued") == 5);
    CHECK(ran.of(Operation::bra).at("lanes") == 0);
    CHECK(ran.of(Operation::add).at("lanes") == 5 * 32);
}

}  // namespace
}  // namespace lookahead::test
