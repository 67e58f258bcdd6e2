// In the largest machines every process has in-ports for all its senders.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "components/machine/machine.h"
#include "core/error/error.h"
#include "tests/core/error/error_of.h"

namespace lookahead::gpu {
namespace {

Configuration with(const std::vector<std::string>& values) {
    Configuration configuration;
    for (const std::string& value : values) { configuration.override_value(value); }
    return configuration;
}

std::string refusal(const std::vector<std::string>& values) {
    const Configuration configuration = with(values);
    return lookahead::test::error_of<ConfigurationError>([&] { Machine(configuration, {}, [](Device&) {}); }, "none");
}

struct Arrival {
    LpId to;
    std::uint16_t in_port;
    LpId from;
    auto operator<=>(const Arrival&) const = default;
};

/// The number of in-ports with more than one sender.
std::size_t shared_ports(const Model& model) {
    std::vector<Arrival> arrivals;
    for (const ChannelDescription& channel : model.channels()) {
        arrivals.push_back({channel.to, channel.in_port, channel.from});
    }
    std::ranges::sort(arrivals);
    const auto last = std::ranges::unique(arrivals).begin();
    const auto same_port = [](const Arrival& a, const Arrival& b) { return a.to == b.to && a.in_port == b.in_port; };
    std::size_t shared = 0;
    for (auto at = arrivals.begin(); at + 1 < last; ++at) { shared += same_port(*at, *(at + 1)); }
    return shared;
}

TEST_CASE("1 024 SMs with sixteen slices a channel have an in-port for each sender, fused or not; 1 025 are refused") {
    const std::vector<std::string> slices = {"address_mapping.channels=2", "address_mapping.slices_per_channel=16"};
    for (const std::string fused : {"false", "true"}) {
        CAPTURE(fused);
        const Configuration configuration = with({slices[0], slices[1], "gpu.sms=1024", "gpu.perfect_memory=" + fused});
        const Machine machine(configuration, {}, [](Device&) {});
        CHECK(machine.sms().size() == (fused == "true" ? 0 : 1024));
        // All SMs of a fused GPU are one process, whose ports lead to the dispatcher by number.
        CHECK(shared_ports(machine.model()) == 0);
        CHECK(machine.model().channels().size() > 2 * 1024);
    }
    CHECK(refusal({"gpu.sms=1024"}) == "none");
    CHECK(refusal({"gpu.sms=1025"}).find("gpu.sms = 1025 is out of range; expected: integer, 1 to 1024") !=
          std::string::npos);
}

TEST_CASE("networks with processes of their own join SMs and slices by 65 536 paths, and refuse one SM more") {
    const std::vector<std::string> slices = {"address_mapping.channels=64", "address_mapping.slices_per_channel=2"};
    for (const std::string topology : {"mesh", "input_queued"}) {
        CAPTURE(topology);
        const std::string network = "interconnect.topology=" + topology;
        const Configuration configuration = with({slices[0], slices[1], network, "gpu.sms=512"});
        const Machine machine(configuration, {}, [](Device&) {});
        CHECK(shared_ports(machine.model()) == 0);
        const std::string refused = refusal({slices[0], slices[1], network, "gpu.sms=513"});
        CHECK(refused.find("at most 65536 paths; 513 SMs and 128 slices need 65664") != std::string::npos);
    }
}

}  // namespace
}  // namespace lookahead::gpu
