// What a companion has L1 do (l1_companion.h).
#include <cstring>

#include "components/cache/l1_data.h"

namespace lookahead::gpu {

/// A fill may be taken where L1 has nothing else of the line: what is taken and what stays never mix.
bool L1Data::may_be_taken(const Arrival& arrival) const {
    const Mshr& mshr = arrival.mshr;
    if (mshr.detached() || mshr.installs != mshr.sectors) { return false; }
    const LineInfo& info = tags_.info(mshr.way);
    return !info.dirty && info.valid == 0 && info.awaited == mshr.installs;
}

/// The fill of `tag` is not installed if it was taken; those who waited for it have been served. To make room for it
/// the companion may have written the line's own older words back, which has detached the fill already.
void L1Data::give_away_if(bool taken, std::uint32_t tag, Arrival& arrival) {
    if (const Mshr& mshr = mshrs_[tag]; taken && !mshr.detached()) { detach(mshr.way, mshr.installs); }
    arrival.mshr = mshrs_[tag];
}

bool L1Data::write_back(std::uint64_t line, WordMask words, const std::byte* data) {
    if (queue_.full()) { return false; }
    const std::uint32_t way = tags_.find(line);
    const ByteMask own = bytes_of_words(words);
    if (way == kNoWay) {
        if (own.any()) { send_write(line, own, data, kWriteBackTag); }
        return true;
    }
    const LineInfo& info = tags_.info(way);
    if (info.dirty && (dirty_[way] & bytes_of(info.awaited)).any()) { return false; }
    const ByteMask rest = without(dirty_[way], own);
    alignas(64) std::byte merged[kLineBytes] = {};
    copy_masked(merged, data_[way].bytes, rest);
    copy_masked(merged, data, own);
    if ((own | rest).any()) { send_write(line, own | rest, merged, kWriteBackTag); }
    counters_.write_backs += rest.any() && !own.any();  // else the message is the companion's
    counters_.written_back_bytes += count_of(rest);
    counters_.discarded_bytes += count_of(dirty_[way]) - count_of(rest);  // older than the companion's
    forget_dirty_bytes(way);
    invalidate(way, kAllSectors);
    return true;
}

}  // namespace lookahead::gpu
