// Tree pseudo-LRU: a binary tree over the ways; each inner node names its less recently used half.
//
// The tree has the next power of two of leaves, so any number of ways from 1 to 64 will do; the additional leaves are
// never candidates. If the half that a node names has no candidate (absent, pending or pinned), the victim comes from
// the other half and the node stays unchanged. A number of ways that is not a power of two makes the policy uneven: of
// six ways the last two have half of the tree, so a stream of misses takes each of them twice as often as each of the
// first four.
#include <bit>
#include <vector>

#include "components/cache/replacement_policy.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

class TreePseudoLru final : public ReplacementPolicy {
  public:
    explicit TreePseudoLru(const ReplacementArguments& arguments)
        : leaves_(std::bit_ceil(arguments.ways)), upper_half_(arguments.sets) {}

    void touch(unsigned set, unsigned way) override {
        std::uint64_t nodes = upper_half_[set];
        for (unsigned node = leaves_ + way; node > 1; node /= 2) {
            const std::uint64_t parent = bit(node / 2);
            const bool is_upper = node % 2 != 0;
            nodes = is_upper ? nodes & ~parent : nodes | parent;
        }
        upper_half_[set] = nodes;
    }

    unsigned victim(unsigned set, std::uint64_t candidates) const override {
        unsigned node = 1;
        unsigned first = 0;
        for (unsigned half = leaves_ / 2; half > 0; half /= 2) {
            const std::uint64_t lower = (bit(half) - 1) << first;
            const std::uint64_t upper = lower << half;
            const bool names_upper = (upper_half_[set] & bit(node)) != 0;
            const bool takes_upper = (candidates & (names_upper ? upper : lower)) != 0 ? names_upper : !names_upper;
            node = 2 * node + takes_upper;
            first += takes_upper ? half : 0;
        }
        return first;
    }

    void clear() override { upper_half_.assign(upper_half_.size(), 0); }

    void fields(StateArchive& archive) override { archive& upper_half_; }

  private:
    static constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }

    unsigned leaves_;
    /// One bit per inner node, numbered as in a heap from 1: set if its upper half was used less recently.
    std::vector<std::uint64_t> upper_half_;
};

LOOKAHEAD_REGISTER_VARIANT(ReplacementPolicy, TreePseudoLru, "tree_plru",
                           "Tree pseudo-LRU: one bit for each inner node of a tree over the ways.", "")

}  // namespace lookahead::gpu
