// Random kernels run through queues of all sizes, down to one entry, to their ends with right results. Every tuple and
// every dequeue is checked. LOOKAHEAD_TEST_SEED repeats a run.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "tests/components/mechanisms/dac/machine_bench.h"
#include "tests/support/seed.h"

namespace lookahead::dac::test {
namespace {

std::vector<std::string> random_options(std::mt19937_64& random) {
    const auto pick = [&](std::initializer_list<const char*> values) {
        return *(values.begin() + random() % values.size());
    };
    const unsigned warps = std::stoul(pick({"8", "16", "48"}));
    std::vector<std::string> options{fmt::format("sm.max_warps={}", warps),
                                     fmt::format("sm.max_threads={}", warps * 32),
                                     fmt::format("dac.atq_entries={}", pick({"1", "2", "24"})),
                                     fmt::format("dac.pwaq_entries={}", warps * std::stoul(pick({"1", "2", "4"}))),
                                     fmt::format("dac.pwpq_entries={}", warps * std::stoul(pick({"1", "2", "4"}))),
                                     fmt::format("dac.reports={}", pick({"true", "false"})),
                                     fmt::format("dac.report_entries={}", warps * std::stoul(pick({"1", "2", "4"}))),
                                     fmt::format("dac.priority={}", pick({"above", "beside", "below"})),
                                     fmt::format("dac.batch={}", pick({"rolling", "drain", "patient"})),
                                     fmt::format("dac.loads_await_lines={}", pick({"true", "false"})),
                                     fmt::format("dac.expansion={}", pick({"tuple", "cta", "warp"})),
                                     fmt::format("dac.gather_cycles={}", pick({"0", "8", "200"})),
                                     fmt::format("sm.issue_interval={}", pick({"1", "2"})),
                                     fmt::format("sm.branch_latency={}", pick({"1", "4", "12"})),
                                     fmt::format("sm.warp_scheduler={}", pick({"gto", "two_level", "lrr"})),
                                     fmt::format("l1d.write_policy={}", pick({"write_evict", "write_through"})),
                                     fmt::format("sm.operand_collectors={}", pick({"true", "false"})),
                                     fmt::format("isa.registers={}", pick({"6", "7", "8", "63"})),
                                     fmt::format("finaliser.predicate_limit={}", pick({"2", "3", "7"})),
                                     fmt::format("finaliser.rematerialise={}", pick({"true", "false"}))};
    if (random() % 2 == 0) {
        options.insert(options.end(),
                       {"l1d.set_index=linear", "l1d.sets=2", "l1d.mshrs=4", "l1d.merges=2", "l1d.miss_queue=2"});
        const unsigned ways = 1 + random() % 3;
        options.push_back(fmt::format("l1d.ways={}", ways));
        options.push_back(fmt::format("l1d.pinned_ways={}", ways - 1));
    }
    if (random() % 3 == 0) { options.insert(options.end(), {"l1d.sector_bytes=32", "l2.sector_bytes=32"}); }
    return options;
}

TEST_CASE("random kernels end through queues of one entry and more, and leave what they should") {
    constexpr unsigned kKernels = 40;
    const std::uint64_t first = lookahead::test::random_seed();
    std::uint64_t dequeued = 0, reports = 0;
    for (std::uint64_t seed = first; seed < first + kKernels; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::vector<std::string> options = random_options(random);
        std::string all;
        for (const std::string& option : options) { all += option + " "; }
        CAPTURE(all);
        const MachineRun run = run_random_kernel(seed, options);
        reports += run.dac.reports;
        dequeued += run.dac.dequeued_data + run.dac.dequeued_addresses + run.dac.dequeued_predicates;
    }
    MESSAGE("dequeued " << dequeued << ", reports " << reports);
    CHECK(reports > 0);
    CHECK(dequeued > 10 * kKernels);
}

}  // namespace
}  // namespace lookahead::dac::test
