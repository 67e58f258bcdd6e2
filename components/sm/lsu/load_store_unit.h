#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "components/isa/lane_mask.h"
#include "components/isa/load_trace.h"
#include "components/isa/operand.h"
#include "components/protocols/memory.h"
#include "components/sm/lsu/launch_on_sm.h"
#include "components/sm/lsu/memory_port.h"
#include "components/sm/warp_scheduler/warp_hint.h"
#include "core/component/slot.h"
#include "core/message/message.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::isa {
struct Instruction;
struct KernelTable;
}  // namespace lookahead::isa

namespace lookahead::gpu {

/// Up to isa::kMostOperandRows rows of 32-bit values by lane, copied as a whole. `kNear` of them are in place; later
/// rows, which few instructions have, are allocated at first use, to keep waiting instructions small.
template <class Value, unsigned kNear>
class LaneRows {
  public:
    using Row = Value[isa::kWarpSize];

    LaneRows() = default;
    LaneRows(const LaneRows& other) { *this = other; }
    LaneRows& operator=(const LaneRows& other) {
        if constexpr (kNear > 0) { std::copy_n(&other.near_.rows[0][0], kNear * isa::kWarpSize, &near_.rows[0][0]); }
        far_ = other.far_ != nullptr ? std::make_unique<Far>(*other.far_) : nullptr;
        return *this;
    }
    LaneRows(LaneRows&&) = default;
    LaneRows& operator=(LaneRows&&) = default;
    ~LaneRows() = default;

    Row& operator[](unsigned row) {
        if constexpr (kNear > 0) {
            if (row < kNear) [[likely]] { return near_.rows[row]; }
        }
        if (far_ == nullptr) { far_ = std::make_unique<Far>(); }
        return far_->rows[row - kNear];
    }
    /// A row beyond those in place must have been set before.
    const Row& operator[](unsigned row) const {
        if constexpr (kNear > 0) {
            if (row < kNear) [[likely]] { return near_.rows[row]; }
        }
        return far_->rows[row - kNear];
    }

  private:
    struct None {};
    struct Near {
        alignas(64) Row rows[kNear == 0 ? 1 : kNear];
    };
    struct Far {
        alignas(64) Row rows[isa::kMostOperandRows - kNear];
    };

    [[no_unique_address]] std::conditional_t<kNear == 0, None, Near> near_;
    std::unique_ptr<Far> far_;
};

class ConstantCache;
class L1Client;
class L1Listener;
class MissSamples;
class RegisterFile;

/// The next event of a part that has none unless a message comes.
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// The rows of the register file that a memory instruction writes; renaming may choose each row separately.
using DestinationRows = std::array<std::uint16_t, isa::kMostOperandRows>;
constexpr DestinationRows consecutive_rows(unsigned first) {
    DestinationRows rows{};
    for (unsigned i = 0; i < rows.size(); ++i) { rows[i] = static_cast<std::uint16_t>(first + i); }
    return rows;
}
/// Archives the rows: always four, with 0 for missing ones, then those beyond four.
inline void row_fields(StateArchive& archive, DestinationRows& rows, unsigned count) {
    constexpr unsigned kAlways = 4;
    for (unsigned row = 0; row < std::max(kAlways, count); ++row) { archive& rows[row]; }
}

/// A warp's memory instruction as it leaves the issue stage, with its operands read.
struct MemoryInstruction {
    const isa::Instruction* instruction = nullptr;
    Cycle ready = 0;            ///< may be performed from this cycle on, when its operands are read
    std::uint32_t pc = 0;       ///< index in the kernel's code
    std::uint16_t context = 0;  ///< stream context of the SM; a warp slot's first context has the slot's number
    std::uint16_t cta_slot = 0;
    isa::LaneMask active = 0;            ///< guard applied; never 0
    DestinationRows destination_rows{};  ///< physical rows of the destination registers
    std::uint16_t token = 0;             ///< identifies an issue extension's load on its return; 0: a warp's own load
    bool pre_load = false;               ///< brings its lines into L1, writes no register, and is never reported
    bool indexed = false;                ///< see elements
    /// If above 1, the vector's elements, which are words, have addresses of their own and are performed one after
    /// another. A lane's element k is at its address + 4 * offsets[k] if `indexed`, else + 4 * k * offsets[0].
    std::uint8_t elements = 1;
    std::uint32_t shared_base = 0;   ///< of the CTA in the SM's shared memory, bytes
    std::uint32_t shared_bytes = 0;  ///< of the CTA
    std::uint64_t local_base = 0;    ///< of the warp's local memory (isa::local_memory_offset)
    std::uint32_t local_bytes = 0;   ///< of local memory per thread
    alignas(64) std::uint64_t addresses[isa::kWarpSize];
    /// Store: words by element; atomic: operand low and high, operand2 low and high.
    LaneRows<std::uint32_t, 4> data;
    LaneRows<std::int32_t, 0> offsets;  ///< of elements, in words

    /// Rows of offsets that are set.
    unsigned offset_rows() const { return elements == 1 ? 0 : indexed ? elements : 1; }
    std::uint64_t element_address(unsigned element, unsigned lane) const {
        const std::int64_t words = indexed ? offsets[element][lane] : std::int64_t{element} * offsets[0][lane];
        return addresses[lane] + 4 * static_cast<std::uint64_t>(words);
    }
};

/// The number of waiting entries in a load/store unit, for traces.
struct LoadStoreOccupancy {
    std::uint32_t instructions = 0;
    std::uint32_t fills = 0;     ///< MSHRs in use
    std::uint32_t requests = 0;  ///< waiting for the memory network
};

/// What the LSU reports to the SM.
class LoadStoreListener {
  public:
    virtual ~LoadStoreListener() = default;
    /// Every lane of the instruction is done: loaded values are in the registers, and the scoreboard may be released.
    /// Called for loads, atomics that return a value, and fences; not for stores and reductions.
    virtual void memory_completed(std::uint16_t context, const isa::Instruction& instruction, Cycle now) = 0;
    /// Called for a load whose elements have addresses of their own when all lanes of the element's destination row are
    /// written: the row may be released. Elements complete in any order. `last` marks the last one, which ends the
    /// instruction in place of memory_completed.
    virtual void element_completed(std::uint16_t, const isa::Instruction&, unsigned /*element*/, bool /*last*/, Cycle) {
    }
    /// Like memory_completed, for a load with a token; one with elements completes as a whole.
    virtual void extension_completed(std::uint16_t, const isa::Instruction&, Cycle) {}
    /// The sectors that `reader` requested (LoadStoreUnit::request_line) have come.
    virtual void line_came(std::uint32_t reader, Cycle now) = 0;
    /// Passes the prefetcher's hint on to the scheduler of the context's warp.
    virtual void warp_hint(std::uint16_t, WarpHint) {}
};

/// Arguments for a load/store unit's construction. All references must outlive it.
struct LoadStoreArguments {
    std::string name;  ///< of the SM: the component's name in statistics
    const Configuration& configuration;
    unsigned contexts;           ///< stream contexts of the SM
    std::uint32_t shared_bytes;  ///< of the SM's shared memory
    RegisterFile& registers;
    LoadStoreListener& listener;
    std::unique_ptr<MemoryPort> memory;
    const isa::KernelTable* kernels = nullptr;  ///< of the run; prefetchers need them
    const isa::KnownLoads* loads = nullptr;     ///< the loads of the run, for prefetchers that may know them
    ConstantCache* constants = nullptr;         ///< of the SM; null: there is none
};

/// Slot "sm.load_store_unit": takes memory instructions in order, splits them into accesses to shared memory or L1, and
/// writes loaded data to the registers. It owns the SM's side of the memory network: L1D with its MSHRs, the request
/// port's injection queue and the reply port's arbiter.
///
/// Contract:
/// - `accept` may be called in a cycle only after `can_accept` held in it; at most once a cycle; before `cycle`.
/// - `cycle` is called with rising cycle numbers, and for every cycle up to `next_event` of the last call.
/// - an access takes place (values are read and written) in the cycle in which it is performed, in program order within
/// a warp and line; messages of one SM to one line leave in that order.
/// - it calls no component outside the SM: requests leave through the SM's out-port.
/// - from `accept_fence` until the fence's `memory_completed`, no other instruction of that context is accepted.
/// - `accept` throws MemoryFault (memory_fault.h) for an access that the program may not make.
/// - the elements of an instruction (MemoryInstruction::elements) are performed in order, without other instructions
/// between them; each is one access of a word per lane. The instruction is counted once, and blocks the queue until its
/// last element is performed. Meanwhile a unit may refuse others (`can_accept`).
/// - a pre-load (of weak loads from global or local memory) is a hint: it makes the accesses of its load as
/// Client::pre_load, and no instruction waits for it. Lanes that access shared memory or what the program may not
/// access, and accesses for which L1 has no room, are dropped.
class LoadStoreUnit {
  public:
    static constexpr SlotDeclaration kSlot{
        "sm.load_store_unit", "coalescing",
        "Splits memory instructions into accesses to shared memory and L1, and completes them."};
    using Arguments = std::tuple<LoadStoreArguments>;

    virtual ~LoadStoreUnit() = default;

    virtual bool can_accept() const = 0;
    virtual void accept(const MemoryInstruction& instruction, Cycle now) = 0;
    /// Accepts a fence of `context`: it completes when the earlier accesses that it covers have ended. A fence whose
    /// scope is wider than the CTA then starts a new L1 generation.
    virtual void accept_fence(std::uint16_t context, const isa::Instruction& instruction, Cycle now) = 0;

    /// For the SM's instruction and constant caches: requests sectors of a line. LoadStoreListener::line_came(reader)
    /// reports that they have come; lines for the constant cache have been put into it by then. `reader` is below 2^31.
    /// Call it before `cycle`, only if can_request_line().
    virtual bool can_request_line() const = 0;
    virtual void request_line(std::uint64_t line, SectorMask sectors, std::uint32_t reader, Cycle now) = 0;

    /// Adds a listener to L1's events (components/cache/l1_events.h), which must outlive the unit's use. Call it once,
    /// before the first cycle.
    virtual void subscribe(L1Listener&) {}
    /// Adds a client, which makes its own accesses to L1 (spare_accesses.h) and must outlive the unit's use. Call it
    /// before the first cycle. ConfigurationError if another client has its priority.
    virtual void join(L1Client&) {}
    /// A client's lines or locks in L1 have changed: it may now find room.
    virtual void renew_clients() {}

    /// Takes a message of the memory network that arrived at cycle `now`.
    virtual void receive(const MessageHeader& message, Cycle now) = 0;
    virtual void cycle(Cycle now) = 0;
    /// Least cycle > `now` in which `cycle` has work if no message comes; kNever when none.
    virtual Cycle next_event(Cycle now) const = 0;

    /// A kernel begins: invalidates L1.
    virtual void begin_kernel() = 0;
    /// For prefetchers, which learn from a launch's loads: the launch (again before `load` if the checkpoint was taken
    /// in it), its CTAs on this SM, and the end of its CTAs.
    virtual void begin_launch(const LaunchOnSm&) {}
    virtual void cta_started(unsigned /*slot*/, std::uint64_t /*cta*/) {}
    virtual void cta_ended(unsigned) {}
    virtual void end_launch() {}
    /// Whether nothing is in flight: no queued access, no MSHR, every store acknowledged.
    virtual bool drained() const = 0;
    /// Whether CTAs keep their slots until `stores_under_way` of their contexts is false.
    virtual bool delays_ctas() const { return false; }
    virtual bool stores_under_way(unsigned /*context*/) const { return false; }
    virtual std::string waiting_for() const = 0;
    virtual LoadStoreOccupancy occupancy() const { return {}; }
    /// Times of some misses; null: the unit takes none.
    virtual const MissSamples* samples() const { return nullptr; }
    virtual void audit(Audit&, std::uint32_t requester) const { static_cast<void>(requester); }

    virtual void visit_statistics(StatisticsVisitor& visitor) const = 0;
    /// Architectural and statistical state, including shared memory but not registers. `code`: the running kernel's
    /// instructions, empty between kernels; instructions in flight are saved as indices.
    virtual void fields(StateArchive& archive, std::span<const isa::Instruction> code) = 0;
};

}  // namespace lookahead::gpu
