#include <vector>

#include "experiments/workloads/bfs/files.h"
#include "experiments/workloads/bfs/graph.h"
#include "experiments/workloads/bfs/peer.h"
#include "experiments/workloads/peer.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead {

namespace {

constexpr std::uint32_t kBlock = 512;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"nodes", "node", {600, 1 << 16, 1 << 20, 1 << 22}, 1 << 26, "Nodes of the graph."},
}};

class Bfs : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Bfs, bfs)

    void run(Device& device) override {
        graph_ = random_graph(nodes_, seed());
        std::vector<std::int32_t> ranges;  // first edge and number of edges of each node
        for (std::int64_t node = 0; node < nodes_; ++node) {
            ranges.push_back(graph_.row[node]);
            ranges.push_back(graph_.row[node + 1] - graph_.row[node]);
        }
        std::vector<std::uint8_t> source(nodes_, 0);
        source[0] = 1;
        std::vector<std::int32_t> costs(nodes_, -1);
        costs[0] = 0;

        const DeviceAddress nodes = device.upload(ranges), edges = device.upload(graph_.column);
        const DeviceAddress frontier = device.upload(source), visited = device.upload(source);
        const DeviceAddress updating = device.allocate(nodes_);
        device.fill(updating, std::byte{0}, nodes_);
        const DeviceAddress cost = device.upload(costs), over = device.allocate(1);

        const auto count = static_cast<std::int32_t>(nodes_);
        const LaunchConfiguration shape{{blocks_for(nodes_, kBlock)}, {kBlock}};
        bool found = true;
        while (found) {
            device.fill(over, std::byte{0}, 1);
            device.launch("bfs_expand", shape, pack_parameters(nodes, edges, frontier, updating, visited, cost, count));
            device.launch("bfs_advance", shape, pack_parameters(frontier, updating, visited, over, count));
            found = device.download<std::uint8_t>(over, 1)[0] != 0;
        }
        cost_ = device.download<std::int32_t>(cost, nodes_);
    }

    CheckReport check() const override { return compare_exact("cost", cost_, distances(graph_)); }

  private:
    const std::int64_t nodes_ = value(0);
    Graph graph_;
    std::vector<std::int32_t> cost_;
};

using BfsOrPeer = WithPeer<Bfs, BfsPeer>;

}  // namespace

LOOKAHEAD_REGISTER_WORKLOAD(BfsOrPeer, bfs)

}  // namespace lookahead
