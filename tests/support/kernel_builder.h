#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "components/isa/instruction.h"
#include "components/isa/kernel.h"
#include "core/error/error.h"

namespace lookahead::test {

/// Writes machine-ISA kernels by hand, for tests that need no front end.
///
///     KernelBuilder k("scale", {8, 4});                      // a pointer, a count
///     const auto i = k.reg(), x = k.reg();
///     const auto address = k.reg64();
///     k.special(i, isa::SpecialRegister::tid_x);
///     k.op(Operation::mul_wide, Type::u64, address, {i, k.literal(4)}).source_type = Type::u32;
///     k.op(Operation::add, Type::u64, address, {address, k.parameter(0)});
///     k.load(isa::Space::global, Type::f32, x, address);
///     ...
///     isa::Kernel kernel = k.finish();
class KernelBuilder {
  public:
    using Instruction = isa::Instruction;
    using Operand = isa::Operand;
    using Operation = isa::Operation;
    using Type = isa::Type;
    /// A place in the code for branches; bind() sets it.
    struct Label {
        std::uint32_t number = isa::kNoTarget;
    };
    /// A predicate to guard by, or to combine with.
    struct Predicate {
        std::uint8_t index = isa::kTruePredicate;
        bool negated = false;
        Predicate operator!() const { return {index, !negated}; }
    };

    /// `parameter_sizes` in bytes, laid out as the PTX ABI does.
    KernelBuilder(std::string name, std::initializer_list<std::uint32_t> parameter_sizes) {
        kernel_.name = std::move(name);
        kernel_.source_file = kernel_.name + ".ptx";
        for (const std::uint32_t size : parameter_sizes) {
            const std::uint32_t offset = (kernel_.parameter_bytes + size - 1) / size * size;
            kernel_.parameter_offsets.push_back(offset);
            kernel_.parameter_sizes.push_back(size);
            kernel_.parameter_bytes = offset + size;
        }
        kernel_.parameter_bytes = (kernel_.parameter_bytes + 3) / 4 * 4;
    }

    Operand reg() { return registers(1); }
    Operand reg64() { return registers(2); }
    /// `rows` consecutive registers, aligned to `rows`, for vectors.
    Operand registers(std::uint8_t rows) {
        const std::uint32_t first = (kernel_.registers + rows - 1) / rows * rows;
        kernel_.registers = first + rows;
        return {Operand::Kind::reg, rows, static_cast<std::uint16_t>(first)};
    }
    /// Row `i` of a vector, or of a 64-bit value.
    static Operand word(Operand operand, unsigned i) {
        return {operand.kind, 1, static_cast<std::uint16_t>(operand.index + i)};
    }
    Predicate predicate() {
        LOOKAHEAD_ASSERT(kernel_.predicates < isa::kPredicateRegisters, "out of predicates");
        return {static_cast<std::uint8_t>(kernel_.predicates++)};
    }

    Operand parameter(unsigned number) const {
        const auto row = isa::kFirstParameterRow + kernel_.parameter_offsets.at(number) / 4;
        return constant(row, kernel_.parameter_sizes.at(number) == 8 ? 2 : 1);
    }
    Operand launch(isa::LaunchRow row) const { return constant(static_cast<std::uint16_t>(row), 1); }
    Operand literal(std::uint32_t value) {
        kernel_.literals.push_back(value);
        return constant(kernel_.constant_rows() - 1, 1);
    }
    Operand literal64(std::uint64_t value) {
        kernel_.literals.push_back(static_cast<std::uint32_t>(value));
        kernel_.literals.push_back(static_cast<std::uint32_t>(value >> 32));
        return constant(kernel_.constant_rows() - 2, 2);
    }
    Operand literal_f32(float value) { return literal(std::bit_cast<std::uint32_t>(value)); }

    /// Guards the next instructions, up to the next call.
    void guard(Predicate predicate) { guard_ = predicate; }
    void unguard() { guard_ = {}; }

    /// Appends any operation that writes registers (or none: pass {}). The caller may set further fields.
    Instruction& op(Operation operation, Type type, Operand destination, std::initializer_list<Operand> sources) {
        Instruction& instruction = emit(operation, type);
        set_destination(instruction, destination);
        unsigned i = 0;
        for (const Operand& source : sources) { instruction.source[i++] = source; }
        return instruction;
    }
    Instruction& special(Operand destination, isa::SpecialRegister which) {
        Instruction& instruction =
            op(Operation::read_special, destination.rows == 2 ? Type::u64 : Type::u32, destination, {});
        instruction.special = which;
        return instruction;
    }
    Instruction& setp(isa::Comparison comparison, Type type, Predicate destination, Operand a, Operand b) {
        Instruction& instruction = op(Operation::setp, type, {}, {a, b});
        instruction.comparison = comparison;
        instruction.destination_predicate = destination.index;
        return instruction;
    }
    Instruction& select(Type type, Operand destination, Operand a, Operand b, Predicate which) {
        Instruction& instruction = op(Operation::select, type, destination, {a, b});
        instruction.source_predicate = which.index;
        instruction.source_predicate_negated = which.negated;
        return instruction;
    }
    Instruction& load(isa::Space space, Type type, Operand destination, Operand address, std::int32_t offset = 0,
                      std::uint8_t vector = 1) {
        Instruction& instruction = op(Operation::load, type, destination, {address});
        instruction.space = space;
        instruction.offset = offset;
        instruction.vector = vector;
        return instruction;
    }
    Instruction& store(isa::Space space, Type type, Operand address, Operand data, std::int32_t offset = 0,
                       std::uint8_t vector = 1) {
        Instruction& instruction = op(Operation::store, type, {}, {address, data});
        instruction.space = space;
        instruction.offset = offset;
        instruction.vector = vector;
        return instruction;
    }
    Instruction& atomic(isa::Space space, isa::AtomicOp what, Type type, Operand destination, Operand address,
                        Operand operand, Operand operand2 = Operand()) {
        Instruction& instruction = op(destination.rows == 0 ? Operation::reduce : Operation::atomic, type, destination,
                                      {address, operand, operand2});
        instruction.space = space;
        instruction.atomic = what;
        return instruction;
    }

    Label label() {
        positions_.push_back(isa::kNoTarget);
        return {static_cast<std::uint32_t>(positions_.size() - 1)};
    }
    void bind(Label label) { positions_.at(label.number) = static_cast<std::uint32_t>(kernel_.code.size()); }
    /// A label bound here.
    Label here() {
        const Label result = label();
        bind(result);
        return result;
    }
    /// Without `reconvergence`: only at the exit.
    Instruction& branch(Label target) { return branch(target, Label{}); }
    Instruction& branch(Label target, Label reconvergence) {
        Instruction& instruction = emit(Operation::bra, Type::none);
        instruction.target = target.number;
        instruction.reconvergence = reconvergence.number;
        return instruction;
    }
    /// A branch of the lanes with a true predicate. `labels`: as for branch.
    template <class... Labels>
    Instruction& branch_if(Predicate predicate, Labels... labels) {
        guard(predicate);
        Instruction& instruction = branch(labels...);
        unguard();
        return instruction;
    }
    Instruction& barrier(std::uint8_t number = 0) {
        Instruction& instruction = emit(Operation::barrier, Type::none);
        instruction.mode = number;
        return instruction;
    }
    Instruction& exit() { return emit(Operation::exit, Type::none); }

    void shared_bytes(std::uint32_t bytes) { kernel_.static_shared_bytes = bytes; }
    Instruction& last() { return kernel_.code.back(); }

    /// The kernel with a final exit and resolved labels; lines are numbered from 1 in order.
    isa::Kernel finish() const {
        KernelBuilder whole = *this;
        if (kernel_.code.empty() || kernel_.code.back().operation != Operation::exit) { whole.exit(); }
        for (Instruction& instruction : whole.kernel_.code) {
            if (instruction.target != isa::kNoTarget) { instruction.target = positions_.at(instruction.target); }
            if (instruction.reconvergence != isa::kNoTarget) {
                instruction.reconvergence = positions_.at(instruction.reconvergence);
            }
        }
        return whole.kernel_;
    }

  private:
    static Operand constant(std::size_t row, std::uint8_t rows) {
        return {Operand::Kind::constant, rows, static_cast<std::uint16_t>(row)};
    }
    Instruction& emit(Operation operation, Type type) {
        Instruction instruction;
        instruction.operation = operation;
        instruction.type = type;
        instruction.guard = guard_.index;
        instruction.guard_negated = guard_.negated;
        instruction.line = static_cast<std::uint32_t>(kernel_.code.size() + 1);
        kernel_.code.push_back(instruction);
        return kernel_.code.back();
    }
    static void set_destination(Instruction& instruction, Operand destination) {
        instruction.destination_rows = destination.rows;
        instruction.destination = destination.index;
    }

    isa::Kernel kernel_;
    std::vector<std::uint32_t> positions_;
    Predicate guard_;
};

}  // namespace lookahead::test
