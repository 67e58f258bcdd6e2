#include "components/memory_partition/l2_cache.h"

#include <algorithm>
#include <bit>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>

#include "components/memory_partition/line_bytes.h"
#include "core/error/error.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

L2Cache::L2Cache(unsigned sets, unsigned ways)
    : sets_(sets),
      ways_(ways),
      tags_(std::size_t{sets} * ways, kFree),
      used_(tags_.size(), 0),
      mshr_(tags_.size(), kNoMshr),
      states_(tags_.size()),
      data_(std::make_unique<std::byte[]>(tags_.size() * kLineBytes)) {
    if (!std::has_single_bit(sets)) {
        throw ConfigurationError("l2.sets is " + std::to_string(sets) + "; it must be a power of two");
    }
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
    for (std::uint32_t line = 0; line < tags_.size(); ++line) {
        bytes += occupied(line) ? bytes_in(dirty(line)) : 0;
    }
    return bytes;
}

void L2Cache::hash_state(StateHasher& hasher) const {
    for (std::uint32_t line = 0; line < tags_.size(); ++line) {
        if (!occupied(line)) {
            continue;
        }
        hasher.add(tags_[line]);
        hasher.add(used_[line]);
        hasher.add_bytes(&states_[line], sizeof(State));
        hasher.add_bytes(data(line), kLineBytes);
    }
}

void L2Cache::save(boost::archive::binary_oarchive& archive) const {
    archive << clock_ << tags_ << used_ << mshr_;
    archive.save_binary(states_.data(), states_.size() * sizeof(State));
    archive.save_binary(data_.get(), tags_.size() * kLineBytes);
}

void L2Cache::load(boost::archive::binary_iarchive& archive) {
    archive >> clock_ >> tags_ >> used_ >> mshr_;
    archive.load_binary(states_.data(), states_.size() * sizeof(State));
    archive.load_binary(data_.get(), tags_.size() * kLineBytes);
}

}  // namespace lookahead::gpu
