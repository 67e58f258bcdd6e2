#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/cache/replacement_policy.h"
#include "core/bits/set_bits.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

namespace {

/// Replaces the line with the oldest stamp, which is a running count.
class StampedLines : public ReplacementPolicy {
  public:
    explicit StampedLines(const ReplacementArguments& arguments)
        : ways_(arguments.ways), stamps_(std::size_t{arguments.sets} * arguments.ways) {}

    [[gnu::hot]] unsigned victim(unsigned set, std::uint64_t candidates) const final {
        const std::uint64_t* stamps = &stamps_[set * ways_];
        auto oldest = static_cast<unsigned>(std::countr_zero(candidates));
        for (const unsigned way : SetBits(candidates)) {
            if (stamps[way] < stamps[oldest]) { oldest = way; }
        }
        return oldest;
    }
    void clear() final {
        stamps_.assign(stamps_.size(), 0);
        count_ = 0;
    }
    void fields(StateArchive& archive) final { archive& count_& stamps_; }

  protected:
    void stamp(unsigned set, unsigned way) { stamps_[set * ways_ + way] = ++count_; }

  private:
    unsigned ways_;
    std::uint64_t count_ = 0;
    std::vector<std::uint64_t> stamps_;
};

/// Each use stamps the line.
class LeastRecentlyUsed final : public StampedLines {
  public:
    using StampedLines::StampedLines;
    void touch(unsigned set, unsigned way) override { stamp(set, way); }
};

/// A line that takes its way is stamped; later uses change nothing.
class FirstInFirstOut final : public StampedLines {
  public:
    using StampedLines::StampedLines;
    void reserve(unsigned set, unsigned way) override { stamp(set, way); }
    void touch(unsigned, unsigned) override {}
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(ReplacementPolicy, LeastRecentlyUsed, "lru", "Least recently used.", "")
LOOKAHEAD_REGISTER_VARIANT(ReplacementPolicy, FirstInFirstOut, "fifo", "First in, first out: the oldest line.", "")

}  // namespace lookahead::gpu
