// First in, first out: a line that takes its way stamps it with a running count; later uses change nothing.
#include <bit>
#include <vector>

#include "components/cache/replacement_policy.h"
#include "core/bits/set_bits.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

class FirstInFirstOut final : public ReplacementPolicy {
  public:
    explicit FirstInFirstOut(const ReplacementArguments& arguments)
        : ways_(arguments.ways), arrival_(std::size_t{arguments.sets} * arguments.ways) {}

    void reserve(unsigned set, unsigned way) override { arrival_[set * ways_ + way] = ++lines_; }
    void touch(unsigned, unsigned) override {}

    unsigned victim(unsigned set, std::uint64_t candidates) const override {
        const std::uint64_t* arrivals = &arrival_[set * ways_];
        auto first = static_cast<unsigned>(std::countr_zero(candidates));
        for (const unsigned way : SetBits(candidates & (candidates - 1))) {
            first = arrivals[way] < arrivals[first] ? way : first;
        }
        return first;
    }

    void clear() override {
        arrival_.assign(arrival_.size(), 0);
        lines_ = 0;
    }

    void fields(StateArchive& archive) override { archive& lines_& arrival_; }

  private:
    unsigned ways_;
    std::uint64_t lines_ = 0;
    std::vector<std::uint64_t> arrival_;
};

LOOKAHEAD_REGISTER_VARIANT(ReplacementPolicy, FirstInFirstOut, "fifo", "First in, first out: the oldest line.", "")

}  // namespace lookahead::gpu
