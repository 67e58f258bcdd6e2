// Least recently used: each use stamps the way with a running count.

#include <bit>
#include <vector>

#include "components/cache/replacement_policy.h"
#include "core/bits/set_bits.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

class LeastRecentlyUsed final : public ReplacementPolicy {
  public:
    explicit LeastRecentlyUsed(const ReplacementArguments& arguments)
        : ways_(arguments.ways), last_use_(std::size_t{arguments.sets} * arguments.ways) {}

    void touch(unsigned set, unsigned way) override { last_use_[set * ways_ + way] = ++uses_; }

    [[gnu::hot]] unsigned victim(unsigned set, std::uint64_t candidates) const override {
        const std::uint64_t* uses = &last_use_[set * ways_];
        auto oldest = static_cast<unsigned>(std::countr_zero(candidates));
        for (const unsigned way : SetBits(candidates)) {
            if (uses[way] < uses[oldest]) { oldest = way; }
        }
        return oldest;
    }

    void clear() override {
        last_use_.assign(last_use_.size(), 0);
        uses_ = 0;
    }

    void fields(StateArchive& archive) override { archive& uses_& last_use_; }

  private:
    unsigned ways_;
    std::uint64_t uses_ = 0;
    std::vector<std::uint64_t> last_use_;
};

LOOKAHEAD_REGISTER_VARIANT(ReplacementPolicy, LeastRecentlyUsed, "lru", "Least recently used.", "")

}  // namespace lookahead::gpu
