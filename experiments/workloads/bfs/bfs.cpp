#include <queue>
#include <vector>

#include "experiments/workloads/bfs/ptx.h"
#include "experiments/workloads/compare.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

struct BfsParameters {
    std::int64_t nodes = 0;
    std::string input = "seeded";
};

template <>
struct ParametersOf<BfsParameters> {
    inline static const auto list = parameter_list<BfsParameters>(
        integer("nodes", &BfsParameters::nodes,
                {.unit = "node", .min = 0, .max = 1 << 26, .help = "Nodes of the graph; 0: as --size says."}),
        input_parameter(&BfsParameters::input));
};

namespace {

/// A directed graph in compressed sparse rows; every node has 1 to 11 uniformly random successors (6 on average).
struct Graph {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
};

Graph random_graph(std::int64_t nodes, std::uint32_t seed) {
    XorShift32 random(seed);
    Graph graph;
    graph.row.reserve(nodes + 1);
    graph.row.push_back(0);
    for (std::int64_t node = 0; node < nodes; ++node) {
        const std::uint32_t degree = 1 + random.next() % 11;
        for (std::uint32_t edge = 0; edge < degree; ++edge) {
            graph.column.push_back(static_cast<std::int32_t>((random.next() >> 4) % nodes));
        }
        graph.row.push_back(static_cast<std::int32_t>(graph.column.size()));
    }
    return graph;
}

class Bfs : public Workload {
  public:
    using Parameters = BfsParameters;

    Bfs(const Parameters& parameters, const WorkloadContext& context)
        : nodes_(parameters.nodes ? parameters.nodes
                                  : by_size<std::int64_t>(context.size, 600, 1 << 14, 1 << 16, 1 << 20)),
          seed_(input_seed("bfs", parameters.input, context)) {}

    std::string_view ptx() const override { return kBfsPtx; }
    std::string ptx_file() const override { return "experiments/workloads/bfs/kernel.ptx"; }

    void run(Device& device) override {
        graph_ = random_graph(nodes_, seed_);
        std::vector<std::int32_t> distances(nodes_, -1);
        distances[0] = 0;

        const DeviceAddress row = device.upload(graph_.row);
        const DeviceAddress column = device.upload(graph_.column);
        const DeviceAddress distance = device.upload(distances);
        const DeviceAddress changed = device.allocate(sizeof(std::int32_t));
        constexpr std::uint32_t kBlock = 256;
        const auto blocks = static_cast<std::uint32_t>((nodes_ + kBlock - 1) / kBlock);

        bool found = true;
        for (std::int32_t level = 0; found; ++level) {
            device.fill(changed, std::byte{0}, sizeof(std::int32_t));
            device.launch("bfs", {{blocks}, {kBlock}},
                          pack_parameters(row, column, distance, changed, static_cast<std::int32_t>(nodes_), level));
            found = device.download<std::int32_t>(changed, 1)[0] != 0;
        }
        distances_ = device.download<std::int32_t>(distance, nodes_);
    }

    CheckReport check() const override {
        std::vector<std::int32_t> expected(nodes_, -1);
        std::queue<std::int32_t> open;
        expected[0] = 0;
        open.push(0);
        while (!open.empty()) {
            const std::int32_t node = open.front();
            open.pop();
            for (std::int32_t edge = graph_.row[node]; edge < graph_.row[node + 1]; ++edge) {
                const std::int32_t next = graph_.column[edge];
                if (expected[next] < 0) {
                    expected[next] = expected[node] + 1;
                    open.push(next);
                }
            }
        }
        return compare_exact("distance", distances_, expected);
    }

  private:
    std::int64_t nodes_;
    std::uint32_t seed_;
    Graph graph_;

    std::vector<std::int32_t> distances_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(
    Workload, Bfs, "bfs", "Level-synchronous breadth-first search over a random graph; the host relaunches until done.",
    "Rodinia, bfs (one thread a node)")

}  // namespace lookahead
