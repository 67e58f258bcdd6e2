#include "components/mechanisms/pmode/register_pool.h"

#include <bit>

#include "core/mutation/rule.h"

namespace lookahead::gpu {

std::uint16_t RegisterPool::allocate(unsigned row) {
    LOOKAHEAD_DEBUG_ASSERT(free_count_ > 0, "no renaming register is free");
    // Rotated by `shift`, bit i of the pattern is set if first_ + i is in the bank of `row`.
    const unsigned shift = (row - first_) & (banks_ - 1);
    const std::uint64_t any = ~std::uint64_t{0};
    for (const std::uint64_t pattern : {bank_pattern_ << shift, any}) {
        for (std::size_t word = 0; word < free_.size(); ++word) {
            if (const std::uint64_t bits = free_[word] & pattern; bits != 0) {
                return take(static_cast<unsigned>(word * 64) + static_cast<unsigned>(std::countr_zero(bits)));
            }
        }
    }
    return kNone;
}

std::uint16_t RegisterPool::take(unsigned index) {
    free_[index / 64] &= ~(std::uint64_t{1} << index % 64);
    --free_count_;
    registers_[index] = {1, true, 0};
    return static_cast<std::uint16_t>(first_ + index);
}

Cycle RegisterPool::settle(unsigned row, Cycle now) {
    const Register& each = registers_[row - first_];
    if (is_free(row) || each.names > 0 || each.in_flight) { return 0; }
    if (LOOKAHEAD_RULE(readers_keep_register) && each.read_until > now) { return each.read_until; }
    free_[(row - first_) / 64] |= std::uint64_t{1} << (row - first_) % 64;
    ++free_count_;
    return 0;
}

}  // namespace lookahead::gpu
