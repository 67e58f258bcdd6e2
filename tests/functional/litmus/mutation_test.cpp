// Removes the clauses of the memory contract one by one: the litmus tests and random programs must detect each loss.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "core/mutation/rule.h"
#include "tests/components/cache/markdown_table.h"
#include "tests/functional/litmus/axioms.h"

namespace lookahead::gpu::test {
namespace {

/// The first fault that the suite finds, seed by seed, or empty.
std::string first_fault(const std::string& policy) {
    const std::vector<Litmus> tests = litmus_tests();
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        for (const Litmus& litmus : tests) {
            const LitmusValues values = run_litmus(litmus, policy, seed);
            if (const std::string fault = fault_of(litmus, values, policy, seed); !fault.empty()) { return fault; }
        }
        if (const std::string fault = run_random_program(policy, seed); !fault.empty()) { return fault; }
    }
    return "";
}

/// The rules in the tables of tests/mutation, which tests other than the litmus tests cover.
std::set<std::string> rules_of_tables() {
    constexpr std::string_view kBegin = "[rule.";
    std::set<std::string> rules;
    for (const auto& file : std::filesystem::directory_iterator(LOOKAHEAD_SOURCE_DIR "/tests/mutation")) {
        if (file.path().extension() != ".toml") { continue; }
        std::ifstream table(file.path());
        for (std::string line; std::getline(table, line);) {
            if (line.starts_with(kBegin)) { rules.insert(line.substr(kBegin.size(), line.find(']') - kBegin.size())); }
        }
    }
    return rules;
}

TEST_CASE("the clauses that can be taken away are those that the cache's page lists") {
    std::set<std::string> listed;
    for (const TableRow& row :
         read_table(LOOKAHEAD_SOURCE_DIR "/components/cache/README.md", "## Clauses of the memory contract")) {
        const std::string& cell = row.at("rule");
        listed.insert(cell.substr(1, cell.size() - 2));  // without its quotes
    }
    const std::set<std::string> others = rules_of_tables();
    std::set<std::string> clauses;
    for (const std::string& rule : mutation::rules()) {
        if (listed.contains(rule) || !others.contains(rule)) { clauses.insert(rule); }
    }
    CHECK(listed == clauses);
    CHECK_THROWS_WITH(mutation::Without("no_such_rule"), doctest::Contains("no_such_rule"));
}

void notice_each_loss(const std::string& policy, const std::vector<std::string>& clauses) {
    for (const std::string& clause : clauses) {
        CAPTURE(clause);
        const mutation::Without rule(clause);
        const std::string found = first_fault(policy);
        MESSAGE(found);
        CHECK(found != "");
    }
}

TEST_CASE("the suite notices the loss of a clause under write-evict") {
    notice_each_loss("write_evict",
                     {"store_invalidates", "atomic_invalidates", "generation_invalidates", "invalidation_drops_copies",
                      "invalidation_detaches_fills", "ordered_load_goes_to_l2", "fence_waits_for_accesses",
                      "fence_covers_queued_accesses", "fence_starts_generation", "release_waits",
                      "acquire_starts_generation", "acquire_holds_younger_accesses"});
}

TEST_CASE("the suite notices the loss of a clause under write-through") {
    notice_each_loss("write_through", {"store_merges_into_pending_fill", "store_updates_copy", "atomic_invalidates"});
}

TEST_CASE("the suite notices the loss of a clause under write-evict with sectors") {
    notice_each_loss("write_evict with sectors",
                     {"hit_needs_its_sectors", "store_invalidates", "atomic_invalidates", "generation_invalidates",
                      "invalidation_drops_copies", "invalidation_detaches_fills", "ordered_load_goes_to_l2"});
}

TEST_CASE("the suite notices the loss of a clause under write-through with sectors") {
    notice_each_loss("write_through with sectors",
                     {"hit_needs_its_sectors", "store_merges_into_pending_fill", "store_updates_copy"});
}

}  // namespace
}  // namespace lookahead::gpu::test
