#include "components/sm/lsu/l1_accesses.h"

#include <bit>

#include "core/component/slot.h"
#include "core/error/error.h"

namespace lookahead::gpu {

namespace {

/// The words of the line that the lanes ask for, one each.
WordMask words_of_lanes(const std::uint8_t* offsets, isa::LaneMask lanes) {
    WordMask words = 0;
    for (isa::LaneMask left = lanes; left != 0; left &= left - 1) {
        words |= WordMask{1} << (offsets[std::countr_zero(left)] / 4);
    }
    return words;
}

}  // namespace

PrivateMemory::PrivateMemory(const Configuration& configuration, L1Data& l1, LoadTable& loads, unsigned contexts)
    : hit_latency_(configuration.read<L1Parameters>("l1d").hit_latency),
      fill_latency_(configuration.read<L1Parameters>("l1d").fill_latency),
      l1_(l1),
      loads_(loads),
      companion_(make_companion({configuration, l1, contexts})) {
    if (companion_ != nullptr) { l1_.join(*companion_); }
}

isa::LaneMask PrivateMemory::load(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now) {
    alignas(64) std::byte data[kLineBytes];
    PendingLoad& pending = loads_[entry];
    const WordMask wanted = words_of_lanes(pending.offsets, lanes);
    const WordMask words = companion_->load(access, wanted, data);
    LOOKAHEAD_DEBUG_ASSERT((words & ~wanted) == 0, "a companion of L1 serves words that no access requested");
    isa::LaneMask served = 0;
    for (isa::LaneMask left = words == 0 ? 0 : lanes; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        served |= isa::LaneMask{words >> (pending.offsets[lane] / 4) & 1} << lane;
    }
    if (served != 0) {
        pending.not_before(now + hit_latency_ + companion_->latency());
        loads_.write({entry, served}, data);
    }
    return served;
}

void PrivateMemory::missed(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now) {
    PendingLoad& pending = loads_[entry];
    pending.not_before(now + hit_latency_ + companion_->latency());
    companion_->missed(access, words_of_lanes(pending.offsets, lanes));
}

void PrivateMemory::fill(const ReadReply& reply, Cycle now) {
    const Mshr& mshr = l1_.mshrs()[reply.tag];
    const L1Access access{
        .line = reply.line, .pc = mshr.pc, .warp = mshr.warp, .client = mshr.client, .sectors = reply.sectors};
    WordMask asked = 0;
    l1_.fill(
        reply, reply.data(),
        [&](const Waiter& waiter, const std::byte* line) {
            const LoadToken token = LoadToken::of(waiter);
            loads_.write(waiter, line);
            PendingLoad& pending = loads_[token.load];
            asked |= token.as_vector ? words_of_lanes(pending.offsets, waiter.lanes) : 0;
            pending.not_before(now + fill_latency_ + companion_->latency());
            loads_.data_came(token.load, now);
        },
        [&](const std::byte* line) { return companion_->fill(access, asked, line); });
}

}  // namespace lookahead::gpu
