#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

    /// `frame` is the warp's; `active` is not empty. Throw ProgramError for an illegal or misaligned address.
    void load(DecodedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active, const ExecutionPlace& place);
    void store(DecodedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active, const ExecutionPlace& place);
    void atomic(DecodedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active, const ExecutionPlace& place);
    /// Vector memory instructions: element after element, each with all lanes. A fault in element k comes after the
    /// earlier elements are done.
    void load_elements(DecodedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active,
                       const ExecutionPlace& place);
    void store_elements(DecodedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active,
                        const ExecutionPlace& place);

    /// Reads the object's descriptor and the texels.
    void texture(const DecodedInstruction& decoded, std::uint32_t* frame, isa::LaneMask active,
                 const ExecutionPlace& place) const;

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
    /// The lanes' bytes: base + offset[lane]. Inactive lanes share an active lane's.
    struct Access {
        std::byte* base;
        alignas(32) std::uint64_t offset[isa::kWarpSize];
    };

    void resolve(DecodedInstruction& decoded, const std::uint32_t* frame, isa::LaneMask active,
                 const ExecutionPlace& place, Access& access);
    /// Resolves the lanes' addresses, given in access.offset.
    void resolve_addresses(DecodedInstruction& decoded, isa::LaneMask active, const ExecutionPlace& place,
                           unsigned element, Access& access);
    bool resolve_global(DecodedInstruction& decoded, Access& access) const;
    void report(const DecodedInstruction& decoded, const std::uint32_t* frame, isa::LaneMask active,
                const ExecutionPlace& place, AccessObserver::Kind kind) const;
    void report_private(const DecodedInstruction& decoded, const std::uint32_t* frame, isa::LaneMask active,
                        const ExecutionPlace& place, AccessObserver::Kind kind, const Access& access) const;
    void report_addresses(const DecodedInstruction& decoded, const std::uint64_t* addresses, isa::LaneMask active,
                          const ExecutionPlace& place, AccessObserver::Kind kind) const;
    void resolve_lanes(const DecodedInstruction& decoded, isa::LaneMask active, const ExecutionPlace& place,
                       unsigned element, Access& access);
    /// The host address; nullptr if the access is not inside the memory that it names.
    std::byte* host_address(const DecodedInstruction& decoded, std::uint64_t address, std::uint32_t thread);

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
