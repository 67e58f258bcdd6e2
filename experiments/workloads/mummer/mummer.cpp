#include <numeric>

#include <fmt/format.h>

#include "experiments/workloads/mummer/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::mummer {

constexpr std::int64_t kThreads = 64, kLetters = 4;
constexpr std::int32_t kNone = -1, kRoot = 0;

constexpr std::array<SizedParameter, 4> kParameters{{
    {"letters",
     "letter",
     {600, 1 << 15, 140'000, 1'000'000},
     1 << 23,
     "Letters of the reference; 140000 in the suite."},
    {"queries", "query", {100, 20'000, 300'000, 1'000'000}, 1 << 22, "Queries; 50000 in the suite."},
    {"query_letters", "letter", {25, 25, 25, 25}, 1 << 10, "Letters of a query."},
    {"shortest",
     "letter",
     {20, 20, 20, 20},
     1 << 10,
     "Least number of letters of a match, which limits where matches may start."},
}};

/// The kernel's int4.
struct Node {
    std::int32_t start, end, link, place;
};

struct SuffixTree {
    std::vector<Node> nodes;
    std::vector<std::array<std::int32_t, kLetters + 1>> children;

    std::int32_t add(std::int32_t start, std::int32_t end) {
        nodes.push_back({start, end, kRoot, 0});
        children.emplace_back().fill(kNone);
        return s32(nodes.size()) - 1;
    }
};

/// Ukkonen's construction; `text` must end in a letter that it has nowhere else.
SuffixTree make_suffix_tree(const std::vector<std::int8_t>& text) {
    const auto size = s32(text.size());
    SuffixTree tree;
    tree.add(0, 0);
    // The end of the longest suffix that is not yet a leaf: `length` letters down the edge that begins with text[edge].
    std::int32_t node = kRoot, edge = 0, length = 0, remaining = 0;
    for (std::int32_t i = 0; i < size; ++i) {
        std::int32_t unlinked = kNone;
        const auto link = [&](std::int32_t to) {
            if (unlinked != kNone) { tree.nodes[unlinked].link = to; }
            unlinked = kNone;
        };
        for (++remaining; remaining > 0;) {
            if (length == 0) { edge = i; }
            const std::int32_t child = tree.children[node][text[edge]];
            if (child == kNone) {
                tree.children[node][text[edge]] = tree.add(i, size);
                link(node);
            } else {
                const Node below = tree.nodes[child];
                if (length >= below.end - below.start) {
                    edge += below.end - below.start;
                    length -= below.end - below.start;
                    node = child;
                    continue;
                }
                if (text[below.start + length] == text[i]) {
                    ++length;
                    link(node);
                    break;
                }
                const std::int32_t middle = tree.add(below.start, below.start + length);
                tree.children[node][text[edge]] = middle;
                tree.children[middle][text[below.start + length]] = child;
                tree.nodes[child].start += length;
                tree.children[middle][text[i]] = tree.add(i, size);
                link(middle);
                unlinked = middle;
            }
            --remaining;
            if (node == kRoot && length > 0) {
                --length;
                edge = i - remaining + 1;
            } else {
                node = tree.nodes[node].link;
            }
        }
    }
    // Assigns positions, from the root down.
    std::vector<std::pair<std::int32_t, std::int32_t>> open{{kRoot, 0}};
    while (!open.empty()) {
        const auto [current, depth] = open.back();
        open.pop_back();
        Node& at = tree.nodes[current];
        at.place = at.start - depth;
        for (const std::int32_t child : tree.children[current]) {
            if (child != kNone) { open.emplace_back(child, depth + at.end - at.start); }
        }
    }
    return tree;
}

struct Match {
    std::int32_t length, place;
};

class Mummer : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Mummer, mummer)

    void run(Device& device) override {
        make_letters();
        const SuffixTree tree = make_suffix_tree(reference_);
        std::vector<std::array<std::int32_t, kLetters>> children(tree.nodes.size());
        for (std::size_t i = 0; i < children.size(); ++i) {
            std::copy_n(tree.children[i].begin(), kLetters, children[i].begin());
        }
        std::vector<std::int32_t> first_letters;
        for (std::int64_t i = 0; i <= query_count_; ++i) { first_letters.push_back(s32(i * query_letters_)); }
        const DeviceAddress nodes = device.upload(tree.nodes), children_at = device.upload(children);
        const DeviceAddress reference = device.upload(reference_), queries = device.upload(queries_);
        const DeviceAddress firsts = device.upload(first_letters);
        const DeviceAddress matches = zeros(device, queries_.size() * sizeof(Match));
        device.launch("mummer_match", {{blocks_for(query_count_, kThreads)}, {kThreads}},
                      pack_parameters(nodes, children_at, reference, queries, firsts, s32(query_count_), s32(shortest_),
                                      matches));
        matches_ = device.download<Match>(matches, queries_.size());
    }

    /// Checks against binary searches in the sorted list of the reference's suffixes.
    CheckReport check() const override {
        const std::string reference(reference_.begin(), reference_.end()), queries(queries_.begin(), queries_.end());
        const std::string_view text = reference;
        std::vector<std::int32_t> suffixes(reference.size());
        std::iota(suffixes.begin(), suffixes.end(), 0);
        std::ranges::sort(suffixes, {}, [&](std::int32_t place) { return text.substr(place); });

        std::vector<std::int32_t> lengths, expected;
        for (std::int64_t i = 0; i < query_count_ * query_letters_; ++i) {
            const std::int64_t left = query_letters_ - i % query_letters_;
            const auto [length, place] = matches_[i];
            lengths.push_back(length);
            if (left < shortest_) {
                expected.push_back(0);
                continue;
            }
            const std::string_view query = std::string_view(queries).substr(i, left);
            expected.push_back(longest_match(text, suffixes, query));
            if (length == expected.back() && (place < 0 || text.substr(place, length) != query.substr(0, length))) {
                return {Outputs::mismatch,
                        fmt::format("place[{}] is {}, where the reference has other letters", i, place)};
            }
        }
        return compare_exact("matched letters", lengths, expected);
    }

  private:
    /// Queries are parts of the reference with every 64th letter drawn anew; every eighth query is wholly random.
    void make_letters() {
        XorShift32 random(seed());
        const auto letter = [&] { return static_cast<std::int8_t>(random.next() >> 8 & 3); };
        reference_.resize(letters_);
        for (std::int8_t& value : reference_) { value = letter(); }
        reference_.push_back(kLetters);
        queries_.clear();
        for (std::int64_t query = 0; query < query_count_; ++query) {
            const std::int64_t from = (random.next() >> 4) % std::max<std::int64_t>(letters_ - query_letters_, 1);
            for (std::int64_t i = 0; i < query_letters_; ++i) {
                const bool is_new = query % 8 == 7 || random.next() >> 26 == 0 || from + i >= letters_;
                queries_.push_back(is_new ? letter() : reference_[from + i]);
            }
        }
    }

    static std::int32_t longest_match(std::string_view text, const std::vector<std::int32_t>& suffixes,
                                      std::string_view query) {
        const auto after =
            std::ranges::lower_bound(suffixes, query, {}, [&](std::int32_t p) { return text.substr(p); });
        std::int32_t longest = 0;
        const auto try_one = [&](std::int32_t place) {
            const std::string_view suffix = text.substr(place);
            const auto [differs, end] = std::ranges::mismatch(query, suffix);
            longest = std::max(longest, s32(differs - query.begin()));
        };
        if (after != suffixes.end()) { try_one(*after); }
        if (after != suffixes.begin()) { try_one(*std::prev(after)); }
        return longest;
    }

    const std::int64_t letters_ = value(0), query_count_ = value(1), query_letters_ = value(2), shortest_ = value(3);
    std::vector<std::int8_t> reference_, queries_;
    std::vector<Match> matches_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Mummer, mummer)

}  // namespace lookahead::workloads::mummer
