#pragma once

#include <bit>
#include <string>
#include <type_traits>

#include "components/isa/address_space.h"
#include "components/isa/kernel.h"
#include "components/sm/constant/constant_cache.h"
#include "components/sm/lsu/coalescing_unit.h"
#include "components/sm/lsu/memory_fault.h"
#include "core/error/error.h"
#include "core/state/archives.h"
#include "tests/components/sm/lsu/scripted_memory.h"

namespace lookahead::gpu::test {

using isa::Operation;
using isa::Order;
using isa::Space;
using isa::Type;

inline constexpr std::uint64_t kBase = isa::kGlobalBase;
inline constexpr unsigned kContexts = 8;
inline constexpr std::uint32_t kSharedBytes = 16384;
inline constexpr std::uint64_t kAllocated = 1 << 20;

/// Instructions as the finaliser would make them.
inline isa::Instruction make_memory(isa::Operation operation, isa::Type type = isa::Type::u32,
                                    isa::Space space = isa::Space::global, unsigned vector = 1) {
    isa::Instruction result;
    result.operation = operation;
    result.type = type;
    result.space = space;
    result.vector = static_cast<std::uint8_t>(vector);
    result.line = 42;
    return result;
}
inline isa::Instruction make_ordered(isa::Operation operation, isa::Order order, isa::Scope scope = isa::Scope::gpu) {
    isa::Instruction result = make_memory(operation);
    result.order = order;
    result.scope = scope;
    return result;
}
inline isa::Instruction make_atomic(isa::AtomicOp op, isa::Operation operation = isa::Operation::atomic,
                                    isa::Space space = isa::Space::global, isa::Type type = isa::Type::u32) {
    isa::Instruction result = make_memory(operation, type, space);
    result.atomic = op;
    return result;
}
inline isa::Instruction make_fence(isa::Scope scope = isa::Scope::gpu) {
    isa::Instruction result;
    result.operation = isa::Operation::membar;
    result.scope = scope;
    return result;
}

/// Addresses of an access's lanes: all equal, or consecutive words.
constexpr auto lanes_at(std::uint64_t address) {
    return [=](unsigned) { return address; };
}
constexpr auto words_from(std::uint64_t address) {
    return [=](unsigned lane) { return address + 4 * lane; };
}

/// A kernel whose instructions are global loads, for prefetchers: loads of one word and, last, a strided load of four.
inline isa::KernelTable kernels_of_loads(unsigned loads) {
    isa::KernelTable kernels;
    kernels.emplace_back();
    kernels.front().code.assign(loads, make_memory(isa::Operation::load));
    kernels.front().code.push_back(make_memory(isa::Operation::load_stride, isa::Type::b32, isa::Space::global, 4));
    kernels.front().code.back().destination_rows = 4;
    return kernels;
}

/// How a contract test calls a unit: in every cycle, only when it has work, or with saving and loading in between.
enum class Way { every_cycle, jumping, restored };

/// A load/store unit with its own memory or a shared one, driven cycle by cycle. `Unit` is LoadStoreUnit for the
/// variant in the overrides.
template <class Unit = CoalescingUnit>
class UnitBench : public LoadStoreListener {
  public:
    using Overrides = std::vector<std::string>;

    struct Completion {
        std::uint16_t context;
        const isa::Instruction* instruction;
        Cycle cycle;
    };

    struct CompletedElement {
        std::uint16_t context;
        unsigned element;
        bool last;
        Cycle cycle;
    };
    std::vector<CompletedElement> elements;
    std::vector<std::uint16_t> tokens;  ///< of extensions' loads that have completed

    struct CameLine {
        std::uint32_t reader;
        Cycle cycle;
    };
    std::vector<CameLine> lines;

    explicit UnitBench(const Overrides& overrides = {}, ScriptedMemory* shared = nullptr, unsigned sm = 0)
        : own_(shared == nullptr ? std::make_unique<ScriptedMemory>(1) : nullptr),
          memory(shared == nullptr ? *own_ : *shared),
          kernels(kernels_of_loads(16)),
          registers(256) {
        for (const std::string& each : overrides) { configuration_.override_value(each); }
        replace_unit(sm);
        for (const std::uint64_t base : {kBase, isa::kConstantBase}) {
            unit->receive(MessageBuffer(AllocationUpdate{.address = base, .bytes = kAllocated, .released = 0}).header(),
                          0);
        }
    }

    /// Makes the unit, or a new one without any allocations, and its constant cache.
    void replace_unit(unsigned sm = 0) {
        constants = std::make_unique<ConstantCache>(configuration_.read<ConstantCacheParameters>("constant_cache"));
        constants->begin_kernel();
        auto port = std::make_unique<ScriptedPort>(memory, sm);
        port_ = port.get();
        LoadStoreArguments arguments{"sm0", configuration_,  kContexts, kSharedBytes, registers,
                                     *this, std::move(port), &kernels,  &known_loads, constants.get()};
        if constexpr (std::is_same_v<Unit, LoadStoreUnit>) {
            unit = make_chosen<LoadStoreUnit>(configuration_, std::move(arguments));
        } else {
            unit =
                std::make_unique<Unit>(configuration_.read<CoalescingParameters>("coalescing"), std::move(arguments));
        }
    }

    /// Replaces the unit and its constant cache by those loaded from their state. `code`: the instructions that may be
    /// under way; `prepare`: prepares the new unit first.
    void save_and_load(
        std::span<const isa::Instruction> code, const std::function<void()>& prepare = [] {}) {
        const auto fields = [&](StateArchive& archive) {
            unit->fields(archive, code);
            archive&* constants;
        };
        const std::string bytes = state_to_bytes(fields);
        replace_unit();
        prepare();
        state_from_bytes(bytes, "the unit", fields);
    }
    void begin_launch(unsigned ctas = 4, unsigned warps_per_cta = 2) {
        unit->begin_launch({kernels.front(), 0, ctas, warps_per_cta});
    }

    void line_came(std::uint32_t reader, Cycle cycle) override { lines.push_back({reader, cycle}); }
    void memory_completed(std::uint16_t context, const isa::Instruction& instruction, Cycle cycle) override {
        completions.push_back({context, &instruction, cycle});
    }
    void element_completed(std::uint16_t context, const isa::Instruction& instruction, unsigned element, bool last,
                           Cycle cycle) override {
        elements.push_back({context, element, last, cycle});
        if (last) { memory_completed(context, instruction, cycle); }
    }
    void extension_completed(std::uint16_t token, const isa::Instruction&, Cycle) override { tokens.push_back(token); }

    /// An instruction in all lanes, with lane i at address(i).
    template <class Address>
    MemoryInstruction instruction(const isa::Instruction& what, Address address, isa::LaneMask active = isa::kFullMask,
                                  unsigned row = 0, std::uint16_t context = 0) {
        MemoryInstruction result{};
        result.instruction = &what;
        result.pc = 1;
        result.context = context;
        result.active = active;
        result.destination_rows = consecutive_rows(row);
        result.shared_base = 0;
        result.shared_bytes = kSharedBytes;
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            result.addresses[lane] = (active >> lane & 1) != 0 ? address(lane) : 0xdead'beef'dead'beef;
        }
        return result;
    }

    /// Runs cycles until the unit accepts the instruction.
    void issue(const MemoryInstruction& what) {
        while (!unit->can_accept()) { step(); }
        unit->accept(what, now);
        step();
    }
    /// The same for an instruction with these arguments of instruction().
    template <class Address, class... More>
    void issue(const isa::Instruction& what, Address address, More... more) {
        issue(instruction(what, address, more...));
    }
    /// Issues what issue() would, and runs until all is done.
    template <class... Arguments>
    void perform(const Arguments&... arguments) {
        issue(arguments...);
        LOOKAHEAD_ASSERT(drain(), "the unit comes to its end");
    }
    void issue_fence(const isa::Instruction& what, std::uint16_t context = 0) {
        unit->accept_fence(context, what, now);
        step();
    }

    void step() {
        memory.advance(now);
        unit->cycle(now);
        ++now;
    }
    /// Runs cycle `now` of a unit called in that way, and returns whether it was called. `given`: it has just accepted
    /// an instruction.
    bool cycle(Way way, bool given) {
        memory.advance(now);
        const bool replies = port_->next_reply_cycle(now - 1) <= now;
        const bool calls = way != Way::jumping || given || replies || next_call <= now;
        if (calls) {
            unit->cycle(now);
            next_call = unit->next_event(now);
            LOOKAHEAD_ASSERT(next_call > now, "a unit's next event is to come");
        }
        return calls;
    }
    void run_to(Cycle cycle) {
        while (now < cycle) { step(); }
    }
    /// Runs until all is done; returns false if that takes too long.
    bool drain(Cycle limit = 100'000) {
        for (const Cycle end = now + limit; now < end;) {
            step();
            if (unit->drained()) { return true; }
        }
        return false;
    }

    /// The registers as a load into rows from `row` on leaves them, if memory stays as it is.
    RegisterFile registers_after(const MemoryInstruction& load, unsigned row = 0) {
        RegisterFile expected = registers;
        std::uint32_t* rows[kMaximumRows];
        for (unsigned i = 0; i < kMaximumRows; ++i) { rows[i] = expected.row(row + i); }
        for (isa::LaneMask left = load.active; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            const std::uint64_t address = load.addresses[lane];
            isa::write_loaded(*load.instruction, lane, &memory.line(address)[address % kLineBytes], rows);
        }
        return expected;
    }

    /// `code`: the instructions that may be under way.
    std::uint64_t hash(std::span<const isa::Instruction> code) const {
        return hash_of([&](StateArchive& archive) {
            unit->fields(archive, code);
            archive&* constants& const_cast<RegisterFile&>(registers);
        });
    }
    ScriptedPort& port() { return *port_; }

  private:
    std::unique_ptr<ScriptedMemory> own_;
    Configuration configuration_;
    ScriptedPort* port_ = nullptr;

  public:
    ScriptedMemory& memory;
    isa::KernelTable kernels;
    std::shared_ptr<isa::LoadTrace> loads = std::make_shared<isa::LoadTrace>();
    isa::KnownLoads known_loads{[this] { return loads; }};  ///< the run's loads, for a prefetcher that asks
    RegisterFile registers;
    std::unique_ptr<ConstantCache> constants;
    std::unique_ptr<Unit> unit;
    std::vector<Completion> completions;
    Cycle now = 1;
    Cycle next_call = 0;  ///< cycle that the unit has asked for
};
using Bench = UnitBench<>;

}  // namespace lookahead::gpu::test
