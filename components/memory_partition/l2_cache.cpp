#include "components/memory_partition/l2_cache.h"

#include <algorithm>
#include <bit>

#include "components/protocols/byte_mask.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

L2Cache::L2Cache(unsigned sets, unsigned ways)
    : sets_(sets),
      ways_(ways),
      tags_(std::size_t{sets} * ways, kFree),
      used_(tags_.size(), 0),
      mshr_(tags_.size(), kNoMshr),
      states_(tags_.size()),
      data_(std::make_unique<std::byte[]>(tags_.size() * kLineBytes)) {
    if (!std::has_single_bit(sets)) { throw ConfigurationError("l2.sets is {}; it must be a power of two", sets); }
}

std::uint32_t L2Cache::victim(unsigned set) const {
    const std::uint64_t* used = used_.data() + set * ways_;
    std::uint64_t oldest = kAwaited;
    std::uint32_t best = kNoLine;
    for (unsigned way = 0; way < ways_; ++way) {
        best = used[way] < oldest ? static_cast<std::uint32_t>(set * ways_ + way) : best;
        oldest = std::min(oldest, used[way]);
    }
    return best;
}

void L2Cache::install(std::uint32_t line, std::uint64_t local) {
    tags_[line] = local;
    states_[line] = {};
    touch(line);
}

std::uint64_t L2Cache::dirty_bytes() const {
    std::uint64_t bytes = 0;
    for (std::uint32_t line = 0; line < tags_.size(); ++line) { bytes += occupied(line) ? bytes_in(dirty(line)) : 0; }
    return bytes;
}

void L2Cache::fields(StateArchive& archive) {
    archive& clock_& tags_& used_& mshr_;
    archive.plain(states_.data(), states_.size());
    archive.plain(data_.get(), tags_.size() * kLineBytes);
}

}  // namespace lookahead::gpu
