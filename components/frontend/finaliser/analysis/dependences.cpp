#include "components/frontend/finaliser/analysis/dependences.h"

#include "components/isa/memory_access.h"

namespace lookahead::finaliser {

using isa::Space;

namespace {

/// Estimated cycles until a result can be used. Only the magnitude matters, which is the same on all machines.
std::uint32_t latency_of(const isa::InstructionForm& instruction) {
    switch (isa::info_of(instruction.operation).group) {
        case isa::OperationGroup::memory:
            return instruction.space == Space::shared ? 30 : 300;
        case isa::OperationGroup::divide:
        case isa::OperationGroup::root:
        case isa::OperationGroup::special:
            return 24;
        default:
            return 8;
    }
}

/// A memory access, with the data that tell whether it may overlap another.
struct Access {
    std::uint32_t index = 0;
    Space space = Space::none;
    bool writes = false;
    VirtualOperand base;
    std::uint64_t base_version = 0;
    std::int64_t first = 0;  ///< bytes from the base
    std::int64_t end = 0;
};

bool may_overlap(const Access& a, const Access& b) {
    if (a.space != b.space) { return a.space == Space::generic || b.space == Space::generic; }
    if (a.base != b.base || a.base_version != b.base_version) { return true; }
    return a.first < b.end && b.first < a.end;
}

class DependencesBuilder {
  public:
    DependencesBuilder(const VirtualKernel& kernel, std::span<const VirtualInstruction> code,
                       std::vector<UnitHistory>& units)
        : kernel_(kernel), code_(code), units_(units) {
        result_.successors.resize(code.size());
        result_.predecessors.resize(code.size(), 0);
    }

    Dependences run() {
        for (std::uint32_t i = 0; i < code_.size(); ++i) {
            if (holds_memory(code_[i])) {
                order_fence(i);
            } else if (isa::is_memory(code_[i].machine.operation)) {
                order_access(i);
            }
            order_queue(i);
            order_meeting(i);
            order_units(i);
        }
        for (const VirtualInstruction& instruction : code_) {
            for_each_read(kernel_, instruction, [this](std::uint32_t unit) { units_[unit] = {}; });
            for_each_write(kernel_, instruction, [this](std::uint32_t unit) { units_[unit] = {}; });
        }
        return std::move(result_);
    }

  private:
    static bool holds_memory(const VirtualInstruction& instruction) {
        const isa::InstructionForm& machine = instruction.machine;
        if (machine.operation == Operation::barrier || machine.operation == Operation::membar ||
            machine.operation == Operation::warp_sync) {
            return true;
        }
        if (!isa::is_memory(machine.operation)) { return false; }
        const bool atomic = machine.operation == Operation::atomic || machine.operation == Operation::reduce;
        return atomic ? machine.order > isa::Order::relaxed : machine.order != isa::Order::weak;
    }

    /// Operations on both queues keep the program's order, which the other program has too: otherwise a warp might wait
    /// for an entry while it holds up the program that fills the queues. Loads also stay on their side of a barrier,
    /// because they are enqueued there.
    void order_queue(std::uint32_t i) {
        const isa::InstructionForm& machine = code_[i].machine;
        if (machine.operation != Operation::enqueue && machine.operation != Operation::dequeue && !machine.dequeues) {
            return;
        }
        if (queued_ != kNone) { add_edge(queued_, i, 1); }
        if (fence_ != kNone) { add_edge(fence_, i, 1); }
        queued_ = i;
    }

    void add_edge(std::uint32_t from, std::uint32_t to, std::uint32_t latency) {
        result_.successors[from].push_back({to, latency});
        ++result_.predecessors[to];
    }

    void order_fence(std::uint32_t i) {
        for (const Access& access : accesses_) { add_edge(access.index, i, 1); }
        if (fence_ != kNone) { add_edge(fence_, i, 1); }
        if (meeting_ != kNone) { add_edge(meeting_, i, 1); }
        if (queued_ != kNone) { add_edge(queued_, i, 1); }
        accesses_.clear();
        fence_ = i;
    }

    void order_access(std::uint32_t i) {
        const Access access = access_at(i);
        if (fence_ != kNone) { add_edge(fence_, i, 1); }
        if (access.writes && meeting_ != kNone) { add_edge(meeting_, i, 1); }
        for (const Access& earlier : accesses_) {
            if ((earlier.writes || access.writes) && may_overlap(earlier, access)) { add_edge(earlier.index, i, 1); }
        }
        accesses_.push_back(access);
    }

    Access access_at(std::uint32_t i) {
        const isa::InstructionForm& machine = code_[i].machine;
        Access access;
        access.index = i;
        access.space = machine.space;
        access.writes = machine.operation != Operation::load;
        access.base = code_[i].source[0];
        if (access.base.kind == Operand::Kind::reg) {
            for (unsigned row = 0; row < access.base.rows; ++row) {
                access.base_version += units_[access.base.index + row].writes;
            }
        }
        if (machine.dequeues) {
            access.base_version = i;  // any address
        }
        access.first = machine.offset;
        access.end = access.first + isa::lane_bytes(machine);
        return access;
    }

    /// Lanes on other paths meet the same instructions, including CTA barriers, in the program's order. Waiting lanes
    /// may wait for what others do after seeing a store: a lane must not wait before it releases a lock, nor after it
    /// has taken a lock that the program takes later.
    void order_meeting(std::uint32_t i) {
        if (!meets_lanes(code_[i])) { return; }
        if (meeting_ != kNone) { add_edge(meeting_, i, 1); }
        if (fence_ != kNone && fence_ != i) { add_edge(fence_, i, 1); }
        for (const Access& access : accesses_) {
            if (access.writes) { add_edge(access.index, i, 1); }
        }
        meeting_ = i;
    }

    void order_units(std::uint32_t i) {
        for_each_read(kernel_, code_[i], [&](std::uint32_t unit) {
            UnitHistory& state = units_[unit];
            if (state.writer != kNone) { add_edge(state.writer, i, latency_of(code_[state.writer].machine)); }
            state.readers.push_back(i);
        });
        for_each_write(kernel_, code_[i], [&](std::uint32_t unit) {
            UnitHistory& state = units_[unit];
            for (std::uint32_t reader : state.readers) {
                if (reader != i) { add_edge(reader, i, 0); }
            }
            if (state.writer != kNone) { add_edge(state.writer, i, 1); }
            state.readers.clear();
            state.writer = i;
            ++state.writes;
        });
    }

    const VirtualKernel& kernel_;
    std::span<const VirtualInstruction> code_;
    Dependences result_;
    std::vector<UnitHistory>& units_;
    std::vector<Access> accesses_;  ///< since the last fence
    std::uint32_t fence_ = kNone;
    std::uint32_t queued_ = kNone;   ///< the last one that enqueues or dequeues
    std::uint32_t meeting_ = kNone;  ///< the last one that lanes execute together
};

}  // namespace

bool holds_everything(const VirtualInstruction& instruction) {
    const Operation operation = instruction.machine.operation;
    const isa::SpecialRegister special = instruction.machine.special;
    return is_jump(instruction) || operation == Operation::nop || operation == Operation::warp_sync ||
           isa::is_vector_memory(operation) || special == isa::SpecialRegister::clock ||
           special == isa::SpecialRegister::clock64 || special == isa::SpecialRegister::globaltimer;
}

Dependences DependenceFinder::in(std::span<const VirtualInstruction> code) {
    return DependencesBuilder(kernel_, code, units_).run();
}

}  // namespace lookahead::finaliser
