#include "components/frontend/native/lowering.h"

#include <algorithm>
#include <cstring>

#include "components/frontend/finaliser/emit/machine_cfg.h"
#include "components/isa/address_space.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead::native {
namespace {

using isa::Operand;

constexpr unsigned kSpareRows = 4;

/// Where the driver puts values into constant bank 0 (public assemblers; what ptxas reads for values that are known).
struct DriverConstants {
    std::uint32_t block, grid, stack, descriptor, local_window;
    std::uint32_t shared_window, constant_window, bank_window;
};
DriverConstants driver_constants(unsigned architecture) {
    if (architecture >= 100) { return {0x360, 0x370, 0x37c, 0x358, 0x2f8, 0x2f0, 0x120, 0x348}; }
    if (architecture >= 90) { return {0x0, 0xc, 0x28, 0x208, 0x20, 0x18, 0xd0, 0x198}; }
    return {0x0, 0xc, 0x28, 0x118, 0x20, 0x18, 0x50, 0x40};
}

}  // namespace

Lowering::Lowering(const Cubin& cubin, const CubinKernel& kernel, isa::Kernel& to)
    : cubin_(cubin), kernel_(kernel), to_(to) {}

void Lowering::refuse(const std::string& reason) const {
    const Word& word = kernel_.code[place_];
    const std::uint64_t address = std::uint64_t{place_} * isa::kNativeInstructionBytes;
    throw InputError("{}: kernel {}, address {:#x}: {} ({:#018x} {:#018x}): {}", to_.source_file, kernel_.name, address,
                     text_of(decode(word, cubin_.architecture), address), word.high, word.low, reason);
}

void Lowering::run(bool own_barriers) {
    std::vector<Native> code;
    for (const Word& word : kernel_.code) { code.push_back(decode(word, cubin_.architecture)); }
    count_registers(code);
    for (place_ = 0; place_ < code.size(); ++place_) {
        to_.entries.push_back(static_cast<std::uint32_t>(to_.code.size()));
        if (code[place_].opcode == nullptr) { refuse("this instruction is not known"); }
        lower(code[place_]);
        // Branches may go to an instruction without an effect, too.
        if (to_.entries.back() == to_.code.size()) { emit(begin(code[place_], isa::Operation::mark, isa::Type::none)); }
        targets_.resize(to_.code.size(), isa::kNoTarget);
    }
    for (std::size_t i = 0; i < to_.code.size(); ++i) {
        if (targets_[i] != isa::kNoTarget) { to_.code[i].target = to_.entries[targets_[i]]; }
    }
    find_reconvergence(own_barriers);
}

/// Of the code with calls as instructions that go on, and returns as exits.
void Lowering::find_reconvergence(bool own_barriers) {
    std::vector<Machine> code = to_.code;
    for (const std::uint32_t call : calls_) { code[call].operation = isa::Operation::mark; }
    for (Machine& each : code) {
        if (each.operation == isa::Operation::bra && each.source[0].kind != Operand::Kind::none) {
            each.operation = isa::Operation::exit;
        }
    }
    finaliser::set_reconvergence(code);
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (!own_barriers) { to_.code[i].reconvergence = code[i].reconvergence; }
        to_.code[i].yields = code[i].yields;
    }
}

void Lowering::count_registers(const std::vector<Native>& code) {
    std::uint32_t registers = kernel_.registers, uniform = 0;
    for (const Native& each : code) {
        if (each.opcode == nullptr) { continue; }
        const auto use = [&](std::uint32_t number) {
            if (number != each.uniform_zero()) { uniform = std::max(uniform, number + 4); }
        };
        for (const Source& source : {each.a, each.b, each.c}) {
            if (source.kind == Source::Kind::uniform) { use(source.value); }
        }
        if (each.opcode->operands.starts_with('D') || each.opcode->operands.find(" D") != std::string_view::npos) {
            use(each.uniform(16));
        }
        if (each.opcode->operands.find('[') != std::string_view::npos && each.has_uniform_address()) {
            use(each.uniform(each.uniform_address_bit()));
            use(each.uniform(24));
        }
    }
    to_.allocated_registers = registers;
    first_uniform_ = registers;
    unread_ = first_uniform_ + uniform;
    loaded_ = unread_ + kSpareRows;
    temporary_ = loaded_ + kSpareRows;
    to_.registers = temporary_ + kSpareRows + 1;
    to_.predicates = isa::kPredicateRegisters;
}

void Lowering::lower(const Native& from) {
    if (lower_integer(from) || lower_uniform(from) || lower_float(from) || lower_conversion(from) || lower_move(from) ||
        lower_memory(from) || lower_warp(from) || lower_control(from)) {
        return;
    }
    refuse("the machine ISA does not have this instruction");
}

Lowering::Machine Lowering::begin(const Native& from, isa::Operation operation, isa::Type type) const {
    Machine to;
    to.operation = operation;
    to.type = type;
    to.uniform = from.is_uniform;
    const bool uniform_guard = from.is_uniform && from.guard != kTrue;
    to.guard = static_cast<std::uint8_t>(from.guard + (uniform_guard ? isa::kFirstUniformPredicate : 0));
    to.guard_negated = from.guard_negated;
    to.line = place_ + 1;
    return to;
}

void Lowering::check_register(std::uint32_t reg, unsigned rows) const {
    if (reg + rows > kernel_.registers) {
        refuse(fmt::format("the kernel has {} registers, but it uses R{}", kernel_.registers, reg + rows - 1));
    }
}

void Lowering::set_result(Machine& to, std::uint32_t reg, unsigned rows) const {
    if (reg != kZeroRegister) { check_register(reg, rows); }
    to.destination = static_cast<std::uint16_t>(reg == kZeroRegister ? unread_ : reg);
    to.destination_rows = static_cast<std::uint8_t>(rows);
}

void Lowering::set_uniform_result(Machine& to, std::uint32_t reg, unsigned rows) const {
    const std::uint32_t zero = cubin_.architecture >= 100 ? 255 : 63;
    to.destination = static_cast<std::uint16_t>(reg == zero ? unread_ : first_uniform_ + reg);
    to.destination_rows = static_cast<std::uint8_t>(rows);
}

void Lowering::set_result(const Native& from, Machine& to, unsigned rows) const {
    if (from.is_uniform) { return set_uniform_result(to, from.uniform(16), rows); }
    set_result(to, from.reg(16), rows);
}

void Lowering::set_source(const Native& from, Machine& to, unsigned place, const Source& source, unsigned rows) {
    to.source[place] = operand(from, source, rows);
    constexpr std::uint8_t kFromSingle = 1;
    if (source.half == kFromSingle) {
        Machine half = begin(from, isa::Operation::convert, isa::Type::f16);
        half.source_type = isa::Type::f32;
        half.rounding = isa::Rounding::rz;
        half.source[0] = to.source[place];
        set_temporary(half, place);
        emit(half);
        to.source[place] = temporary(place);
        to.modifiers = static_cast<std::uint16_t>(to.modifiers | isa::kLowHalf << place);
    }
    if (source.negated) { to.modifiers = static_cast<std::uint16_t>(to.modifiers | isa::kNegated << place); }
    if (source.absolute) { to.modifiers = static_cast<std::uint16_t>(to.modifiers | isa::kAbsolute << place); }
    if (source.half == 2) { to.modifiers = static_cast<std::uint16_t>(to.modifiers | isa::kLowHalf << place); }
    if (source.half == 3) { to.modifiers = static_cast<std::uint16_t>(to.modifiers | isa::kHighHalf << place); }
}

Operand Lowering::operand(const Native& from, const Source& source, unsigned rows) {
    switch (source.kind) {
        case Source::Kind::reg:
            return register_operand(source.value, rows);
        case Source::Kind::uniform:
            return uniform_operand(from, source.value, rows);
        case Source::Kind::constant:
            return constant_operand(from, source, rows);
        case Source::Kind::immediate:
            // A 64-bit operand's immediate is its high word.
            return rows == 2 ? literals({0, source.value}) : literals({source.value});
        case Source::Kind::none:
            break;
    }
    refuse("an operand is missing");
}

Operand Lowering::register_operand(std::uint32_t reg, unsigned rows) {
    if (reg == kZeroRegister) { return literals(std::vector<std::uint32_t>(rows, 0)); }
    check_register(reg, rows);
    return {Operand::Kind::reg, static_cast<std::uint8_t>(rows), static_cast<std::uint16_t>(reg)};
}

Operand Lowering::uniform_operand(const Native& from, std::uint32_t reg, unsigned rows) {
    if (reg == from.uniform_zero()) { return literals(std::vector<std::uint32_t>(rows, 0)); }
    return {Operand::Kind::reg, static_cast<std::uint8_t>(rows), static_cast<std::uint16_t>(first_uniform_ + reg)};
}

Operand Lowering::literals(const std::vector<std::uint32_t>& words) {
    const auto row = [&](std::uint16_t index) {
        return Operand{Operand::Kind::constant, static_cast<std::uint8_t>(words.size()), index};
    };
    if (words.size() == 1 && words[0] == 0) { return row(static_cast<std::uint16_t>(isa::LaunchRow::zero)); }
    const auto found = std::ranges::search(to_.literals, words);
    const auto first = static_cast<std::size_t>(found.begin() - to_.literals.begin());
    if (found.empty()) { to_.literals.insert(to_.literals.end(), words.begin(), words.end()); }
    return row(static_cast<std::uint16_t>(to_.first_literal_row() + first));
}

Operand Lowering::bytes(const std::vector<std::byte>& bank, std::uint32_t offset, unsigned rows) {
    std::vector<std::uint32_t> words(rows);
    if (std::size_t{offset} + rows * 4 > bank.size()) { refuse("it reads beyond its constants"); }
    std::memcpy(words.data(), bank.data() + offset, rows * 4);
    return literals(words);
}

Operand Lowering::bank_0(std::uint32_t offset, unsigned rows) {
    const std::uint32_t from_parameters = offset - kernel_.parameter_base;
    if (offset >= kernel_.parameter_base && from_parameters + rows * 4 <= to_.parameter_bytes) {
        if (from_parameters % 4 != 0) { refuse("it reads a parameter at an address that is no multiple of 4"); }
        return {Operand::Kind::constant, static_cast<std::uint8_t>(rows),
                static_cast<std::uint16_t>(isa::kFirstParameterRow + from_parameters / 4)};
    }
    const DriverConstants driver = driver_constants(cubin_.architecture);
    const auto launch_row = [&](std::uint32_t base, isa::LaunchRow first) {
        return Operand{Operand::Kind::constant, static_cast<std::uint8_t>(rows),
                       static_cast<std::uint16_t>(static_cast<unsigned>(first) + (offset - base) / 4)};
    };
    if (offset - driver.block < 12) { return launch_row(driver.block, isa::LaunchRow::ntid_x); }
    if (offset - driver.grid < 12) { return launch_row(driver.grid, isa::LaunchRow::nctaid_x); }
    constexpr std::uint32_t kDynamicShared = 0x2c;
    if (offset == kDynamicShared && cubin_.architecture < 100 && rows == 1) {
        return {Operand::Kind::constant, 1, static_cast<std::uint16_t>(isa::LaunchRow::dynamic_shared_bytes)};
    }
    if (offset == driver.stack && rows == 1) { return literals({to_.local_bytes}); }
    // A descriptor of global memory: the addresses that it goes with are whole, so it adds nothing.
    if (offset == driver.descriptor && rows == 2) { return literals({0, 0}); }
    // Generic addresses of parameters: before Hopper the window is that of the whole bank.
    const std::uint64_t bank = isa::kParameterBase - (cubin_.architecture >= 90 ? 0 : kernel_.parameter_base);
    for (const auto& [place, window] :
         {std::pair{driver.local_window, isa::kLocalWindowBase},
          std::pair{driver.shared_window, isa::kSharedWindowBase},
          std::pair{driver.constant_window, isa::kConstantBase}, std::pair{driver.bank_window, bank}}) {
        if ((offset - place) / 4 < 2 && place == driver.bank_window) { to_.addresses_parameters = true; }
        const std::uint32_t words[] = {static_cast<std::uint32_t>(window), static_cast<std::uint32_t>(window >> 32)};
        if (offset == place && rows == 2) { return literals({words[0], words[1]}); }
        if ((offset - place) / 4 < 2 && rows == 1) { return literals({words[(offset - place) / 4]}); }
    }
    refuse(fmt::format("the place {:#x} of constant bank 0 is not known", offset));
}

Operand Lowering::constant_operand(const Native& from, const Source& source, unsigned rows) {
    switch (source.bank) {
        case 0:
            return bank_0(source.value, rows);
        case 3:
            return loaded(from, source.value, rows);
        case 4:
            return bytes(cubin_.addresses, source.value, rows);
        case 2:
            return bytes(kernel_.constants, source.value, rows);
        default:
            refuse(fmt::format("constant bank {} is not known", source.bank));
    }
}

Operand Lowering::temporary(unsigned number, unsigned rows) const {
    return {Operand::Kind::reg, static_cast<std::uint8_t>(rows), static_cast<std::uint16_t>(temporary_ + number)};
}

void Lowering::set_temporary(Machine& to, unsigned number, unsigned rows) const {
    to.destination = static_cast<std::uint16_t>(temporary_ + number);
    to.destination_rows = static_cast<std::uint8_t>(rows);
}

void Lowering::emit_both(const Machine& first, const Machine& second) {
    const auto disturbs = [](const Machine& before, const Machine& after) {
        const std::uint8_t written = before.destination_predicate;
        const bool third = after.operation == isa::Operation::pred_lop3 && after.destination_predicate2 == written;
        return written != isa::kNoPredicate && (third || after.guard == written || after.source_predicate == written ||
                                                after.source_predicate2 == written);
    };
    const bool swaps = disturbs(first, second);
    if (swaps && disturbs(second, first)) { refuse("it writes both predicates that it reads"); }
    emit(swaps ? second : first);
    emit(swaps ? first : second);
}

void Lowering::set_if_equal(const Native& from, unsigned bit, const Operand& a, const Operand& b) {
    Machine to = begin(from, isa::Operation::setp, isa::Type::u32);
    to.comparison = isa::Comparison::eq;
    to.destination_predicate = written_predicate(from, bit);
    to.source[0] = a;
    to.source[1] = b;
    emit(to);
}

/// Loads the operand from the module's constants first.
Operand Lowering::loaded(const Native& from, std::uint32_t offset, unsigned rows) {
    Machine load = begin(from, isa::Operation::load, isa::Type::b32);
    load.uniform = false;
    load.space = isa::Space::constant;
    load.vector = static_cast<std::uint8_t>(rows);
    load.source[0] = literals({static_cast<std::uint32_t>(cubin_.constants_address)});
    load.address_window = static_cast<std::uint8_t>(cubin_.constants_address >> 32);
    load.offset = static_cast<std::int32_t>(offset);
    load.destination = static_cast<std::uint16_t>(loaded_);
    load.destination_rows = static_cast<std::uint8_t>(rows);
    emit(load);
    return {Operand::Kind::reg, static_cast<std::uint8_t>(rows), static_cast<std::uint16_t>(loaded_)};
}

std::uint8_t Lowering::written_predicate(const Native& from, unsigned bit) const {
    const auto number = static_cast<std::uint8_t>(from.word.bits(bit, 3));
    if (number == kTrue) { return isa::kNoPredicate; }
    const bool uniform = from.opcode->operands.find(fmt::format("P{}", bit)) != std::string_view::npos;
    return static_cast<std::uint8_t>(number + (uniform ? isa::kFirstUniformPredicate : 0));
}

namespace {

std::uint8_t read_predicate(const native::Instruction& from, unsigned bit) {
    const auto number = static_cast<std::uint8_t>(from.word.bits(bit, 3));
    if (number == kTrue) { return isa::kTruePredicate; }
    const std::string_view operands = from.opcode->operands;
    const bool uniform = operands.find(fmt::format("Q{}", bit)) != std::string_view::npos ||
                         operands.find(fmt::format("X{}", bit)) != std::string_view::npos;
    return static_cast<std::uint8_t>(number + (uniform ? isa::kFirstUniformPredicate : 0));
}

}  // namespace

void Lowering::set_predicate(const Native& from, Machine& to, unsigned bit) const {
    to.source_predicate = read_predicate(from, bit);
    to.source_predicate_negated = from.word.bit(bit + 3);
}

void Lowering::set_predicate2(const Native& from, Machine& to, unsigned bit) const {
    to.source_predicate2 = read_predicate(from, bit);
    to.source_predicate2_negated = from.word.bit(bit + 3);
}

}  // namespace lookahead::native
