#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/device/allocator.h"
#include "components/emulator/access_observer.h"
#include "components/emulator/decoded_kernel.h"
#include "components/emulator/flat_memory.h"
#include "components/emulator/memory_fault.h"

namespace lookahead {

/// Executes the memory instructions of a CTA's warps on global, shared and local memory. Lanes act in order, so the
/// highest lane wins if several write one address.
class MemoryUnit {
  public:
    MemoryUnit(const FlatMemory& global, const Allocator& allocator, AccessObserver* observer = nullptr)
        : global_(global), allocator_(allocator), observer_(observer) {}

    /// Begins a CTA: zeroed shared memory of `shared_bytes`, and `local_bytes` for each of `threads` threads.
    void begin_cta(std::uint64_t shared_bytes, std::uint64_t local_bytes, std::uint64_t threads);

    /// Executes a memory instruction or a texture fetch. `frame` is the warp's; `active` is not empty. Throws
    /// ProgramError for an illegal or misaligned address; if it is the address of a vector memory instruction's element
    /// k, the earlier elements are done.
    void execute(EmulatedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active, const ExecutionPlace& place);

    /// Starts watching: changed() then tells whether a byte of memory has changed.
    void watch() { watches_ = true, changed_ = changed_for_others_ = false; }
    /// Whether a byte has changed since the last watch(); ends the watching.
    bool changed() {
        watches_ = false;
        return changed_;
    }
    /// The same for memory that several threads can address.
    bool changed_for_others() {
        watches_ = false;
        return changed_for_others_;
    }

  private:
    /// The lanes' bytes: base + offset[lane]. Inactive lanes have an active lane's offset.
    struct Access {
        std::byte* base;
        alignas(32) std::uint64_t offset[isa::kWarpSize];
    };

    void load(EmulatedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active, const ExecutionPlace& place);
    void store(EmulatedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active, const ExecutionPlace& place);
    void atomic(EmulatedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active, const ExecutionPlace& place);
    void move_elements(EmulatedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active,
                       const ExecutionPlace& place);

    void texture(const EmulatedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active,
                 const ExecutionPlace& place) const;

    /// Also reports the accesses to the observer.
    void resolve(EmulatedInstruction& decoded, const std::uint32_t* frame, isa::LaneMask active,
                 const ExecutionPlace& place, AccessObserver::Kind kind, Access& access);
    /// Resolves the lanes' addresses, given in access.offset.
    void resolve_addresses(EmulatedInstruction& decoded, isa::LaneMask active, const ExecutionPlace& place,
                           unsigned element, Access& access);
    bool resolve_global(EmulatedInstruction& decoded, Access& access) const;
    void report(const EmulatedInstruction& decoded, const std::uint32_t* frame, isa::LaneMask active,
                const ExecutionPlace& place, AccessObserver::Kind kind, const Access& access) const;
    void report_private(const EmulatedInstruction& decoded, const std::uint32_t* frame, isa::LaneMask active,
                        const ExecutionPlace& place, AccessObserver::Kind kind, const Access& access) const;
    void report_addresses(const EmulatedInstruction& decoded, const std::uint64_t* addresses, isa::LaneMask active,
                          const ExecutionPlace& place, AccessObserver::Kind kind) const;
    void resolve_lanes(const EmulatedInstruction& decoded, isa::LaneMask active, const ExecutionPlace& place,
                       unsigned element, Access& access);
    /// The host address; nullptr if the access is not inside the memory that it names.
    std::byte* host_address(const EmulatedInstruction& decoded, std::uint64_t address, std::uint32_t thread);

    void note_change(const std::byte* at, bool changes);
    void note_changes(const isa::Instruction& instruction, const std::uint32_t* source, const Access& access,
                      isa::LaneMask active);

    bool watches_ = false;
    bool changed_ = false;
    bool changed_for_others_ = false;
    const FlatMemory& global_;
    const Allocator& allocator_;
    AccessObserver* observer_;
    std::vector<std::byte> shared_;
    std::vector<std::byte> local_;
    std::uint64_t local_bytes_ = 0;
};

}  // namespace lookahead
