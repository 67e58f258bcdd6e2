#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

enum class LoadKind : std::uint8_t {
    plain,
    acquire,
    element,  ///< of a load whose elements have addresses of their own
};

/// How an element fills its row.
inline constexpr isa::Instruction kWordLoad = [] {
    isa::Instruction load;
    load.operation = isa::Operation::load;
    load.type = isa::Type::u32;
    load.destination_rows = 1;
    return load;
}();

/// A load, an element of one, or an atomic with a result, from its first access to its completion.
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
    std::uint8_t elements_left = 0;             ///< of the first element's entry, which lasts until all have completed
    std::uint32_t first = 0;                    ///< of an element: the first one's entry
    Cycle begun = 0;                            ///< cycle in which the instruction was accepted
    Cycle ready = 0;                            ///< it completes no earlier
    std::uint8_t offsets[isa::kWarpSize] = {};  ///< of each lane's data in its line

    /// How the data fill the rows.
    const isa::Instruction& shape() const { return kind == LoadKind::element ? kWordLoad : *instruction; }
};

class LoadTable {
  public:
    explicit LoadTable(unsigned entries) : entries_(entries) {
        free_.reserve(entries);
        for (std::uint32_t entry = entries; entry > 0; --entry) { free_.push_back(entry - 1); }
    }

    bool full() const { return free_.empty(); }
    bool empty() const { return free_.size() == entries_.size(); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    PendingLoad& operator[](std::uint32_t entry) { return entries_[entry]; }

    /// Gives an entry with all but its offsets as in `PendingLoad{}`. The caller writes its fields in place: a copy of
    /// a struct just made would wait for its small stores.
    std::uint32_t allocate() {
        const std::uint32_t entry = free_.back();
        free_.pop_back();
        PendingLoad& load = entries_[entry];
        load.outstanding = 0;
        load.issuing = false;
        load.kind = LoadKind::plain;
        load.ready = 0;
        return entry;
    }
    void release(std::uint32_t entry) {
        entries_[entry].instruction = nullptr;
        free_.push_back(entry);
    }

    /// `code`: the kernel's, empty if none runs.
    void fields(StateArchive& archive, std::span<const isa::Instruction> code) {
        archive& free_;
        for (PendingLoad& each : entries_) {
            archive.optional_pointer_into(code, each.instruction);
            if (each.instruction == nullptr) {
                continue;  // it holds what an earlier load left
            }
            row_fields(archive, each.destination_rows, each.instruction->destination_rows);
            archive& each.token& each.context& each.outstanding& each.epoch& each.issuing& each.kind& each.begun& each
                .ready& each.offsets;
            if (each.kind == LoadKind::element) { archive& each.element& each.elements_left& each.first; }
        }
    }

  private:
    std::vector<PendingLoad> entries_;
    std::vector<std::uint32_t> free_;
};

}  // namespace lookahead::gpu
