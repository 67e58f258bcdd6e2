#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "components/cache/mshr_table.h"
#include "components/isa/instruction.h"
#include "components/sm/lsu/instruction_queue.h"
#include "components/sm/register_file.h"
#include "components/sm/timing_wheel.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

enum class LoadKind : std::uint8_t {
    plain,
    acquire,
    element,  ///< one element of a load whose elements have addresses of their own
};

/// The form of an element: a load of one word into one row.
inline constexpr isa::Instruction kWordLoad = [] {
    isa::Instruction load;
    load.operation = isa::Operation::load;
    load.type = isa::Type::u32;
    load.destination_rows = 1;
    return load;
}();

/// A load, an element of a load, or an atomic with a result, from its first access to its completion.
struct PendingLoad {
    const isa::Instruction* instruction = nullptr;  ///< null: the entry is free
    DestinationRows destination_rows{};
    std::uint16_t token = 0;  ///< see MemoryInstruction
    std::uint16_t context = 0;
    std::uint16_t epoch = 0;        ///< tag in AccessEpochs
    std::uint16_t outstanding = 0;  ///< accesses whose data have not come
    bool issuing = false;           ///< more accesses follow
    LoadKind kind = LoadKind::plain;
    std::uint8_t element = 0;                   ///< number of an element
    std::uint8_t elements_left = 0;             ///< set in the first element's entry, until all have completed
    std::uint32_t first = 0;                    ///< of an element: the entry of the load's first element
    Cycle begun = 0;                            ///< cycle in which the instruction was accepted
    Cycle ready = 0;                            ///< it completes no earlier
    isa::LaneMask lanes = 0;                    ///< for which it loads
    std::uint8_t offsets[isa::kWarpSize] = {};  ///< by lane: where its data begin in their line

    /// The instruction whose form says how the data fill the rows.
    const isa::Instruction& shape() const { return kind == LoadKind::element ? kWordLoad : *instruction; }
    void not_before(Cycle cycle) { ready = std::max(ready, cycle); }

    /// `code`: the kernel's, empty if none runs.
    void fields(StateArchive& archive, std::span<const isa::Instruction> code) {
        archive.optional_pointer_into(code, instruction);
        if (instruction == nullptr) {
            return;  // it holds data of an earlier load
        }
        row_fields(archive, destination_rows, instruction->destination_rows);
        archive& token& context& outstanding& epoch& issuing& kind& begun& ready& lanes;
        isa::for_each_lane(lanes, [&](unsigned lane) { archive& offsets[lane]; });
        if (kind == LoadKind::element) { archive& element& elements_left& first; }
    }
};

/// What L1 hands back with the data of a load's access (Waiter::token).
struct LoadToken {
    /// The rows of its lanes: all, the first eight or the last eight.
    enum class Part : std::uint8_t { whole, lower_half, upper_half };

    std::uint32_t load;  ///< the entry in the table, below 2^24
    Part part = Part::whole;
    bool as_vector = true;  ///< false: it reads words of private memory that are no vector for a companion of L1

    constexpr std::uint32_t packed() const {
        return load | static_cast<std::uint32_t>(part) << 24 | std::uint32_t{!as_vector} << 26;
    }
    static constexpr LoadToken of(const Waiter& waiter) {
        return {waiter.token & 0xffffffu, static_cast<Part>(waiter.token >> 24 & 3u), (waiter.token >> 26 & 1u) == 0};
    }
};

/// The loads under way: writes their data to the registers as they come, and schedules their completions.
class LoadTable {
  public:
    /// Data of a reply are in the registers `fill_latency` cycles later. A completed load is put into `completions` as
    /// the number of its entry. Both references must outlive the table.
    LoadTable(unsigned entries, Cycle fill_latency, RegisterFile& registers, TimingWheel& completions)
        : fill_latency_(fill_latency), registers_(registers), completions_(completions), entries_(entries) {
        free_.reserve(entries);
        for (std::uint32_t entry = entries; entry > 0; --entry) { free_.push_back(entry - 1); }
    }

    bool full() const { return free_.empty(); }
    bool empty() const { return free_.size() == entries_.size(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    PendingLoad& operator[](std::uint32_t entry) { return entries_[entry]; }

    /// Takes an entry for a load of the kind `plain` that makes its first access; the table must not be full. Writes
    /// the fields in place, because a copy of a new struct would wait for its small stores.
    std::uint32_t begin(const isa::Instruction& instruction, const MemoryInstruction& memory, Cycle accepted,
                        std::uint16_t epoch) {
        const std::uint32_t entry = free_.back();
        free_.pop_back();
        PendingLoad& load = entries_[entry];
        load.instruction = &instruction;
        load.destination_rows = memory.destination_rows;
        load.token = memory.token;
        load.context = memory.context;
        load.epoch = epoch;
        load.outstanding = 0;
        load.issuing = true;
        load.kind = LoadKind::plain;
        load.begun = accepted;
        load.ready = 0;
        load.lanes = memory.active;
        line_offsets(memory.addresses, load.offsets);
        return entry;
    }
    /// The load has made its last access.
    void all_accessed(std::uint32_t entry, Cycle now) {
        PendingLoad& load = entries_[entry];
        load.issuing = false;
        load.not_before(now + 1);
        if (load.outstanding == 0) { completions_.schedule(now, load.ready, entry); }
    }
    /// The data of one access are in the registers. Call it before the completions of the cycle `now` are taken.
    [[gnu::hot]] void data_came(std::uint32_t entry, Cycle now) {
        PendingLoad& load = entries_[entry];
        --load.outstanding;
        load.not_before(now + fill_latency_);
        if (load.outstanding == 0 && !load.issuing) { completions_.schedule(now - 1, load.ready, entry); }
    }
    void release(std::uint32_t entry) {
        entries_[entry].instruction = nullptr;
        free_.push_back(entry);
    }

    // ---- Data

    /// Writes the data of the waiter's lanes from the line.
    void write(const Waiter& waiter, const std::byte* line);
    /// Writes the data of `lanes` from `bytes`, a part of the line; `size`, its number of bytes, is a power of two.
    void write_part(std::uint32_t entry, isa::LaneMask lanes, const std::byte* bytes, unsigned size);
    /// Writes an atomic's results. `reply.tag` is its entry.
    void write_atomics(const AtomicReply& reply);
    using Rows = std::array<std::uint32_t*, kMaximumRows>;
    /// The registers that the load fills; only as many as it has are set.
    Rows rows_of(const PendingLoad& load) {
        Rows rows;
        const isa::Instruction& shape = load.shape();
        const unsigned count = shape.vector * isa::type_rows(shape.type);
        for (unsigned i = 0; i < count; ++i) { rows[i] = registers_.row(load.destination_rows[i]); }
        return rows;
    }

    /// `code`: the kernel's, empty if none runs.
    void fields(StateArchive& archive, std::span<const isa::Instruction> code) {
        archive& free_;
        for (PendingLoad& load : entries_) { load.fields(archive, code); }
    }

  private:
    void write_half(const Waiter& waiter, const std::byte* line);

    Cycle fill_latency_;
    RegisterFile& registers_;
    TimingWheel& completions_;
    std::vector<PendingLoad> entries_;
    std::vector<std::uint32_t> free_;
};

}  // namespace lookahead::gpu
