#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "components/interconnect/crossbar/crossbar_parameters.h"
#include "components/interconnect/topology.h"
#include "components/protocols/ports.h"
#include "core/error/error.h"
#include "core/param/configuration.h"

namespace lookahead::gpu {
namespace {

TEST_CASE("a crossbar joins every SM's ports to every slice in order, and back, with its latencies") {
    Configuration configuration;
    configuration.override_value("crossbar.request_latency=30");
    configuration.override_value("crossbar.reply_latency=50");
    Model model;
    std::vector<LpId> sms;
    std::vector<LpId> partitions;
    for (int i = 0; i < 3; ++i) { sms.push_back(model.add({.name = "sm", .kind = "sm"}, {})); }
    for (int i = 0; i < 2; ++i) { partitions.push_back(model.add({.name = "partition", .kind = "partition"}, {})); }
    const ClockDomain clock(700'000'000);
    make_variant<InterconnectTopology>("crossbar", configuration)
        ->connect(model, {.sms = sms,
                          .partitions = partitions,
                          .slices_per_partition = 2,
                          .sm_requests = 1,
                          .sm_credits = 2,
                          .sm_reply_port = 7,
                          .clock = clock});
    CHECK(model.channels().size() == 3 * 4 * 3);
    const auto destinations = [&](LpId from, unsigned port) {
        std::vector<ChannelDescription> found;
        std::copy_if(model.channels().begin(), model.channels().end(), std::back_inserter(found),
                     [&](const auto& channel) { return channel.from == from && channel.out_port == port; });
        return found;
    };
    for (unsigned sm = 0; sm < 3; ++sm) {
        for (const unsigned port : {1u, 2u}) {
            const auto to = destinations(sms[sm], port);
            REQUIRE(to.size() == 4);
            for (unsigned slice = 0; slice < 4; ++slice) {
                CHECK(to[slice].to == partitions[slice / 2]);
                CHECK(to[slice].in_port == partition_in_port(slice % 2, sm));
                CHECK(to[slice].lookahead == clock.least_span(30));
            }
        }
    }
    for (unsigned slice = 0; slice < 4; ++slice) {
        const auto to = destinations(partitions[slice / 2], slice % 2);
        REQUIRE(to.size() == 3);
        for (unsigned sm = 0; sm < 3; ++sm) {
            CHECK(to[sm].to == sms[sm]);
            CHECK(to[sm].in_port == 7 + slice);
            CHECK(to[sm].lookahead == clock.least_span(50));
        }
    }
}

TEST_CASE("an unknown topology is refused by name") {
    CHECK_THROWS_AS(make_variant<InterconnectTopology>("crosbar", Configuration{}), ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu
