#include "experiments/workloads/bfs/files.h"
#include "experiments/workloads/bfs/graph.h"
#include "experiments/workloads/bfs/peer.h"
#include "experiments/workloads/forms.h"
#include "experiments/workloads/peer.h"

namespace lookahead::workloads::bfs {

constexpr std::uint32_t kBlock = 512;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"nodes", "node", {600, 1 << 16, 1 << 20, 1 << 22}, 1 << 26, "Nodes of the graph."},
    {"share", "node", {2, 8, 16, 16}, 1 << 16, "Nodes per thread of the second kernel in form=looped."},
}};

class Bfs : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Bfs, bfs)

    void run(Device& device) override {
        graph_ = random_graph(nodes_, seed());
        std::vector<std::int32_t> ranges;  // first edge and number of edges of each node
        for (std::int64_t node = 0; node < nodes_; ++node) {
            ranges.push_back(graph_.row[node]);
            ranges.push_back(graph_.row[node + 1] - graph_.row[node]);
        }
        std::vector<std::int32_t> costs(nodes_, -1);
        costs[0] = 0;

        const DeviceAddress nodes = device.upload(ranges), edges = device.upload(graph_.column);
        // A mask has one byte per node, or one word in the looped form.
        const std::int64_t flag = is_original() ? 1 : sizeof(std::int32_t);
        std::vector<std::uint8_t> source(nodes_ * flag, 0);
        source[0] = 1;
        const DeviceAddress frontier = device.upload(source), visited = device.upload(source);
        const DeviceAddress updating = zeros(device, source.size());
        const DeviceAddress cost = device.upload(costs), over = device.allocate(flag);

        const auto count = s32(nodes_);
        const LaunchConfiguration shape{{blocks_for(nodes_, kBlock)}, {kBlock}};
        const LaunchConfiguration advance_shape{{blocks_for(nodes_, kBlock * share_)}, {kBlock}};
        bool found = true;
        while (found) {
            device.fill(over, std::byte{0}, flag);
            device.launch(expand_, shape, pack_parameters(nodes, edges, frontier, updating, visited, cost, count));
            device.launch(advance_, advance_shape, pack_parameters(frontier, updating, visited, over, count));
            found = device.download<std::uint8_t>(over, flag)[0] != 0;
        }
        cost_ = device.download<std::int32_t>(cost, nodes_);
    }

    CheckReport check() const override { return compare_exact("cost", cost_, distances(graph_)); }

  private:
    const std::int64_t nodes_ = value(0), share_ = is_original() ? 1 : value(1);
    const std::string expand_ = kernel_of_form("bfs_expand", word(0), word(1), word(2));
    const std::string advance_ = kernel_of_form("bfs_advance", word(0), word(1), word(2));
    Graph graph_;
    std::vector<std::int32_t> cost_;
};

using BfsOrPeer = WithPeer<Bfs, BfsPeer>;

LOOKAHEAD_REGISTER_WORKLOAD(BfsOrPeer, bfs)

}  // namespace lookahead::workloads::bfs
