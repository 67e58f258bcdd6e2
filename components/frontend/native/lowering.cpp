#include "components/frontend/native/lowering.h"

#include "components/frontend/finaliser/emit/machine_cfg.h"
#include "components/isa/instruction.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead::native {
namespace {

using isa::Operand;

std::vector<Instruction> decoded(const Cubin& cubin, const CubinKernel& kernel) {
    std::vector<Instruction> code;
    for (const Word& word : kernel.code) { code.push_back(decode(word, cubin.architecture)); }
    return code;
}

}  // namespace

Lowering::Lowering(const Cubin& cubin, const CubinKernel& kernel, isa::Kernel& to, bool splits_generic)
    : cubin_(cubin),
      kernel_(kernel),
      to_(to),
      splits_generic_(splits_generic),
      code_(decoded(cubin, kernel)),
      operands_(cubin, kernel, to, code_) {}

void Lowering::run(bool own_barriers) {
    to_.instruction_bytes = isa::kNativeInstructionBytes;
    for (place_ = 0; place_ < code_.size(); ++place_) {
        const Native& from = code_[place_];
        to_.entries.push_back(static_cast<std::uint32_t>(to_.code.size()));
        try {
            lower(from);
            // Branches may go to an instruction without an effect, too.
            if (to_.entries.back() == to_.code.size()) { emit(begin(from, isa::Operation::mark, isa::Type::none)); }
            add_controls(from);
        } catch (const Refusal& refusal) {
            const std::uint64_t address = std::uint64_t{place_} * isa::kNativeInstructionBytes;
            throw InputError("{}: kernel {}, address {:#x}: {} ({:#018x} {:#018x}): {}", to_.source_file, kernel_.name,
                             address, text_of(from, address), from.word.high, from.word.low, refusal.reason);
        }
        targets_.resize(to_.code.size(), isa::kNoTarget);
    }
    for (std::size_t i = 0; i < to_.code.size(); ++i) {
        if (targets_[i] != isa::kNoTarget) { to_.code[i].target = to_.entries[targets_[i]]; }
    }
    place_spare_predicate();
    find_reconvergence(own_barriers);
}

void Lowering::place_spare_predicate() {
    std::vector<std::uint8_t*> spare;
    std::uint64_t used = 0;
    for (Machine& each : to_.code) {
        for (std::uint8_t* predicate : {&each.guard, &each.source_predicate, &each.source_predicate2,
                                        &each.destination_predicate, &each.destination_predicate2}) {
            if (*predicate == kSparePredicate) {
                spare.push_back(predicate);
            } else if (*predicate != isa::kNoPredicate) {
                used |= std::uint64_t{1} << *predicate;
            }
        }
    }
    if (spare.empty()) { return; }
    std::uint8_t number = isa::kFirstUniformPredicate;
    while (number < isa::kFirstUniformPredicate + isa::kPredicateRegisters && (used >> number & 1) != 0) { ++number; }
    if (number == isa::kFirstUniformPredicate + isa::kPredicateRegisters) {
        throw InputError("{}: kernel {}: BRA.DIV needs a predicate, and the kernel uses all", to_.source_file,
                         kernel_.name);
    }
    for (std::uint8_t* const predicate : spare) { *predicate = number; }
}

/// Each part of an instruction moves its barriers; the first one waits, and after the last one the warp stalls.
void Lowering::add_controls(const Native& from) {
    isa::IssueControl control = control_of(from.word);
    constexpr std::uint16_t kDepbar = 0x11a;
    // DEPBAR.LE waits until the barrier at bit 44 counts at most a number; here it waits until it counts none.
    if (from.opcode->number == kDepbar) { control.waits |= static_cast<std::uint8_t>(1U << from.word.bits(44, 3)); }
    for (const std::uint8_t barrier : {control.write_barrier, control.read_barrier}) {
        if (barrier >= isa::IssueControl::kBarriers && barrier != isa::IssueControl::kNoBarrier) {
            refuse(fmt::format("there is no barrier {}", barrier));
        }
    }
    const isa::IssueControl last = control;
    control.stall = 1;
    control.yields = false;
    for (std::size_t i = to_.entries.back(); i < to_.code.size(); ++i) {
        to_.controls.push_back(control);
        control.waits = 0;
    }
    to_.controls.back().stall = last.stall;
    to_.controls.back().yields = last.yields;
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

void Lowering::lower(const Native& from) {
    if (from.opcode == nullptr) { refuse("this instruction is not known"); }
    if (lower_integer(from) || lower_float(from) || lower_conversion(from) || lower_move(from) || lower_memory(from) ||
        lower_warp(from) || lower_control(from)) {
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

void Lowering::set_result(const Native& from, Machine& to, unsigned rows) const {
    if (from.is_uniform) { return operands_.set_uniform_result(to, from.uniform(16), rows); }
    operands_.set_result(to, from.reg(16), rows);
}

void Lowering::set_source(const Native& from, Machine& to, unsigned place, const Source& source, unsigned rows) {
    to.source[place] = operand(from, source, rows);
    const auto add = [&](unsigned modifier) {
        to.modifiers = static_cast<std::uint16_t>(to.modifiers | modifier << place);
    };
    if (source.half == 1) {
        Machine half = begin(from, isa::Operation::convert, isa::Type::f16);
        half.source_type = isa::Type::f32;
        half.rounding = isa::Rounding::rz;
        half.source[0] = to.source[place];
        operands_.set_temporary(half, place);
        emit(half);
        to.source[place] = operands_.temporary(place);
    }
    if (source.half == 1 || source.half == 2) { add(isa::kLowHalf); }
    if (source.half == 3) { add(isa::kHighHalf); }
    if (source.negated) { add(isa::kNegated); }
    if (source.absolute) { add(isa::kAbsolute); }
}

Operand Lowering::operand(const Native& from, const Source& source, unsigned rows) {
    switch (source.kind) {
        case Source::Kind::reg:
            return operands_.reg(source.value, rows);
        case Source::Kind::uniform:
            return operands_.uniform(source.value, rows);
        case Source::Kind::constant:
            return source.bank == 3 ? loaded(from, source.value, rows)
                                    : operands_.constant(source.bank, source.value, rows);
        case Source::Kind::immediate:
            // A 64-bit operand's immediate is its high word.
            return rows == 2 ? operands_.literals({0, source.value}) : operands_.literals({source.value});
        case Source::Kind::none:
            break;
    }
    refuse("an operand is missing");
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
    load.source[0] = operands_.literals({static_cast<std::uint32_t>(cubin_.constants_address)});
    load.address_window = static_cast<std::uint8_t>(cubin_.constants_address >> 32);
    load.offset = static_cast<std::int32_t>(offset);
    const Operand result = operands_.loaded(rows);
    load.destination = result.index;
    load.destination_rows = result.rows;
    emit(load);
    return result;
}

namespace {

/// The number of a predicate whose field is at the bit. In a row of opcodes.def `named` stands before uniform ones.
std::uint8_t predicate_at(const Instruction& from, unsigned bit, std::string_view named, std::uint8_t always) {
    const auto number = static_cast<std::uint8_t>(from.word.bits(bit, 3));
    if (number == kTrue) { return always; }
    const bool uniform = from.opcode->operands.find_first_of(named) != std::string_view::npos;
    return static_cast<std::uint8_t>(number + (uniform ? isa::kFirstUniformPredicate : 0));
}

}  // namespace

std::uint8_t written_predicate(const Instruction& from, unsigned bit) {
    return predicate_at(from, bit, "P", isa::kNoPredicate);
}

void set_predicate(const Instruction& from, isa::Instruction& to, unsigned bit) {
    to.source_predicate = predicate_at(from, bit, "QX", isa::kTruePredicate);
    to.source_predicate_negated = from.word.bit(bit + 3);
}

void set_predicate2(const Instruction& from, isa::Instruction& to, unsigned bit) {
    to.source_predicate2 = predicate_at(from, bit, "QX", isa::kTruePredicate);
    to.source_predicate2_negated = from.word.bit(bit + 3);
}

}  // namespace lookahead::native
