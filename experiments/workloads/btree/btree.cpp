#include <deque>
#include <limits>

#include "experiments/workloads/btree/files.h"
#include "experiments/workloads/forms.h"

namespace lookahead::workloads::btree {

constexpr std::int64_t kOrder = 256, kFilled = 160;  // keys per node: most, and actual
constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();

constexpr std::array<SizedParameter, 3> kParameters{{
    {"records", "record", {3000, 1 << 18, 1 << 20, 1 << 22}, 1 << 24, "Records in the tree."},
    {"queries", "query", {20, 1200, 20000, 60000}, 65535, "Queries for a key, and as many for a range."},
    {"share", "query", {7, 8, 16, 16}, 65535, "Queries per block in form=looped."},
}};

struct Node {
    std::int32_t place = 0;
    std::int32_t indices[kOrder + 1] = {};
    std::int32_t keys[kOrder + 1] = {};
    std::int32_t is_leaf = 0;
    std::int32_t key_count = 0;
};

class BTree : public SizedWorkload<kParameters, kLoopedAndVectorForm> {
  public:
    LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(BTree, btree)

    void run(Device& device) override {
        XorShift32 random(seed());
        records_.resize(record_count_);
        for (std::int32_t& record : records_) { record = s32(random.next() >> 1); }
        std::int32_t height = 0;
        const std::vector<Node> tree = make_tree(height);
        for (auto* queries : {&queries_, &starts_, &ends_}) {
            queries->resize(query_count_);
            for (std::int32_t& query : *queries) { query = key_of(random.next() % record_count_); }
        }
        for (std::int64_t i = 0; i < query_count_; ++i) {
            if (starts_[i] > ends_[i]) { std::swap(starts_[i], ends_[i]); }
        }

        const DeviceAddress nodes = device.upload(tree), records = device.upload(records_);
        const DeviceAddress queries = device.upload(queries_), starts = device.upload(starts_);
        const DeviceAddress ends = device.upload(ends_);
        const std::uint64_t bytes = query_count_ * sizeof(std::int32_t);
        const DeviceAddress answers = device.allocate(bytes), firsts = device.allocate(bytes);
        const DeviceAddress lengths = device.allocate(bytes);
        device.fill(answers, std::byte{0xFF}, bytes);
        const LaunchConfiguration shape{{blocks_for(query_count_, share_)}, {kOrder}};
        if (is_original()) {
            device.launch(find_, shape, pack_parameters(height, nodes, records, queries, answers));
            device.launch(find_range_, shape, pack_parameters(height, nodes, starts, ends, firsts, lengths));
        } else {
            const DeviceAddress at = device.allocate(2 * bytes), next = device.allocate(2 * bytes);
            const auto share = s32(share_), all = s32(query_count_);
            const auto start_at_root = [&] {
                device.fill(at, std::byte{0}, 2 * bytes);
                device.fill(next, std::byte{0}, 2 * bytes);
            };
            start_at_root();
            device.launch(find_, shape,
                          pack_parameters(height, nodes, records, queries, answers, at, next, share, all));
            start_at_root();
            device.launch(find_range_, shape,
                          pack_parameters(height, nodes, starts, ends, firsts, lengths, at, next, share, all));
        }
        answers_ = device.download<std::int32_t>(answers, query_count_);
        firsts_ = device.download<std::int32_t>(firsts, query_count_);
        lengths_ = device.download<std::int32_t>(lengths, query_count_);
    }

    CheckReport check() const override {
        std::vector<std::int32_t> answers, firsts, lengths;
        for (std::int64_t i = 0; i < query_count_; ++i) {
            answers.push_back(records_[queries_[i] / 3]);
            firsts.push_back(starts_[i] / 3);
            lengths.push_back(ends_[i] / 3 - starts_[i] / 3 + 1);
        }
        return all_of({compare_exact("record", answers_, answers), compare_exact("first of a range", firsts_, firsts),
                       compare_exact("length of a range", lengths_, lengths)});
    }

  private:
    static std::int32_t key_of(std::int64_t record) { return s32(3 * record); }

    /// Built from the leaves up; the root is node 0. `height`: levels from the root to a leaf.
    std::vector<Node> make_tree(std::int32_t& height) const {
        struct Entry {
            std::int32_t key, index;
        };
        std::vector<Entry> entries;
        for (std::int64_t i = 0; i < record_count_; ++i) { entries.push_back({key_of(i), s32(i)}); }
        std::deque<std::vector<Node>> levels;
        do {
            std::vector<Node> level;
            std::vector<Entry> above;
            for (std::size_t first = 0; first < entries.size(); first += kFilled) {
                Node& node = level.emplace_back();
                std::ranges::fill(node.keys, kNone);
                node.is_leaf = levels.empty();
                node.key_count = s32(std::min<std::size_t>(kFilled, entries.size() - first));
                for (std::int32_t i = 0; i < node.key_count; ++i) {
                    node.keys[i] = entries[first + i].key;
                    node.indices[i] = entries[first + i].index;
                }
                above.push_back({node.keys[0], s32(level.size() - 1)});
            }
            entries = std::move(above);
            levels.push_front(std::move(level));
        } while (entries.size() > 1);
        height = s32(levels.size()) - 1;

        // Levels follow each other from the root on, so children's indices shift by the sizes of the earlier levels.
        std::vector<Node> tree;
        for (std::vector<Node>& level : levels) {
            const auto children_at = s32(tree.size() + level.size());
            for (Node& node : level) {
                node.place = s32(tree.size());
                if (node.is_leaf == 0) {
                    for (std::int32_t i = 0; i < node.key_count; ++i) { node.indices[i] += children_at; }
                }
                tree.push_back(node);
            }
        }
        return tree;
    }

    const std::int64_t record_count_ = value(0), query_count_ = value(1), share_ = is_original() ? 1 : value(2);
    const std::string find_ = kernel_of_form("btree_find", word(0), word(1), word(2));
    const std::string find_range_ = kernel_of_form("btree_find_range", word(0), word(1), word(2));
    std::vector<std::int32_t> records_, queries_, starts_, ends_, answers_, firsts_, lengths_;
};

LOOKAHEAD_REGISTER_WORKLOAD(BTree, btree)

}  // namespace lookahead::workloads::btree
