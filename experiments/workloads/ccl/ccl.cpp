#include <numeric>

#include "experiments/workloads/ccl/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::ccl {

constexpr std::uint32_t kBlock = 256;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"nodes", "node", {700, 1 << 16, 1 << 20, 1 << 22}, 1 << 26, "Nodes; the graph has as many undirected edges."},
}};

class Ccl : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Ccl, ccl)

    void run(Device& device) override {
        make_graph();
        std::vector<std::int32_t> own(nodes_);
        std::iota(own.begin(), own.end(), 0);
        const DeviceAddress row = device.upload(row_), column = device.upload(column_);
        const DeviceAddress label = device.upload(own), reference = device.upload(own);
        const DeviceAddress changed = device.allocate(sizeof(std::int32_t));
        const auto nodes = s32(nodes_);
        const LaunchConfiguration shape{{blocks_for(nodes_, kBlock)}, {kBlock}};
        while (true) {
            device.fill(changed, std::byte{0}, sizeof(std::int32_t));
            device.launch("ccl_scan", shape, pack_parameters(row, column, label, reference, changed, nodes));
            if (device.download<std::int32_t>(changed, 1)[0] == 0) { break; }
            device.launch("ccl_analyse", shape, pack_parameters(label, reference, nodes));
            device.launch("ccl_relabel", shape, pack_parameters(label, reference, nodes));
        }
        label_ = device.download<std::int32_t>(label, nodes_);
    }

    CheckReport check() const override {
        // The least node of each component, by searches from all nodes not yet reached.
        std::vector<std::int32_t> expected(nodes_, -1), open;
        for (std::int32_t first = 0; first < nodes_; ++first) {
            if (expected[first] >= 0) { continue; }
            expected[first] = first;
            open.push_back(first);
            while (!open.empty()) {
                const std::int32_t node = open.back();
                open.pop_back();
                for (std::int32_t edge = row_[node]; edge < row_[node + 1]; ++edge) {
                    if (expected[column_[edge]] >= 0) { continue; }
                    expected[column_[edge]] = first;
                    open.push_back(column_[edge]);
                }
            }
        }
        return compare_exact("label", label_, expected);
    }

  private:
    /// Edges between uniformly random nodes, both ways, in compressed sparse rows.
    void make_graph() {
        XorShift32 random(seed());
        std::vector<std::int32_t> from(nodes_), to(nodes_);
        row_.assign(nodes_ + 1, 0);
        for (std::int64_t edge = 0; edge < nodes_; ++edge) {
            from[edge] = s32(random.next() % nodes_);
            to[edge] = s32(random.next() % nodes_);
            ++row_[from[edge] + 1];
            ++row_[to[edge] + 1];
        }
        std::partial_sum(row_.begin(), row_.end(), row_.begin());
        column_.resize(2 * nodes_);
        std::vector<std::int32_t> next(row_.begin(), row_.end() - 1);
        for (std::int64_t edge = 0; edge < nodes_; ++edge) {
            column_[next[from[edge]]++] = to[edge];
            column_[next[to[edge]]++] = from[edge];
        }
    }

    const std::int64_t nodes_ = value(0);
    std::vector<std::int32_t> row_, column_, label_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Ccl, ccl)

}  // namespace lookahead::workloads::ccl
