#include "tests/components/frontend/finaliser/scalar_machine.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "components/isa/address_space.h"
#include "components/isa/handlers.h"
#include "components/isa/launch.h"
#include "components/isa/memory_access.h"

namespace lookahead::finaliser::test {

using isa::Operand;
using isa::Operation;
using isa::Row;

namespace {

constexpr std::uint64_t kStepLimit = 10'000'000;

/// The atomics that the tests' kernels use, on unsigned numbers.
std::uint64_t combined(isa::AtomicOp op, std::uint64_t old_value, std::uint64_t operand, std::uint64_t swap) {
    switch (op) {
        case isa::AtomicOp::add:
            return old_value + operand;
        case isa::AtomicOp::max:
            return std::max(old_value, operand);
        case isa::AtomicOp::exch:
            return operand;
        case isa::AtomicOp::cas:
            return old_value == operand ? swap : old_value;
        default:
            throw std::runtime_error("an atomic that the tests do not use");
    }
}

struct Cta {
    const Program& program;
    const Launch& launch;
    Memory& memory;
    std::vector<Row> constants;
    std::vector<std::byte> shared;
    isa::Dim3 ctaid;
};

class Thread {
  public:
    Thread(Cta& cta, std::uint32_t number)
        : cta_(cta),
          number_(number),
          rows_(cta.program.rows),
          predicates_(cta.program.predicates),
          local_(cta.program.frame.local_bytes, std::byte{0xcd}) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            rows_[i].lanes[0] = 0xdead0000U + static_cast<std::uint32_t>(i);
        }
    }

    bool done() const { return done_; }
    std::uint64_t steps() const { return steps_; }

    void run_to_barrier() {
        while (!done_) {
            if (++steps_ > kStepLimit) { throw std::runtime_error("the kernel does not end"); }
            const VirtualInstruction& instruction = cta_.program.code.at(pc_++);
            if (!holds(instruction.guard)) { continue; }
            if (step(instruction)) { return; }
        }
    }

  private:
    bool holds(PredicateUse use) const { return (use.index == kAlways || predicates_.at(use.index)) != use.negated; }

    std::uint32_t* row(std::uint32_t index) { return rows_.at(index).lanes; }

    std::uint32_t* operand_row(const VirtualOperand& operand, unsigned i) {
        if (operand.kind == Operand::Kind::reg) { return row(operand.index + i); }
        return cta_.constants.at(operand.index + i).lanes;
    }

    std::uint64_t value(const VirtualOperand& operand) {
        std::uint64_t bits = operand_row(operand, 0)[0];
        if (operand.rows > 1) { bits |= std::uint64_t{operand_row(operand, 1)[0]} << 32; }
        return bits;
    }

    /// Returns whether the thread stops at a barrier.
    bool step(const VirtualInstruction& instruction) {
        switch (instruction.machine.operation) {
            case Operation::nop:
            case Operation::membar:
                return false;
            case Operation::bra:
                pc_ = instruction.target;
                return false;
            case Operation::exit:
                done_ = true;
                return false;
            case Operation::barrier:
                return true;
            case Operation::trap:
                throw std::runtime_error("trap");
            case Operation::read_special:
                read_special(instruction);
                return false;
            case Operation::load:
                load(instruction);
                return false;
            case Operation::store:
                store(instruction);
                return false;
            case Operation::atomic:
            case Operation::reduce:
                atomic(instruction);
                return false;
            default:
                compute(instruction);
                return false;
        }
    }

    void read_special(const VirtualInstruction& instruction) {
        isa::WarpIdentity warp;
        warp.ctaid = cta_.ctaid;
        warp.block = cta_.launch.block;
        warp.first_thread = number_;
        Row high;
        isa::read_special(instruction.machine.special, warp, row(instruction.destination),
                          instruction.destination_rows > 1 ? row(instruction.destination + 1) : high.lanes);
    }

    void compute(const VirtualInstruction& instruction) {
        const isa::AluHandler handler = isa::select_handler(instruction.machine);
        if (handler == nullptr) { throw std::runtime_error("no handler"); }
        isa::Instruction machine{instruction.machine};
        isa::OperandRows rows{};
        Row unused;
        for (unsigned i = 0; i < 2; ++i) {
            rows.destination[i] = i < instruction.destination_rows ? row(instruction.destination + i) : unused.lanes;
        }
        for (std::size_t s = 0; s < 3; ++s) {
            machine.source[s].kind = instruction.source[s].kind;
            for (unsigned i = 0; i < 2; ++i) {
                rows.source[s][i] =
                    i < instruction.source[s].rows ? operand_row(instruction.source[s], i) : unused.lanes;
            }
        }
        const auto read = [&](PredicateUse use) { return use.index != kNone && holds(use) ? 1U : 0U; };
        rows.source_predicate = read(instruction.source_predicate[0]);
        rows.source_predicate2 = read(instruction.source_predicate[1]);
        const auto [first, second] = instruction.destination_predicate;
        if (first != kNone) { rows.destination_predicate = predicates_.at(first); }
        if (second != kNone) { rows.destination_predicate2 = predicates_.at(second); }
        // Handlers test only whether operands exist.
        machine.source_predicate = instruction.source_predicate[0].index == kNone ? isa::kNoPredicate : 0;
        machine.source_predicate2 = instruction.source_predicate[1].index == kNone ? isa::kNoPredicate : 0;
        machine.destination_predicate = first == kNone ? isa::kNoPredicate : 0;
        machine.destination_predicate2 = second == kNone ? isa::kNoPredicate : 0;
        handler(rows, 1, machine);
        if (first != kNone) { predicates_[first] = rows.destination_predicate & 1; }
        if (second != kNone) { predicates_[second] = rows.destination_predicate2 & 1; }
    }

    std::byte* bytes_at(const VirtualInstruction& instruction) {
        const auto offset = static_cast<std::uint64_t>(std::int64_t{instruction.machine.offset});
        std::uint64_t address = value(instruction.source[0]) + offset;
        if (instruction.source[0].rows == 1) {
            address = std::uint64_t{instruction.machine.address_window} << 32 | static_cast<std::uint32_t>(address);
        }
        const unsigned bytes = isa::lane_bytes(instruction.machine);
        if (address % bytes != 0) { throw std::runtime_error("misaligned address"); }
        const bool in_window =
            address >= isa::kSharedWindowBase && address < isa::kSharedWindowBase + isa::kSharedWindowBytes;
        const bool generic_shared = instruction.machine.space == isa::Space::generic && in_window;
        const bool shared = instruction.machine.space == isa::Space::shared || generic_shared;
        if (generic_shared) { address -= isa::kSharedWindowBase; }
        const bool local = instruction.machine.space == isa::Space::local;
        if (!shared && !local) { address -= isa::kGlobalBase; }
        auto& memory = shared ? cta_.shared : local ? local_ : cta_.memory;
        if (address + bytes > memory.size() || address + bytes < address) {
            throw std::runtime_error("illegal address");
        }
        return memory.data() + address;
    }

    void load(const VirtualInstruction& instruction) {
        std::uint32_t* rows[4];
        const std::byte* bytes = bytes_at(instruction);
        for (unsigned i = 0; i < instruction.destination_rows; ++i) { rows[i] = row(instruction.destination + i); }
        isa::write_loaded(instruction.machine, 0, bytes, rows);
    }

    void store(const VirtualInstruction& instruction) {
        const std::uint32_t* rows[4];
        for (unsigned i = 0; i < instruction.source[1].rows; ++i) { rows[i] = operand_row(instruction.source[1], i); }
        isa::read_stored(instruction.machine, 0, rows, bytes_at(instruction));
    }

    void atomic(const VirtualInstruction& instruction) {
        const isa::InstructionForm& machine = instruction.machine;
        std::byte* bytes = bytes_at(instruction);
        std::uint64_t old_value = 0;
        std::memcpy(&old_value, bytes, isa::type_bytes(machine.type));
        const std::uint64_t swap = instruction.source[2].rows > 0 ? value(instruction.source[2]) : 0;
        const std::uint64_t result = combined(machine.atomic, old_value, value(instruction.source[1]), swap);
        for (unsigned i = 0; i < instruction.destination_rows; ++i) {
            row(instruction.destination + i)[0] = static_cast<std::uint32_t>(old_value >> (32 * i));
        }
        std::memcpy(bytes, &result, isa::type_bytes(machine.type));
    }

    Cta& cta_;
    std::uint32_t number_;
    std::vector<Row> rows_;
    std::vector<bool> predicates_;
    std::vector<std::byte> local_;
    std::uint32_t pc_ = 0;
    std::uint64_t steps_ = 0;
    bool done_ = false;
};

std::uint64_t execute_cta(Cta& cta) {
    std::vector<Thread> threads;
    const auto count = static_cast<std::uint32_t>(cta.launch.block.count());
    threads.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) { threads.emplace_back(cta, i); }
    while (std::ranges::any_of(threads, [](const Thread& thread) { return !thread.done(); })) {
        for (Thread& thread : threads) { thread.run_to_barrier(); }
    }
    std::uint64_t steps = 0;
    for (const Thread& thread : threads) { steps += thread.steps(); }
    return steps;
}

VirtualOperand flat_operand(const Operand& operand) {
    return {operand.kind, operand.rows, operand.index};
}

PredicateUse flat_predicate(std::uint8_t predicate, bool negated) {
    if (predicate == isa::kNoPredicate) { return {}; }
    if (predicate == isa::kTruePredicate) { return {kAlways, negated}; }
    return {predicate, negated};
}

VirtualInstruction flat_instruction(const isa::Instruction& from) {
    VirtualInstruction result;
    result.machine = from;
    result.destination = from.destination;
    result.destination_rows = from.destination_rows;
    for (std::size_t i = 0; i < 3; ++i) { result.source[i] = flat_operand(from.source[i]); }
    result.guard = flat_predicate(from.guard, from.guard_negated);
    result.source_predicate = {flat_predicate(from.source_predicate, from.source_predicate_negated),
                               flat_predicate(from.source_predicate2, from.source_predicate2_negated)};
    const auto destination = [](std::uint8_t p) { return p == isa::kNoPredicate ? kNone : std::uint32_t{p}; };
    result.destination_predicate = {destination(from.destination_predicate), destination(from.destination_predicate2)};
    result.target = from.target;
    return result;
}

}  // namespace

Program flatten(const VirtualKernel& kernel) {
    Program program{kernel.frame, {}, kernel.rows(), kernel.predicates};
    std::vector<std::uint32_t> first;
    for (const VirtualBlock& block : kernel.blocks) {
        first.push_back(static_cast<std::uint32_t>(program.code.size()));
        program.code.insert(program.code.end(), block.code.begin(), block.code.end());
    }
    for (VirtualInstruction& instruction : program.code) {
        if (instruction.target != kNone) { instruction.target = first[instruction.target]; }
    }
    return program;
}

Program flatten(const isa::Kernel& kernel) {
    Program program{kernel, {}, kernel.registers, kernel.predicates};
    for (const isa::Instruction& instruction : kernel.code) { program.code.push_back(flat_instruction(instruction)); }
    return program;
}

std::uint64_t execute(const Program& program, const Launch& launch, Memory& memory) {
    std::uint64_t steps = 0;
    for (std::uint64_t number = 0; number < launch.grid.count(); ++number) {
        Cta cta{program, launch, memory, {}, {}, isa::cta_position(launch.grid, number)};
        cta.constants = isa::make_constant_rows(program.frame, launch.grid, launch.block, launch.dynamic_shared_bytes,
                                                launch.parameters);
        cta.shared.resize(program.frame.static_shared_bytes + launch.dynamic_shared_bytes);
        steps += execute_cta(cta);
    }
    return steps;
}

}  // namespace lookahead::finaliser::test
