// Memory: loads, stores, atomic operations, constants, fences.
#include <algorithm>
#include <iterator>

#include "components/frontend/native/lowering.h"
#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "components/isa/modes.h"

namespace lookahead::native {
namespace {

using isa::Operation;
using isa::Space;
using isa::Type;

struct AccessType {
    Type type;
    std::uint8_t vector;
};
constexpr AccessType kAccessTypes[] = {{Type::u8, 1},  {Type::s8, 1},  {Type::u16, 1}, {Type::s16, 1},
                                       {Type::b32, 1}, {Type::b32, 2}, {Type::b32, 4}, {Type::none, 0}};

constexpr Type kAtomicTypes[] = {Type::u32,   Type::s32, Type::u64, Type::f32,
                                 Type::f16x2, Type::s64, Type::f64, Type::none};

/// From Hopper on, where sums of floating-point numbers have opcodes of their own.
constexpr Type kHopperTypes[] = {Type::u32,  Type::s32,  Type::u64,  Type::s64,
                                 Type::none, Type::none, Type::none, Type::none};

Type hopper_float(std::uint64_t field) {
    return field == 0 ? Type::f16x2 : field == 9 || field == 12 ? Type::f32 : field == 15 ? Type::f64 : Type::none;
}

struct Access {
    std::uint16_t number;
    Operation operation;
    Space space;
};
constexpr Access kAccesses[] = {{0x181, Operation::load, Space::global},    {0x186, Operation::store, Space::global},
                                {0x180, Operation::load, Space::generic},   {0x185, Operation::store, Space::generic},
                                {0x184, Operation::load, Space::shared},    {0x188, Operation::store, Space::shared},
                                {0x183, Operation::load, Space::local},     {0x187, Operation::store, Space::local},
                                {0x18e, Operation::atomic, Space::global},  {0x1a6, Operation::atomic, Space::global},
                                {0x1a8, Operation::atomic, Space::global},  {0x1a3, Operation::atomic, Space::global},
                                {0x1a9, Operation::atomic, Space::global},  {0x18a, Operation::atomic, Space::generic},
                                {0x18b, Operation::atomic, Space::generic}, {0x1a2, Operation::atomic, Space::generic},
                                {0x18c, Operation::atomic, Space::shared},  {0x18d, Operation::atomic, Space::shared}};

void set_order(const Instruction& from, isa::Instruction& to) {
    const Word& word = from.word;
    if (from.architecture < 80) {
        constexpr isa::Scope kScopes[] = {isa::Scope::cta, isa::Scope::cta, isa::Scope::gpu, isa::Scope::sys};
        if (word.bits(79, 2) < 2) { return; }
        to.order = isa::Order::relaxed;
        to.scope = kScopes[word.bits(77, 2)];
        return;
    }
    const std::uint64_t order = word.bits(77, 4);
    if (order == 0 || order == 4) { return; }
    to.order = isa::Order::relaxed;
    to.scope = order == 5 ? isa::Scope::cta : order == 7 ? isa::Scope::gpu : isa::Scope::sys;
}

}  // namespace

bool Lowering::lower_memory(const Native& from) {
    const Word& word = from.word;
    const auto* const known = std::ranges::find(kAccesses, from.opcode->number, &Access::number);
    if (known != std::end(kAccesses)) {
        if (known->operation == Operation::atomic) {
            atomic(from, known->space);
        } else {
            access(from, known->operation, known->space);
        }
        return true;
    }
    switch (from.opcode->number) {
        case 0x1aa:
            space_of_address(from);
            return true;
        case 0x182:
            constant_load(from, false);
            return true;
        case 0x0b9:
        case 0x0bb:
        case 0x1ac:
            constant_load(from, true);
            return true;
        case 0x192: {
            Machine to = begin(from, Operation::membar, Type::none);
            to.order = isa::Order::acq_rel;
            to.scope = word.bits(76, 3) == 0   ? isa::Scope::cta
                       : word.bits(76, 3) == 3 ? isa::Scope::sys
                                               : isa::Scope::gpu;
            emit(to);
            return true;
        }
        case 0x18f:
        case 0x1ab:
        case 0x1bd:
            emit(begin(from, Operation::mark, Type::none));
            return true;
        default:
            return false;
    }
}

void Lowering::set_address(const Native& from, Machine& to, Space space) {
    const Word& word = from.word;
    to.space = space;
    to.offset = static_cast<std::int32_t>(from.address_offset());
    const bool uniform = from.has_uniform_address();
    const bool wide_space = space == Space::global || space == Space::generic;
    const unsigned rows = wide_space && from.has_wide_address() ? 2 : 1;
    to.source[0] = operands_.reg(from.reg(24), rows);
    if (space == Space::shared && from.architecture >= 75) {
        constexpr std::uint8_t kShifts[] = {0, 2, 3, 4};
        to.mode = kShifts[word.bits(78, 2)];
    }
    if (!uniform || from.has_descriptor()) { return; }
    const std::uint32_t base = from.uniform(from.uniform_address_bit());
    if (base == from.uniform_zero()) { return; }
    to.source[3] = operands_.uniform(base, wide_space && word.bit(72) ? 2 : 1);
}

void Lowering::access(const Native& from, Operation operation, Space space) {
    const AccessType& type = kAccessTypes[from.word.bits(73, 3)];
    if (type.vector == 0) { refuse("this width is not known"); }
    Machine to = begin(from, operation, type.type);
    to.vector = type.vector;
    set_address(from, to, space);
    if (space == Space::global || space == Space::generic) { set_order(from, to); }
    if (type.vector > 1 && (space == Space::local || (space == Space::generic && splits_generic_))) {
        return split_access(from, to);
    }
    if (operation == Operation::load) {
        set_result(from, to, type.vector);
    } else {
        to.source[1] = operands_.reg(from.reg(from.data_bit()), type.vector);
    }
    emit(to);
}

/// Words of a thread's local memory are not adjacent: an access of several is one for each. A register that has the
/// address is loaded last.
void Lowering::split_access(const Native& from, Machine to) {
    const unsigned words = to.vector;
    const std::uint32_t first = from.reg(to.operation == Operation::load ? 16 : from.data_bit());
    std::uint32_t last = to.operation == Operation::load ? from.reg(24) - first : words;
    if (to.source[0].rows == 2 && to.operation == Operation::load && last + 1 <= words) {  // both words of the address
        Machine address = begin(from, Operation::mov, Type::b64);
        address.source[0] = to.source[0];
        operands_.set_temporary(address, 0, 2);
        emit(address);
        to.source[0] = operands_.temporary(0, 2);
        last = words;
    }
    const auto access_word = [&](unsigned word) {
        Machine part = to;
        part.vector = 1;
        part.offset += static_cast<std::int32_t>(4 * word);
        const std::uint32_t reg = first == kZeroRegister ? first : first + word;
        if (part.operation == Operation::load) {
            operands_.set_result(part, reg);
        } else {
            part.source[1] = operands_.reg(reg, 1);
        }
        emit(part);
    };
    for (unsigned word = 0; word < words; ++word) {
        if (word != last) { access_word(word); }
    }
    if (last < words) { access_word(last); }
}

void Lowering::atomic(const Native& from, Space space) {
    using enum isa::AtomicOp;
    constexpr isa::AtomicOp kOperations[] = {add, min, max, inc, dec, bit_and, bit_or, bit_xor, exch};
    constexpr isa::AtomicOp kFloats[] = {add, none, min, none, max};
    const Word& word = from.word;
    const std::uint16_t number = from.opcode->number;
    const bool hopper = number == 0x1a6 || number == 0x1a3 || number == 0x1a2;
    const bool swaps = number == 0x1a9 || number == 0x18b || number == 0x18d;
    const bool returns = number != 0x18e && number != 0x1a6 && from.reg(16) != kZeroRegister;
    Machine to = begin(from, returns ? Operation::atomic : Operation::reduce,
                       hopper                    ? hopper_float(word.bits(73, 4))
                       : from.architecture >= 90 ? kHopperTypes[word.bits(73, 3)]
                                                 : kAtomicTypes[word.bits(73, 3)]);
    // Counting lanes (ATOMS.POPC.INC) is adding 1 for each.
    const bool counts = number == 0x18c && word.bits(9, 3) == 7;
    if (counts) {
        if (returns) { refuse("counted lanes are not returned"); }
        to.type = Type::u32;
    }
    if (to.type == Type::none) { refuse("this type is not supported"); }
    const std::uint64_t operation = word.bits(87, hopper || number == 0x18e ? 3 : 4);
    if (swaps) {
        to.atomic = cas;
    } else if (counts) {
        to.atomic = add;
    } else {
        const std::size_t known = hopper ? std::size(kFloats) : std::size(kOperations);
        to.atomic = operation < known ? (hopper ? kFloats[operation] : kOperations[operation]) : none;
    }
    if (to.atomic == none) { refuse("this operation is not known"); }
    if (swaps && isa::is_signed(to.type)) { to.type = to.type == Type::s32 ? Type::u32 : Type::u64; }
    set_address(from, to, space);
    if (space != Space::shared) { set_order(from, to); }
    const unsigned rows = isa::type_rows(to.type);
    to.source[1] = counts ? operands_.literals({1}) : operands_.reg(from.reg(32), rows);
    if (swaps) { to.source[2] = operands_.reg(from.reg(64), rows); }
    if (number == 0x18d && word.bit(87)) { return swap_and_tell(from, to); }
    if (returns) { set_result(from, to, rows); }
    emit(to);
    // Whether it was done: code for shared and local memory follows for the other case.
    const bool tells = space != Space::shared && from.opcode->operands.find("p81") != std::string_view::npos;
    if (tells && written_predicate(from, 81) != isa::kNoPredicate) {
        set_if_equal(from, 81, operands_.literals({0}), operands_.literals({0}));
    }
}

/// The result is 1 if the swap was made, else 0.
void Lowering::swap_and_tell(const Native& from, Machine swap) {
    const unsigned rows = isa::type_rows(swap.type);
    const std::uint32_t compared = from.reg(32);
    swap.operation = Operation::atomic;
    operands_.set_temporary(swap, 0, rows);
    emit(swap);
    for (unsigned i = 0; i < rows; ++i) {
        // Bits that differ, in this word or one before.
        Machine to = begin(from, Operation::lop3, Type::b32);
        to.mode = (0xf0 ^ 0xcc) | 0xaa;
        to.source[0] = operands_.temporary(i);
        to.source[1] = operands_.reg(compared == kZeroRegister ? compared : compared + i, 1);
        to.source[2] = i == 0 ? operands_.literals({0}) : operands_.temporary(2);
        operands_.set_temporary(to, 2);
        emit(to);
    }
    if (from.architecture >= 100 && written_predicate(from, 81) != isa::kNoPredicate) {
        set_if_equal(from, 81, operands_.temporary(2), operands_.literals({0}));
    }
    if (from.reg(16) == kZeroRegister) { return; }
    Machine least = begin(from, Operation::min, Type::u32);
    least.source[0] = operands_.temporary(2);
    least.source[1] = operands_.literals({1});
    operands_.set_temporary(least, 2);
    emit(least);
    Machine tell = begin(from, Operation::bit_xor, Type::b32);
    tell.source[0] = operands_.temporary(2);
    tell.source[1] = operands_.literals({1});
    set_result(from, tell);
    emit(tell);
    if (rows == 1) { return; }
    Machine upper = begin(from, Operation::mov, Type::b32);
    upper.source[0] = operands_.literals({0});
    operands_.set_result(upper, from.reg(16) + 1);
    emit(upper);
}

/// The spaces' windows are known by the upper word of an address.
void Lowering::space_of_address(const Native& from) {
    const Word& word = from.word;
    const std::uint64_t space = word.bits(73, 2);
    if (!word.bit(72)) { refuse("this question is not supported"); }
    // No CTA has the shared memory of others.
    if (space == 3) { return set_if_equal(from, 81, operands_.literals({0}), operands_.literals({1})); }
    const isa::Operand upper =
        from.reg(24) == kZeroRegister ? operands_.uniform(from.uniform(32) + 1, 1) : operands_.reg(from.reg(24) + 1, 1);
    if (space != 0) {
        const std::uint64_t base = space == 1 ? isa::kLocalWindowBase : isa::kSharedWindowBase;
        return set_if_equal(from, 81, upper, operands_.literals({static_cast<std::uint32_t>(base >> 32)}));
    }
    Machine to = begin(from, Operation::setp, Type::u32);
    to.comparison = isa::Comparison::gt;
    to.source[0] = upper;
    to.source[1] = operands_.literals({static_cast<std::uint32_t>(isa::kLocalWindowBase >> 32)});
    to.destination_predicate = written_predicate(from, 81);
    emit(to);
}

void Lowering::constant_load(const Native& from, bool uniform) {
    const Word& word = from.word;
    const AccessType& type = kAccessTypes[word.bits(73, 3)];
    if (type.vector == 0) { refuse("this width is not known"); }
    Source place;
    place.kind = Source::Kind::constant;
    place.bank = static_cast<std::uint8_t>(word.bits(54, 5));
    const std::int64_t offset = from.address_offset();
    place.value = static_cast<std::uint32_t>(offset);
    const bool indexed = from.has_constant_index();
    if (!uniform && word.bits(78, 2) != 0) { refuse("this way to compute the address is not supported"); }
    const unsigned rows = type.vector;
    const bool whole = isa::type_bytes(type.type) == 4;
    if (!indexed && place.bank != 3 && whole) {
        for (unsigned first = 0; first < rows; first += 2) {
            Machine to = begin(from, Operation::mov, rows == 1 ? Type::b32 : Type::b64);
            Source part = place;
            part.value += first * 4;
            to.source[0] = operand(from, part, rows == 1 ? 1 : 2);
            set_result(from, to, rows == 1 ? 1 : 2);
            to.destination = static_cast<std::uint16_t>(to.destination + first);
            emit(to);
        }
        return;
    }
    if (!indexed && place.bank != 3) {  // a part of a word
        const std::uint32_t first = place.value % 4;
        place.value -= first;
        Machine to = begin(from, Operation::bfe, isa::is_signed(type.type) ? Type::s32 : Type::u32);
        to.source[0] = operand(from, place, 1);
        to.source[1] = operands_.literals({first * 8});
        to.source[2] = operands_.literals({isa::type_bytes(type.type) * 8});
        set_result(from, to);
        return emit(to);
    }
    Machine to = begin(from, Operation::load, type.type);
    to.uniform = false;
    to.space = Space::constant;
    to.vector = type.vector;
    to.source[0] = !indexed  ? operands_.literals({0})
                   : uniform ? operands_.uniform(from.uniform(24), 1)
                             : operands_.reg(from.reg(24), 1);
    std::uint64_t base = 0, end = 0;
    if (place.bank == 3) {
        base = cubin_.constants_address;
        end = cubin_.constants_bytes;
        if (base == 0) { refuse("the module has no constants"); }
    } else if (place.bank == 0) {
        to_.addresses_parameters = true;
        base = isa::kParameterBase - kernel_.parameter_base;
        end = std::uint64_t{kernel_.parameter_base} + kernel_.parameter_bytes;
    } else if (place.bank == 2 && kernel_.constants_address != 0) {
        base = kernel_.constants_address;
        end = kernel_.constants.size();
    } else if (place.bank == 4) {
        refuse("the cubin lacks the function that it calls (vprintf, malloc, free, __assertfail)");
    } else {
        refuse("only parameters and constants are read by address");
    }
    // The sum of index and offset has 16 bits, so that an offset in the bank's upper half looks like a negative one.
    constexpr std::int64_t kBankBytes = 1 << 16;
    const bool in_upper_half = offset < 0 && static_cast<std::uint64_t>(offset + kBankBytes) < end;
    const std::uint64_t address = base + static_cast<std::uint64_t>(in_upper_half ? offset + kBankBytes : offset);
    to.address_window = static_cast<std::uint8_t>(address >> 32);
    to.offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(address));
    set_result(from, to, rows);
    emit(to);
}

}  // namespace lookahead::native
