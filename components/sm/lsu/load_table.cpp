#include "components/sm/lsu/load_table.h"

#include <cstddef>
#include <cstring>

#include "components/isa/memory_access.h"
#include "components/sm/lsu/lane_data.h"
#include "core/bits/set_bits.h"

namespace lookahead::gpu {

[[gnu::hot]] void LoadTable::write(const Waiter& waiter, const std::byte* line) {
    const LoadToken token = LoadToken::of(waiter);
    if (token.part != LoadToken::Part::whole) [[unlikely]] { return write_half(waiter, line); }
    const PendingLoad& load = entries_[token.load];
    const isa::Instruction& shape = load.shape();
    const Rows rows = rows_of(load);
    if (waiter.lanes == isa::kFullMask && is_plain_word(shape) && is_whole_line(load.offsets)) {
        std::memcpy(rows[0], line, kLineBytes);
        return;
    }
    write_lanes(
        shape, waiter.lanes, line, [&](unsigned lane) { return load.offsets[lane]; }, rows.data());
}

/// A lane of two sectors has sixteen words.
void LoadTable::write_half(const Waiter& waiter, const std::byte* line) {
    constexpr unsigned kWords = kSectorBytes / 4;
    const LoadToken token = LoadToken::of(waiter);
    const PendingLoad& load = entries_[token.load];
    const unsigned first = token.part == LoadToken::Part::upper_half ? kWords : 0;
    for (unsigned word = first; word < first + kWords; ++word) {
        std::uint32_t* row = registers_.row(load.destination_rows[word]);
        for (const unsigned lane : SetBits(waiter.lanes)) {
            std::memcpy(&row[lane], line + load.offsets[lane] + 4 * word, sizeof row[lane]);
        }
    }
}

void LoadTable::write_part(std::uint32_t entry, isa::LaneMask lanes, const std::byte* bytes, unsigned size) {
    const PendingLoad& load = entries_[entry];
    write_lanes(
        load.shape(), lanes, bytes, [&](unsigned lane) { return load.offsets[lane] % size; }, rows_of(load).data());
}

void LoadTable::write_atomics(const AtomicReply& reply) {
    const auto* values = reinterpret_cast<const AtomicValue*>(&reply + 1);
    const PendingLoad& load = entries_[reply.tag];
    const Rows rows = rows_of(load);
    for (unsigned i = 0; i < reply.lanes; ++i) {
        isa::write_loaded(*load.instruction, static_cast<unsigned>(values[i].lane),
                          reinterpret_cast<const std::byte*>(&values[i].value), rows.data());
    }
}

}  // namespace lookahead::gpu
