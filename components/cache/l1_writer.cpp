#include "components/cache/l1_writer.h"

#include <bit>
#include <cstring>

namespace lookahead::gpu {

void L1Writer::write(std::uint64_t line, const ByteMask& mask, const std::byte* bytes, std::uint32_t tag) {
    const std::uint32_t words = words_of(mask);
    const auto count = static_cast<std::uint32_t>(std::popcount(words));
    const WriteRequest message{.line = line, .mask = mask, .tag = tag, .words = count};
    std::byte* payload = queue_.push(line, GpuMessage::write_request, sizeof message + 4 * count);
    std::memcpy(payload, &message, sizeof message);
    pack_words(payload + sizeof message, bytes, words);
}

void L1Writer::write_dirty(std::uint32_t way) {
    write(lines_.line(way), lines_.dirty(way), lines_.bytes(way), kWriteBackTag);
    ++counters_.write_backs;
    count_written(way, bytes_in(lines_.dirty(way)));
}

void L1Writer::evict_dirty(std::uint32_t way) {
    if (companion_ == nullptr) [[likely]] { return write_dirty(way); }
    alignas(64) std::byte bytes[kLineBytes];
    std::memcpy(bytes, lines_.bytes(way), kLineBytes);
    const ByteMask mask = companion_->evicting(lines_.line(way), lines_.dirty(way), bytes);
    if (mask.any()) { write(lines_.line(way), mask, bytes, kWriteBackTag); }
    const unsigned written = bytes_in(lines_.dirty(way) & mask);
    counters_.write_backs += written != 0;
    count_written(way, written);
}

void L1Writer::write_together(std::uint32_t way, const ByteMask& own, const std::byte* bytes) {
    const ByteMask rest = without(lines_.dirty(way), own);
    alignas(64) std::byte merged[kLineBytes] = {};
    copy_bytes(merged, lines_.bytes(way), rest);
    copy_bytes(merged, bytes, own);
    if ((own | rest).any()) { write(lines_.line(way), own | rest, merged, kWriteBackTag); }
    counters_.write_backs += rest.any() && !own.any();  // else it is the companion's message
    count_written(way, bytes_in(rest));
}

/// The way's other dirty bytes are older than the companion's.
void L1Writer::count_written(std::uint32_t way, unsigned written) {
    counters_.written_back_bytes += written;
    counters_.discarded_bytes += lines_.forget_dirty(way) - written;
}

}  // namespace lookahead::gpu
