#include <utility>

#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/address_space.h"
#include "components/isa/memory_access.h"

namespace lookahead::finaliser {

namespace {

isa::Space machine_space(LoweringContext& context) {
    switch (context.modifiers().space) {
        case StateSpace::generic:
            return isa::Space::generic;
        case StateSpace::global:
            return isa::Space::global;
        case StateSpace::shared:
            return isa::Space::shared;
        case StateSpace::constant:
            return isa::Space::constant;
        case StateSpace::local:
            return isa::Space::local;
        default:
            context.refuse(
                "loads, stores and atomics are supported in .global, .shared, .local and .const and with generic "
                "addresses; parameters can only be loaded");
    }
}

isa::Order machine_order(const ptx::Modifiers& modifiers) {
    // ld.cv fetches again each time, like a volatile access.
    if (modifiers.cache_operator == ptx::CacheOperator::cv) { return isa::Order::volatile_; }
    return modifiers.semantics.value_or(isa::Order::weak);
}

/// Gives the access its address: the current instruction's first source.
void set_address(LoweringContext& context, VirtualInstruction& access) {
    const ptx::Operand& operand = context.instruction().sources()[0];
    const bool is_symbol = operand.symbol.kind != ptx::SymbolKind::none;
    if (is_symbol || !operand.has_base) {
        const std::uint64_t address = (is_symbol ? context.address_of(operand.symbol) : 0) + operand.value;
        access.source[0] = context.literal(address, address == static_cast<std::uint32_t>(address) ? 1 : 2);
        return;
    }
    const unsigned rows = isa::type_rows(operand.type);
    access.source[0] = register_rows(context.place(operand.reg), rows);
    if (rows == 1 && access.machine.space == isa::Space::constant) {
        access.machine.address_window = isa::kConstantBase >> 32;
    }
    if (std::in_range<std::int32_t>(operand.offset())) {
        access.machine.offset = static_cast<std::int32_t>(operand.offset());
    } else {
        access.source[0] =
            context.value(Operation::add, operand.type, {access.source[0], context.literal(operand.value, rows)});
    }
}

/// The access of the current instruction, without its data.
VirtualInstruction make_access(LoweringContext& context, Operation operation) {
    VirtualInstruction access = context.make(operation, context.type());
    access.machine.space = machine_space(context);
    access.machine.order = machine_order(context.modifiers());
    access.machine.scope = context.modifiers().scope;
    access.machine.vector = context.modifiers().vector_width;
    set_address(context, access);
    return access;
}

/// Checks that the access is aligned and inside a parameter of `size` bytes at `offset`.
void check_parameter_access(LoweringContext& context, const ptx::Operand& address, std::uint64_t offset,
                            std::uint64_t size) {
    const std::uint64_t element = ptx::bytes(context.type());
    const std::uint64_t bytes = element * context.modifiers().vector_width;
    if (address.offset() < 0 || address.value + bytes > size) {
        context.refuse("the access lies outside the parameter");
    }
    if ((offset + address.value) % element != 0) { context.refuse("the access is not aligned to its size"); }
}

/// The rows that hold one element of a .param variable of a call.
VirtualOperand call_parameter_rows(LoweringContext& context, std::uint32_t variable, std::uint64_t offset, Type type) {
    const auto row = [&](std::uint64_t word) { return register_rows(context.parameter_row(variable, word)); };
    if (isa::type_rows(type) == 1) { return row(offset / 4); }
    const std::uint32_t pair = context.kernel.new_rows(2);
    for (std::uint32_t i = 0; i < 2; ++i) { context.emit_copy(row(offset / 4 + i), pair + i); }
    return register_rows(pair, 2);
}

/// The element at `offset` of a parameter, from the rows that hold it: these, or bytes extracted from one.
VirtualInstruction parameter_value(LoweringContext& context, VirtualOperand rows, std::uint64_t offset, Type type) {
    if (ptx::bytes(type) >= 4) {
        return context.make(Operation::mov, isa::type_rows(type) == 2 ? Type::b64 : Type::b32, {rows});
    }
    return context.make(Operation::bfe, ptx::is_signed(type) ? Type::s32 : Type::u32,
                        {rows, context.literal(offset % 4 * 8), context.literal(ptx::bits(type))});
}

bool is_parameter_of_call(const ptx::Operand& address) {
    return address.symbol.kind == ptx::SymbolKind::function_variable && !address.has_base;
}

void lower_parameter_load(LoweringContext& context) {
    const ptx::Operand& address = context.instruction().sources()[0];
    const bool of_call = is_parameter_of_call(address);
    if (address.has_base || (!of_call && address.symbol.kind != ptx::SymbolKind::parameter)) {
        context.refuse("parameters must be named: ld.param [name] or [name+number]");
    }
    const std::uint32_t index = address.symbol.index;
    const std::uint64_t first = of_call ? 0 : context.function().parameters[index].offset;
    const std::uint64_t size =
        of_call ? context.function().variables[index].size() : context.function().parameters[index].size;
    check_parameter_access(context, address, first, size);
    const Type type = context.type();
    const auto element = [&](std::size_t i) {
        const std::uint64_t offset = first + address.value + i * ptx::bytes(type);
        const VirtualOperand constant{Operand::Kind::constant, static_cast<std::uint8_t>(isa::type_rows(type)),
                                      static_cast<std::uint32_t>(isa::kFirstParameterRow + offset / 4)};
        const VirtualOperand rows = of_call ? call_parameter_rows(context, index, offset, type) : constant;
        return parameter_value(context, rows, offset, type);
    };
    const ptx::Operand& destination = context.destination();
    if (destination.kind != ptx::OperandKind::vector) { return context.emit_result(element(0)); }
    for (std::size_t i = 0; i < destination.elements.size(); ++i) {
        if (destination.elements[i].kind != ptx::OperandKind::sink) {
            context.emit_to(destination.elements[i], element(i));
        }
    }
}

/// st.param to a variable of a call: its words are rows.
void store_parameter_element(LoweringContext& context, std::uint32_t variable, std::uint64_t offset,
                             const ptx::Operand& value) {
    const Type type = context.type();
    const VirtualOperand data = context.source(value);
    const auto write = [&](VirtualInstruction instruction, std::uint64_t word) {
        instruction.set_destination(context.parameter_row(variable, word));
        context.emit(instruction);
    };
    if (ptx::bytes(type) >= 4 || context.function().variables[variable].size() <= ptx::bytes(type)) {
        for (unsigned i = 0; i < data.rows; ++i) {
            write(context.make(Operation::mov, Type::b32, {part(data, i)}), offset / 4 + i);
        }
        return;
    }
    write(context.make(Operation::bfi, Type::b32,
                       {data, register_rows(context.parameter_row(variable, offset / 4)),
                        context.literal(offset % 4 * 8 | ptx::bits(type) << 8)}),
          offset / 4);
}

void lower_parameter_store(LoweringContext& context) {
    const ptx::Operand& address = context.instruction().sources()[0];
    if (!is_parameter_of_call(address)) {
        context.refuse("st.param is supported only for the parameters of calls, by name");
    }
    const std::uint32_t variable = address.symbol.index;
    check_parameter_access(context, address, 0, context.function().variables[variable].size());
    const ptx::Operand& value = context.instruction().sources()[1];
    if (value.kind != ptx::OperandKind::vector) {
        return store_parameter_element(context, variable, address.value, value);
    }
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
        store_parameter_element(context, variable, address.value + i * ptx::bytes(context.type()), value.elements[i]);
    }
}

/// A thread's words of local memory are not adjacent (isa::local_memory_offset), so no access there has more than one:
/// larger ones are split. Where generic addresses may be local ones, accesses that may be torn are split too; the
/// others, whose bytes other threads must see together, are split only for lanes with a local address.
enum class Form { whole, split, by_address };

Form form_of(LoweringContext& context, const VirtualInstruction& access) {
    if (isa::lane_bytes(access.machine) <= 4) { return Form::whole; }
    if (access.machine.space == isa::Space::local) { return Form::split; }
    if (access.machine.space != isa::Space::generic || !makes_generic_local_addresses(context.function())) {
        return Form::whole;
    }
    if (access.machine.order == isa::Order::weak) { return Form::split; }
    return access.source[0].rows == 2 ? Form::by_address : Form::whole;  // 32-bit addresses reach no window
}

PredicateUse is_local(LoweringContext& context, const VirtualInstruction& access) {
    const std::uint64_t to_offset = static_cast<std::uint64_t>(access.machine.offset) - isa::kLocalWindowBase;
    const VirtualOperand offset =
        context.value(Operation::add, Type::u64, {access.source[0], context.literal(to_offset, 2)});
    return context.test(isa::Comparison::lt, Type::u64, offset, context.literal(isa::kLocalWindowBytes, 2));
}

/// Emits the access once for each row of its data: for each word of 64-bit elements, else for each element.
template <typename SetData>
void emit_split(LoweringContext& context, VirtualInstruction access, PredicateUse guard, SetData set_data) {
    const unsigned element_bytes = isa::type_bytes(access.machine.type);
    const unsigned count = isa::type_rows(access.machine.type) * access.machine.vector;
    const unsigned step = element_bytes == 8 ? 4 : element_bytes;
    if (element_bytes == 8) { access.machine.type = isa::Type::b32; }
    access.machine.vector = 1;
    access.guard = guard;
    for (unsigned i = 0; i < count; ++i) {
        VirtualInstruction one = access;
        one.machine.offset += static_cast<std::int32_t>(i * step);
        set_data(one, i);
        context.append(one);
    }
}

/// Emits the access, whole or split; `set_data(one, i)` gives the access `one` the i-th row of the data.
template <typename SetData>
void emit_access(LoweringContext& context, VirtualInstruction access, SetData set_data) {
    const Form form = form_of(context, access);
    if (form == Form::whole) { return context.emit(access); }
    if (form == Form::split) { return emit_split(context, access, context.guard(), set_data); }
    const PredicateUse local = is_local(context, access);
    VirtualInstruction elsewhere = access;
    elsewhere.guard = context.guarded({local.index, !local.negated});
    context.append(elsewhere);
    access.machine.order = isa::Order::weak;
    emit_split(context, access, context.guarded(local), set_data);
}

/// Vector elements arrive in consecutive rows and are copied to the program's registers.
void lower_load(LoweringContext& context) {
    if (context.modifiers().space == StateSpace::param) { return lower_parameter_load(context); }
    VirtualInstruction load = make_access(context, Operation::load);
    const ptx::Operand& destination = context.destination();
    const bool vector = destination.kind == ptx::OperandKind::vector;
    if (!vector && form_of(context, load) == Form::whole) { return context.emit_result(load); }
    const unsigned element_rows = isa::type_rows(context.type());
    const std::size_t elements = vector ? destination.elements.size() : 1;
    if (element_rows * elements > 4) { context.refuse("only vectors of up to 16 bytes are supported"); }
    // Loads into separate rows, because the destination may be the address's register.
    load.destination_rows = static_cast<std::uint8_t>(element_rows * elements);
    load.destination = context.kernel.new_rows(load.destination_rows);
    emit_access(context, load,
                [first = load.destination](VirtualInstruction& one, unsigned i) { one.set_destination(first + i); });
    if (vector) { return context.emit_to_elements(destination.elements, load.destination, element_rows); }
    context.emit_result(context.make(Operation::mov, Type::b64, {register_rows(load.destination, 2)}));
}

VirtualOperand store_data(LoweringContext& context, const ptx::Operand& operand) {
    if (operand.kind != ptx::OperandKind::vector) { return context.source(operand); }
    const unsigned element_rows = isa::type_rows(context.type());
    if (element_rows * operand.elements.size() > 4) { context.refuse("only vectors of up to 16 bytes are supported"); }
    return context.side_by_side(operand.elements, element_rows);
}

void lower_store(LoweringContext& context) {
    if (context.modifiers().space == StateSpace::param) { return lower_parameter_store(context); }
    VirtualInstruction store = make_access(context, Operation::store);
    store.source[1] = store_data(context, context.instruction().sources()[1]);
    emit_access(context, store,
                [data = store.source[1]](VirtualInstruction& one, unsigned i) { one.source[1] = part(data, i); });
}

/// A stride, or indices in consecutive rows.
VirtualOperand pattern_of(LoweringContext& context, const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::vector ? context.side_by_side(operand.elements) : context.source(operand);
}

void lower_vector_load(LoweringContext& context, Operation operation) {
    VirtualInstruction load = make_access(context, operation);
    load.source[1] = pattern_of(context, context.instruction().sources()[1]);
    load.destination_rows = load.machine.vector;
    load.destination = context.kernel.new_rows(load.destination_rows);
    context.emit(load);
    context.emit_to_elements(context.destination().elements, load.destination);
}

void lower_vector_store(LoweringContext& context, Operation operation) {
    const auto sources = context.instruction().sources();
    VirtualInstruction store = make_access(context, operation);
    store.source[2] = pattern_of(context, sources[1]);
    store.source[1] = context.side_by_side(sources[2].elements);
    context.emit(store);
}

void lower_atomic(LoweringContext& context, Operation operation) {
    VirtualInstruction atomic = make_access(context, operation);
    atomic.machine.atomic = context.modifiers().atomic;
    atomic.source[1] = context.source(1);
    if (context.instruction().sources().size() > 2) { atomic.source[2] = context.source(2); }
    if (operation == Operation::reduce) { return context.emit(atomic); }
    context.emit_result(atomic);
}

void lower_fence(LoweringContext& context) {
    VirtualInstruction fence = new_instruction(Operation::membar);
    fence.machine.order = machine_order(context.modifiers());
    fence.machine.scope = context.modifiers().scope;
    context.emit(fence);
}

/// The machine has no such hints.
void lower_hint(LoweringContext&) {}

constexpr Lowering kMemoryOperations[] = {
    {Opcode::ld, lower_load},
    {Opcode::ldu, lower_load},
    {Opcode::st, lower_store},
    {Opcode::ld_stride, with<lower_vector_load, Operation::load_stride>},
    {Opcode::ld_indirect, with<lower_vector_load, Operation::load_indirect>},
    {Opcode::st_stride, with<lower_vector_store, Operation::store_stride>},
    {Opcode::st_indirect, with<lower_vector_store, Operation::store_indirect>},
    {Opcode::atom, with<lower_atomic, Operation::atomic>},
    {Opcode::red, with<lower_atomic, Operation::reduce>},
    {Opcode::prefetch, lower_hint},
    {Opcode::prefetchu, lower_hint},
    {Opcode::membar, lower_fence},
    {Opcode::fence, lower_fence},
};

}  // namespace

constinit const std::span<const Lowering> kMemoryLowerings = kMemoryOperations;

}  // namespace lookahead::finaliser
