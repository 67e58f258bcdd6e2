#pragma once

#include "experiments/workloads/bfs/files.h"
#include "experiments/workloads/bfs/graph.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::bfs {

/// The kernel and the inputs of the published comparison with GPGPU-Sim.
class BfsPeer : public Workload {
  public:
    explicit BfsPeer(const WorkloadContext& context)
        : nodes_(context.size == Size::medium ? 1 << 16 : 1 << 14), seed_(input_seed("bfs", "peer", context)) {}

    ProgramCode code() const override { return LOOKAHEAD_CODE(bfs, Peer); }

    void run(Device& device) override {
        graph_ = random_graph(nodes_, seed_);
        std::vector<std::int32_t> distances(nodes_, -1);
        distances[0] = 0;

        const DeviceAddress row = device.upload(graph_.row);
        const DeviceAddress column = device.upload(graph_.column);
        const DeviceAddress distance = device.upload(distances);
        const DeviceAddress changed = device.allocate(sizeof(std::int32_t));
        constexpr std::uint32_t kBlock = 256;
        const auto blocks = u32((nodes_ + kBlock - 1) / kBlock);

        bool found = true;
        for (std::int32_t level = 0; found; ++level) {
            device.fill(changed, std::byte{0}, sizeof(std::int32_t));
            device.launch("bfs", {{blocks}, {kBlock}},
                          pack_parameters(row, column, distance, changed, s32(nodes_), level));
            found = device.download<std::int32_t>(changed, 1)[0] != 0;
        }
        distances_ = device.download<std::int32_t>(distance, nodes_);
    }

    CheckReport check() const override { return compare_exact("distance", distances_, distances(graph_)); }

  private:
    std::int64_t nodes_;
    std::uint32_t seed_;
    Graph graph_;

    std::vector<std::int32_t> distances_;
};

}  // namespace lookahead::workloads::bfs
