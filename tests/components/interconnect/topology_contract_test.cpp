// The duties of every variant of slot interconnect.topology, and the timing of those with routers.
#include <doctest/doctest.h>

#include "components/interconnect/input_queued/input_queued_network.h"
#include "components/interconnect/mesh/mesh_network.h"
#include "core/error/error.h"
#include "tests/components/interconnect/topology_players.h"
#include "tests/contract/lp/lp_contract.h"
#include "tests/support/variants.h"

namespace lookahead::gpu::test {
namespace {

std::vector<std::string> topologies() {
    return lookahead::test::at_least(2, variant_names<InterconnectTopology>());
}

Configuration configuration_of(const Traffic& traffic, const std::vector<std::string>& more = {}) {
    Configuration configuration;
    configuration.override_value("crossbar.request_latency=" + std::to_string(traffic.ports.request_latency));
    configuration.override_value("crossbar.reply_latency=" + std::to_string(traffic.ports.reply_latency));
    for (const std::string& each : more) { configuration.override_value(each); }
    return configuration;
}

Traffic random_traffic(std::uint32_t seed) {
    return {.ports = {.flit_bytes = seed % 3 == 0 ? 8 : 40,
                      .request_latency = 5,
                      .reply_latency = 9,
                      .input_entries = 1,
                      .injection_flits = 8,
                      .credit_batch = 3},
            .sms = 1 + seed % 7,
            .partitions = 1 + seed % 3,
            .slices_per_partition = seed % 2 == 0 ? 1u : 2u,
            .idle_percent = seed % 4 * 30,
            .seed = seed};
}

/// A small mesh with narrow buffers and, depending on the seed, a line or square of routers. Paths after the routers
/// are short.
std::vector<std::string> small_mesh(std::uint32_t seed) {
    return {"mesh.buffer_flits=1", "mesh.delivery_latency=3", "mesh.columns=" + std::to_string(seed % 4),
            "input_queued.delivery_latency=3"};
}

TEST_CASE("a topology brings every message to its end, unchanged and in order, and all credits back") {
    for (const std::string& topology : topologies()) {
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            CAPTURE(topology);
            CAPTURE(seed);
            const Traffic traffic = random_traffic(seed);
            TopologyBench bench(topology, traffic, configuration_of(traffic, small_mesh(seed)));
            REQUIRE(bench.result.message == "");
            REQUIRE(bench.result.outcome == Outcome::finished);
            const unsigned all = bench.credits();
            for (unsigned m = 0; m < traffic.sms; ++m) {
                CHECK(bench.sm(m).answered == traffic.requests);
                CHECK(bench.sm(m).out_of_order == 0);
                for (unsigned s = 0; s < traffic.slices(); ++s) {
                    PartitionPlayer& partition = bench.partition(s / traffic.slices_per_partition);
                    const unsigned local = s % traffic.slices_per_partition;
                    CHECK(bench.sm(m).requests.credits(s) + partition.requests[local]->withheld_credits(m) == all);
                    CHECK(partition.replies[local]->credits(m) + bench.sm(m).replies.withheld_credits(s) == all);
                }
            }
            for (unsigned i = 0; i < traffic.partitions; ++i) {
                CHECK(bench.partition(i).out_of_order == 0);
                CHECK(bench.partition(i).corrupted == 0);
            }
        }
    }
}

TEST_CASE("a topology does not depend on how its time is cut") {
    for (const std::string& topology : topologies()) {
        for (std::uint32_t seed = 1; seed <= 4; ++seed) {
            CAPTURE(topology);
            CAPTURE(seed);
            const Traffic traffic = random_traffic(seed);
            const Configuration configuration = configuration_of(traffic, small_mesh(seed));
            TopologyBench whole(topology, traffic, configuration);
            for (const Time epoch : {700'000, 1'428'571, 31'000'003}) {
                TopologyBench cut(topology, traffic, configuration, epoch);
                CHECK(cut.result.state_hash == whole.result.state_hash);
                for (unsigned i = 0; i < traffic.partitions; ++i) {
                    CHECK(cut.partition(i).arrivals == whole.partition(i).arrivals);
                }
            }
        }
    }
}

TEST_CASE("every port holds one flit a cycle for 10 000 cycles") {
    // SM i sends lines of four flits to slice i. In the mesh they are neighbours in a row, with their own links.
    for (const std::string& topology : topologies()) {
        CAPTURE(topology);
        const Traffic traffic{.sms = 4, .requests = 2500, .own_slice = true, .words = 32};
        TopologyBench bench(topology, traffic, configuration_of(traffic, {"mesh.columns=4"}));
        REQUIRE(bench.result.outcome == Outcome::finished);
        for (unsigned i = 0; i < traffic.partitions; ++i) {
            const auto& arrivals = bench.partition(i).arrivals;
            REQUIRE(arrivals.size() == 2 * 2500);
            CHECK(arrivals.back().first - arrivals.front().first == 4 * 2499);
        }
    }
}

TEST_CASE("an input-queued crossbar takes allocation_cycles between two packets") {
    for (const unsigned allocation : {0u, 1u, 3u}) {
        CAPTURE(allocation);
        const Traffic traffic{.sms = 4, .requests = 500, .own_slice = true, .words = 32};  // packets of four flits
        TopologyBench bench(
            "input_queued", traffic,
            configuration_of(traffic, {"input_queued.allocation_cycles=" + std::to_string(allocation)}));
        REQUIRE(bench.result.outcome == Outcome::finished);
        const auto& arrivals = bench.partition(0).arrivals;
        CHECK(arrivals.back().first - arrivals.front().first == (4 + allocation) * 499);
    }
}

TEST_CASE("two streams that need one link share it evenly, and the link is never idle") {
    // A row of SM 0, SM 1 and the slice: both SMs' requests cross the link into the slice's tile.
    const Traffic one{.sms = 2, .partitions = 1, .slices_per_partition = 1, .requests = 500, .words = 32};
    TopologyBench bench("mesh", one, configuration_of(one, {"mesh.columns=3"}));
    REQUIRE(bench.result.outcome == Outcome::finished);
    const auto& arrivals = bench.partition(0).arrivals;
    REQUIRE(arrivals.size() == 1000);
    CHECK(arrivals.back().first - arrivals.front().first <= 4 * 999 + 8);
    CHECK(arrivals.back().first - arrivals.front().first >= 4 * 999);
    const auto of_first = std::count_if(arrivals.begin() + 100, arrivals.begin() + 500,
                                        [](const auto& arrival) { return arrival.second == 0; });
    CHECK(of_first >= 190);
    CHECK(of_first <= 210);
}

TEST_CASE("an SM and its slices stand apart by the hops between their tiles, and each costs hop_latency") {
    for (const Cycle hop : {1, 2, 7}) {
        for (unsigned columns : {1u, 2u, 3u, 6u}) {
            for (std::uint32_t seed = 1; seed <= 3; ++seed) {
                CAPTURE(hop);
                CAPTURE(columns);
                const Traffic traffic{
                    .sms = 4, .partitions = 2, .slices_per_partition = 1, .requests = 1, .words = 32, .seed = seed};
                TopologyBench bench(
                    "mesh", traffic,
                    configuration_of(traffic, {"mesh.hop_latency=" + std::to_string(hop), "mesh.delivery_latency=5",
                                               "mesh.columns=" + std::to_string(columns)}));
                const MeshLayout layout(4, 2, columns);
                unsigned seen = 0;
                unsigned undisturbed = 0;
                for (unsigned slice = 0; slice < 2; ++slice) {
                    for (const auto& [arrival, sm] : bench.partition(slice).arrivals) {
                        // Sent in cycle 1, by the first of four flits; nothing arrives before the path's latency.
                        const Cycle least = 1 + 3 + traffic.ports.request_latency +
                                            hop * layout.hops(layout.sm_tiles[sm], layout.slice_tiles[slice]) + 5;
                        CHECK(arrival >= least);
                        CHECK(arrival <= least + 3 * 4);  // three others may precede it
                        undisturbed += arrival == least;
                        ++seen;
                    }
                }
                CHECK(seen == 4);
                CHECK(undisturbed >= 1);
            }
        }
    }
}

/// A network of three sources and two destinations, overrun by random packets and credits.
lookahead::test::LpContract overrun(std::function<std::unique_ptr<LogicalProcess>()> make) {
    lookahead::test::LpContract contract;
    contract.make = std::move(make);
    contract.ports = {{.fan_out = 6, .lookahead = player_clock().least_span(4)}};
    contract.script = [](std::uint64_t seed) {
        std::mt19937 random(static_cast<std::uint32_t>(seed));
        std::vector<lookahead::test::ScriptedMessage> script;
        Cycle now = 1;
        for (std::uint32_t i = 0; i < 200; ++i) {
            now += random() % 5;
            const Time time = player_clock().edge(now);
            const auto path = static_cast<std::uint16_t>(random() % 6);
            if (random() % 4 == 0) {
                script.push_back(lookahead::test::scripted(time, path, path, Credit{.flits = 1 + i, .unused = 0}));
                continue;
            }
            const auto words = static_cast<std::uint32_t>(1 + random() % 32);
            const WriteRequest write{.line = 0, .mask = {}, .tag = i, .words = words};
            script.push_back(lookahead::test::scripted(time, path, path, write));
            script.back().payload.resize(sizeof write + (4 * words + 7) / 8 * 8, std::byte{7});
        }
        return script;
    };
    contract.end = player_clock().edge(3000);
    return contract;
}

void check_overrun(const lookahead::test::LpContract& contract) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        CHECK(lookahead::test::count_outputs(contract, seed) == 200);
    }
    CHECK(lookahead::test::check_contract(contract, 1, 40, 40) == "");
}

TEST_CASE("a mesh that is cut, saved and loaded at random times goes on alike") {
    const MeshLayout layout(3, 2, 2);
    const MeshNetwork::Arguments arguments{
        .parameters = {.columns = 2, .hop_latency = 3, .buffer_flits = 1, .delivery_latency = 4},
        .layout = layout,
        .sources = layout.sm_tiles,
        .destinations = layout.slice_tiles,
        .flit_bytes = 40,
        .frequency = player_clock().frequency_hz()};
    check_overrun(overrun([arguments] { return std::make_unique<MeshNetwork>(arguments); }));
}

NetworkProcess::Ends input_queued(unsigned sources, unsigned destinations) {
    return {.sources = sources,
            .destinations = destinations,
            .delivery_latency = 4,
            .flit_bytes = 40,
            .frequency = player_clock().frequency_hz()};
}

TEST_CASE("an input-queued crossbar that is cut, saved and loaded at random times goes on alike") {
    check_overrun(overrun([] { return std::make_unique<InputQueuedNetwork>(input_queued(3, 2), 1000u); }));
}

/// Flits per cycle and port of a square crossbar with single-flit packets to random destinations and all inputs always
/// full.
double saturated_throughput(const std::string& topology, unsigned ports) {
    const Traffic traffic{.ports = {.input_entries = 1000},  // credits never run out
                          .sms = ports,
                          .partitions = ports,
                          .slices_per_partition = 1,
                          .requests = 8000,
                          .words = 8};  // and the header: 40 bytes
    TopologyBench bench(topology, traffic, configuration_of(traffic));
    REQUIRE(bench.result.outcome == Outcome::finished);
    std::vector<Cycle> arrivals;
    for (unsigned i = 0; i < ports; ++i) {
        for (const auto& [cycle, sm] : bench.partition(i).arrivals) { arrivals.push_back(cycle); }
    }
    std::sort(arrivals.begin(), arrivals.end());
    // Evaluates the middle of the run: queues have filled, and no input is empty yet.
    const std::size_t first = arrivals.size() / 4;
    const std::size_t last = arrivals.size() / 2;
    return static_cast<double>(last - first) / static_cast<double>(arrivals[last] - arrivals[first]) / ports;
}

TEST_CASE("an input-queued crossbar saturates where Karol, Hluchyj and Morgan compute") {
    // Their table I: two ports 0.75, four 0.6553, eight 0.6184.
    for (const auto& [ports, published] : {std::pair{2u, 0.75}, std::pair{4u, 0.6553}, std::pair{8u, 0.6184}}) {
        CAPTURE(ports);
        CHECK(saturated_throughput("input_queued", ports) == doctest::Approx(published).epsilon(0.03));
    }
    CHECK(saturated_throughput("crossbar", 8) > 0.9);
}

TEST_CASE("the mesh has a tile for everyone, and hops are counted along row and column") {
    const MeshLayout layout(15, 12, 0);
    CHECK(layout.columns == 6);
    CHECK(layout.rows == 5);
    CHECK(layout.sm_tiles.size() == 15);
    CHECK(layout.slice_tiles.size() == 12);
    CHECK(layout.hops(0, 0) == 0);
    CHECK(layout.hops(0, 5) == 5);
    CHECK(layout.hops(26, 0) == 2 + 4);
    CHECK(layout.hops(0, 26) == 2 + 4);
}

TEST_CASE("topologies whose arbiters go round refuse grants that are held for a row, the crossbar takes them") {
    const Traffic traffic{.ports = {.row_grants = 1}};
    TopologyBench("crossbar", traffic);
    for (const char* topology : {"mesh", "input_queued"}) {
        CAPTURE(topology);
        CHECK_THROWS_WITH_AS(TopologyBench(topology, traffic), doctest::Contains("crossbar.row_grants = 1 needs"),
                             ConfigurationError);
    }
}

TEST_CASE("more paths than there are ports are refused") {
    Model model;
    const std::vector<LpId> sms(256, 0);
    const std::vector<LpId> partitions(256, 0);
    for (const std::string topology : {"mesh", "input_queued"}) {
        CAPTURE(topology);
        CHECK_THROWS_AS(
            make_variant<InterconnectTopology>(topology, Configuration{})
                ->connect(model,
                          {.sms = sms, .partitions = partitions, .slices_per_partition = 2, .clock = player_clock()}),
            ConfigurationError);
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
