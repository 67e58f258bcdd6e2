#include "components/dram/dram_scheduler.h"

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <vector>

#include "core/error/error.h"
#include "core/param/configuration.h"
#include "tests/support/variants.h"

namespace lookahead::gpu {
namespace {

std::unique_ptr<DramScheduler> make(const std::string& name, unsigned entries = 64,
                                    const Configuration& configuration = {}) {
    return make_variant<DramScheduler>(name, configuration, DramSchedulerShape{entries, 16});
}

DramRequest request(std::uint32_t tag, unsigned bank, std::uint64_t row, bool write = false) {
    return {.row = row, .bank = bank, .tag = tag, .arrival = 0, .age = tag, .write = write};
}

TEST_CASE("every scheduler gives back each request once, for the bank that it was for") {
    for (const std::string& name : lookahead::test::at_least(2, variant_names<DramScheduler>())) {
        CAPTURE(name);
        const unsigned seed = 7;
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto scheduler = make(name);
        std::vector<unsigned> taken(5000, 0);
        std::uint32_t next = 0;
        unsigned waiting = 0;
        while (next < taken.size() || waiting > 0) {
            const bool add = next < taken.size() && waiting < 64 && (waiting == 0 || random() % 2 == 0);
            if (add) {
                scheduler->add(request(next++, random() % 16, random() % 4, random() % 3 == 0));
                ++waiting;
                continue;
            }
            const std::uint64_t eligible = scheduler->eligible_banks();
            REQUIRE(eligible != 0);
            const auto bank = static_cast<unsigned>(std::countr_zero(eligible));
            const DramRequest got = scheduler->take(bank, random() % 4);
            REQUIRE(got.bank == bank);
            ++taken.at(got.tag);
            --waiting;
        }
        CHECK(scheduler->eligible_banks() == 0);
        CHECK(taken == std::vector<unsigned>(taken.size(), 1));
    }
}

TEST_CASE("fcfs offers the oldest request alone, whatever row is open") {
    const auto scheduler = make("fcfs");
    scheduler->add(request(0, 5, 1));
    scheduler->add(request(1, 5, 2));
    scheduler->add(request(2, 6, 2, true));
    CHECK(scheduler->eligible_banks() == 1u << 5);
    CHECK(scheduler->take(5, 2).tag == 0);
    CHECK(scheduler->eligible_banks() == 1u << 5);
    CHECK(scheduler->take(5, 2).tag == 1);
    CHECK(scheduler->eligible_banks() == 1u << 6);
}

TEST_CASE("frfcfs prefers the oldest request to the open row, else the oldest") {
    const auto scheduler = make("frfcfs");
    scheduler->add(request(0, 5, 1));
    scheduler->add(request(1, 5, 2));
    scheduler->add(request(2, 5, 2));
    scheduler->add(request(3, 6, 9));
    CHECK(scheduler->eligible_banks() == (1u << 5 | 1u << 6));
    CHECK(scheduler->take(5, 2).tag == 1);
    CHECK(scheduler->take(5, 7).tag == 0);
    CHECK(scheduler->take(5, 2).tag == 2);
    CHECK(scheduler->eligible_banks() == 1u << 6);
}

TEST_CASE("frfcfs drains writes from the high to the low watermark") {
    Configuration configuration;
    configuration.override_value("frfcfs.write_high=4");
    configuration.override_value("frfcfs.write_low=2");
    const auto scheduler = make("frfcfs", 64, configuration);
    scheduler->add(request(0, 1, 0));
    for (std::uint32_t tag = 1; tag <= 3; ++tag) { scheduler->add(request(tag, 2, 0, true)); }
    CHECK(scheduler->eligible_banks() == 1u << 1);  // three writes are not enough
    scheduler->add(request(4, 2, 0, true));
    CHECK(scheduler->eligible_banks() == 1u << 2);
    scheduler->take(2, 0);
    CHECK(scheduler->eligible_banks() == 1u << 2);  // three left
    scheduler->take(2, 0);
    CHECK(scheduler->eligible_banks() == 1u << 1);  // two left
    scheduler->take(1, 0);
    CHECK(scheduler->eligible_banks() == 1u << 2);  // no read waits
}

TEST_CASE("watermarks that leave nothing to drain are refused") {
    Configuration configuration;
    configuration.override_value("frfcfs.write_low=40");
    CHECK_THROWS_AS(make("frfcfs", 64, configuration), ConfigurationError);
}

TEST_CASE("with separate_writes off frfcfs takes reads and writes by row and age alone") {
    for (const bool separate : {true, false}) {
        CAPTURE(separate);
        Configuration configuration;
        configuration.override_value(std::string("frfcfs.separate_writes=") + (separate ? "true" : "false"));
        const auto scheduler = make("frfcfs", 64, configuration);
        scheduler->add(request(0, 5, 1));
        scheduler->add(request(1, 5, 2, true));
        scheduler->add(request(2, 5, 2));
        scheduler->add(request(3, 6, 9, true));
        CHECK(scheduler->eligible_banks() == (separate ? 1u << 5 : 1u << 5 | 1u << 6));
        CHECK(scheduler->take(5, 2).tag == (separate ? 2 : 1));
        CHECK(scheduler->take(5, 7).tag == 0);
    }
}

}  // namespace
}  // namespace lookahead::gpu
