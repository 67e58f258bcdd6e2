#include "components/frontend/trace/traced_form.h"

#include <algorithm>
#include <iterator>

#include "components/isa/kernel_frame.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead::trace {
namespace {

using isa::Operand;
using isa::Operation;
using isa::Space;
using isa::Type;

struct Form {
    std::string_view name;
    Operation operation;
    Type type;
    std::uint8_t rows;
};

constexpr Form kForms[] = {
#define FORM(name, operation, type, rows) {name, Operation::operation, Type::type, rows},
#include "components/frontend/trace/forms.def"
};

/// The opcode's first `count` words: "IMAD.WIDE" of "IMAD.WIDE.U32".
std::string_view words_of(std::string_view opcode, int count) {
    std::size_t end = 0;
    while (count-- > 0 && end != std::string_view::npos) { end = opcode.find('.', end + (end != 0)); }
    return opcode.substr(0, end);
}

bool has_modifier(std::string_view opcode, std::string_view modifier) {
    for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos; dot = opcode.find('.', dot + 1)) {
        const std::string_view rest = opcode.substr(dot + 1);
        if (rest.substr(0, rest.find('.')) == modifier) { return true; }
    }
    return false;
}

const Form* find_form(std::string_view opcode) {
    for (const int count : {2, 1}) {
        const auto form = std::ranges::find(kForms, words_of(opcode, count), &Form::name);
        if (form != std::end(kForms)) { return form; }
    }
    return nullptr;
}

Space space_of(std::string_view name) {
    if (name == "LD" || name == "ST" || name == "ATOM") { return Space::generic; }
    if (name == "LDS" || name == "STS" || name == "ATOMS" || name == "REDS") { return Space::shared; }
    return name == "LDL" || name == "STL" ? Space::local : Space::global;
}

isa::AtomicOp atomic_of(std::string_view opcode) {
    using enum isa::AtomicOp;
    constexpr std::pair<std::string_view, isa::AtomicOp> kNames[] = {
        {"MIN", min},   {"MAX", max},     {"INC", inc},   {"DEC", dec}, {"AND", bit_and},
        {"OR", bit_or}, {"XOR", bit_xor}, {"EXCH", exch}, {"CAS", cas}, {"CAST", cas},
    };
    const auto name = std::ranges::find_if(kNames, [&](const auto& each) { return has_modifier(opcode, each.first); });
    return name == std::end(kNames) ? add : name->second;
}

/// A trace does not say where in its bank a constant is: loads are of the launch's first line of constants.
bool reads_constants(std::string_view name) {
    return name == "LDC" || name == "ULDC" || name == "LDCU";
}

Operand reg(std::uint32_t number, unsigned rows) {
    rows = std::min(rows, kScratchRegister - number);
    return {Operand::Kind::reg, static_cast<std::uint8_t>(rows), static_cast<std::uint16_t>(number)};
}

/// A load, store or atomic operation. Its registers with addresses are waited for in the sources that it has left.
void set_access(const TracedInstruction& from, isa::Instruction& to, std::uint16_t zeros) {
    const std::string_view name = words_of(from.opcode, 1);
    if (from.width == 0 || (from.width & (from.width - 1)) != 0 || from.width > 16) {
        throw InputError("{} accesses {} bytes a lane; a power of two up to 16 is possible", from.opcode, from.width);
    }
    const unsigned rows = std::max(from.width / 4, 1u);
    to.space = space_of(name);
    to.type = from.width == 1 ? Type::u8 : from.width == 2 ? Type::u16 : Type::b32;
    to.vector = static_cast<std::uint8_t>(rows);
    std::vector<std::uint32_t> sources = from.sources;
    unsigned free = 1;  // the first source for a register with an address
    if (!isa::is_load(to.operation)) {
        // The data follow the address, and for a compare-and-swap there are two.
        const bool atomic = !isa::is_store(to.operation);
        unsigned words = rows;
        if (atomic) {
            to.atomic = atomic_of(from.opcode);
            to.type = from.width == 8 ? Type::u64 : Type::u32;
            to.vector = 1;
            words = from.width == 8 ? 2 : 1;
            if (to.operation == Operation::atomic && from.destinations.empty()) { to.operation = Operation::reduce; }
        }
        const unsigned operands = to.atomic == isa::AtomicOp::cas ? 2 : 1;
        for (unsigned place = operands; place > 0; --place) {
            std::uint32_t data = kZeroRegister;
            if (!sources.empty()) {
                data = sources.back();
                sources.pop_back();
            }
            const bool fits = data + words <= kScratchRegister && data != kZeroRegister;
            to.source[place] =
                fits ? reg(data, words) : Operand{Operand::Kind::constant, static_cast<std::uint8_t>(words), zeros};
        }
        free = operands + 1;
    }
    const bool wide = has_modifier(from.opcode, "E") && to.space != Space::shared && to.space != Space::local;
    for (const std::uint32_t source : sources) {
        if (source != kZeroRegister && free < std::size(to.source)) { to.source[free++] = reg(source, wide ? 2 : 1); }
    }
    if (isa::is_load(to.operation) || to.operation == Operation::atomic) {
        const bool named = !from.destinations.empty() && from.destinations.front() + rows <= kScratchRegister &&
                           from.destinations.front() != kZeroRegister;
        to.destination = static_cast<std::uint16_t>(named ? from.destinations.front() : kScratchRegister);
        to.destination_rows = static_cast<std::uint8_t>(rows);
    }
}

void set_barrier(const TracedInstruction& from, isa::Instruction& to) {
    if (has_modifier(from.opcode, "ARV")) {
        throw InputError("{}: a trace does not say for how many threads the barrier is", from.opcode);
    }
    to.mode = 0;
}

}  // namespace

isa::Instruction machine_form(const TracedInstruction& traced, std::uint16_t zeros) {
    const Form* form = find_form(traced.opcode);
    if (form == nullptr) { throw InputError("the machine has no instruction {}", traced.opcode); }
    isa::Instruction to;
    to.operation = form->operation;
    to.type = form->type;
    to.guard = 0;
    if (isa::is_memory(form->operation)) {
        set_access(traced, to, zeros);
        return to;
    }
    if (form->operation == Operation::barrier) { set_barrier(traced, to); }
    if (form->operation == Operation::membar) {
        to.order = isa::Order::acq_rel;
        to.scope = has_modifier(traced.opcode, "CTA")   ? isa::Scope::cta
                   : has_modifier(traced.opcode, "SYS") ? isa::Scope::sys
                                                        : isa::Scope::gpu;
    }
    if (form->operation == Operation::convert) {
        const bool wide = has_modifier(traced.opcode, "F64") || has_modifier(traced.opcode, "64");
        to.source_type = to.type;
        if (wide) { to.type = Type::f64; }
    }
    to.uniform = traced.opcode.starts_with("U") || words_of(traced.opcode, 1) == "S2UR";
    unsigned place = 0;
    if (reads_constants(words_of(traced.opcode, 1))) {
        to.source[place++] = {Operand::Kind::constant, 1, static_cast<std::uint16_t>(isa::LaunchRow::ntid_x)};
    }
    for (const std::uint32_t source : traced.sources) {
        if (source == kZeroRegister || place == std::size(to.source)) { continue; }
        to.source[place++] = reg(source, form->type == Type::f64 ? 2 : 1);
    }
    if (form->rows != 0 && !traced.destinations.empty() && traced.destinations.front() != kZeroRegister) {
        to.destination = static_cast<std::uint16_t>(traced.destinations.front());
        const bool wide_result = form->operation == Operation::convert && to.type == Type::f64;
        to.destination_rows = static_cast<std::uint8_t>(
            std::min<std::uint32_t>(wide_result ? 2 : form->rows, kScratchRegister - to.destination));
    }
    return to;
}

}  // namespace lookahead::trace
