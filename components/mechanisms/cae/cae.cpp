#include "components/mechanisms/cae/cae.h"

#include <algorithm>
#include <bit>

#include "core/bits/one_of.h"
#include "core/bits/set_bits.h"
#include "core/error/error.h"
#include "core/mutation/rule.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::cae {

using gpu::DecodedInstruction;
using gpu::IssueExtension;
using gpu::Stream;
using isa::Instruction;
using isa::LaneMask;
using isa::Operand;
using isa::Operation;

namespace {

/// Whether value(lane) is base + lane * offset, modulo 2 to `width`, for all of the lanes.
Kind kind_of_values(LaneMask lanes, unsigned width, auto value) {
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const LaneMask rest = lanes & (lanes - 1);
    if (rest == 0) { return Kind::scalar; }
    const auto second = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t step = (value(second) - value(first)) & mask;
    if (second != first + 1 && step != 0) {
        return Kind::vector;  // the unit takes the offset from two adjacent lanes
    }
    for (const unsigned lane : SetBits(rest)) {
        if (((value(lane) - value(first) - step * (lane - first)) & mask) != 0) { return Kind::vector; }
    }
    return step == 0 ? Kind::scalar : Kind::affine;
}

std::uint64_t extend(std::uint64_t value, isa::Type type) {
    if (!isa::is_signed(type)) { return value & 0xffffffffu; }
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
}

bool of_words(isa::Type type) {
    return !isa::is_floating(type) && (isa::bits(type) == 32 || isa::bits(type) == 64);
}

}  // namespace

Cae::Cae(const CaeParameters& parameters, const gpu::IssueExtensionArguments& arguments)
    : IssueExtension(arguments), parameters_(parameters) {}

LOOKAHEAD_REGISTER_VARIANT(IssueExtension, Cae, "cae",
                           "Compact affine execution: instructions on values that are equal or linear over a warp's "
                           "threads go to affine units.",
                           "Kim et al., ISCA 2013")

void Cae::begin_launch() {
    registers_ = state_.kernel->first_predicate_bit();
    tuples_.assign(state_.warps.size() * registers_, 0);
}

void Cae::warp_started(unsigned context) {
    attend(context, true);
    std::fill_n(tuples_.begin() + context * registers_, registers_, std::uint8_t{0});
    last_[context] = {};
}

// ---- Operands -------------------------------------------------------------------------------------------------------

void Cae::mark(unsigned context, const Instruction& instruction, bool tuple) {
    std::fill_n(tuples_.begin() + context * registers_ + instruction.destination, instruction.destination_rows,
                static_cast<std::uint8_t>(tuple));
}

std::uint64_t Cae::value(unsigned context, const Operand& operand, unsigned lane) const {
    const std::uint16_t* map = state_.warps.map.of(context);
    const std::uint64_t low = state_.registers.row(map[operand.index])[lane];
    return operand.rows < 2 ? low : low | std::uint64_t{state_.registers.row(map[operand.index + 1])[lane]} << 32;
}

/// The kind of an operand. A marked register is no tuple if its values wrap around in a wider operand or when they are
/// extended (`widened_from`): the unit sees this from its first and last thread.
Kind Cae::kind_of(unsigned context, const Operand& operand, LaneMask lanes, isa::Type widened_from) const {
    if (operand.kind != Operand::Kind::reg) { return Kind::scalar; }
    for (unsigned row = 0; row < operand.rows; ++row) {
        if (!is_tuple(context, operand.index + row)) { return Kind::vector; }
    }
    if (operand.rows > 2) { return Kind::vector; }
    if (widened_from != isa::Type::none && LOOKAHEAD_RULE(extended_tuples_do_not_wrap)) {
        return kind_of_values(lanes, 64,
                              [&](unsigned lane) { return extend(value(context, operand, lane), widened_from); });
    }
    return kind_of_values(lanes, operand.rows == 2 ? 64 : 32,
                          [&](unsigned lane) { return value(context, operand, lane); });
}

/// Thread indices are tuples if all threads of the warp are in one row of the block.
bool Cae::special_is_tuple(unsigned context, const Instruction& instruction, LaneMask lanes) const {
    isa::Row values[2];
    sm_.execute.read_special(context, instruction, state_.now, values);
    const unsigned width = instruction.destination_rows == 2 ? 64 : 32;
    return kind_of_values(lanes, width, [&](unsigned lane) {
               return std::uint64_t{values[0].lanes[lane]} |
                      (width == 64 ? std::uint64_t{values[1].lanes[lane]} << 32 : 0);
           }) != Kind::vector;
}

Kind Cae::worst_kind(unsigned context, const DecodedInstruction& decoded, LaneMask lanes) const {
    Kind worst = Kind::scalar;
    for (const Operand& source : decoded.instruction->source) {
        worst = std::max(worst, kind_of(context, source, lanes));
    }
    return worst;
}

// ---- What the affine units execute ----------------------------------------------------------------------------------

/// The affine unit takes sums, products by a scalar and shifts of tuples, with one ALU for the base and one for the
/// offset, and all other integer operations on scalars, except min, max, abs and remainders, which "cannot be handled
/// by previous affine computation" (Wang and Lin, section 3).
bool Cae::takes_tuples(unsigned context, const DecodedInstruction& decoded, LaneMask lanes) const {
    const Instruction& instruction = *decoded.instruction;
    const auto kind = [&](unsigned source, isa::Type widened_from = isa::Type::none) {
        return kind_of(context, instruction.source[source], lanes, widened_from);
    };
    const auto product = [&](isa::Type widened_from) {
        const Kind first = kind(0, widened_from), second = kind(1, widened_from);
        return std::max(first, second) != Kind::vector && std::min(first, second) == Kind::scalar;
    };
    const Operation operation = instruction.operation;
    if (operation == Operation::read_special) { return special_is_tuple(context, instruction, lanes); }
    if (operation == Operation::mov) { return kind(0) != Kind::vector && instruction.source[0].rows <= 2; }
    if (!of_words(instruction.type) || instruction.saturate) { return false; }
    switch (operation) {
        case Operation::add:
        case Operation::sub:
            return std::max(kind(0), kind(1)) != Kind::vector;
        case Operation::neg:
            return kind(0) != Kind::vector;
        case Operation::mul_lo:
            return product(isa::Type::none);
        case Operation::mul_wide:
            return isa::bits(instruction.source_type) == 32 && product(instruction.source_type);
        case Operation::mad_lo:
            return product(isa::Type::none) && kind(2) != Kind::vector;
        case Operation::mad_wide:
            return isa::bits(instruction.source_type) == 32 && product(instruction.source_type) &&
                   kind(2) != Kind::vector;
        case Operation::shl:
            return kind(0) != Kind::vector && kind(1) == Kind::scalar;
        case Operation::convert: {
            const bool widens = isa::bits(instruction.type) > isa::bits(instruction.source_type);
            return of_words(instruction.source_type) &&
                   kind(0, widens ? instruction.source_type : isa::Type::none) != Kind::vector;
        }
        default:
            break;
    }
    using enum Operation;
    return (is_one_of(operation, bit_and, bit_or, bit_xor, bit_not, shr) ||
            (operation == setp && instruction.combine == isa::Combine::none)) &&
           worst_kind(context, decoded, lanes) == Kind::scalar;
}

/// Whether the next instruction goes to the affine unit: all remaining threads of the warp execute it, on tuples.
bool Cae::is_affine(unsigned context) const {
    const Stream& stream = state_.warps.streams[context];
    const DecodedInstruction& decoded = (*state_.kernel)[stream.stack.pc()];
    if (decoded.action != gpu::Action::alu && decoded.action != gpu::Action::special_register) { return false; }
    const LaneMask lanes = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    if (lanes == 0 || lanes != stream.stack.alive()) { return false; }
    return takes_tuples(context, decoded, lanes);
}

// ---- Issue ----------------------------------------------------------------------------------------------------------

/// Each scheduler has its own affine unit, which takes an instruction each cycle, so nothing waits for it.
bool Cae::classify(unsigned context) {
    const Stream& stream = state_.warps.streams[context];
    const std::uint32_t pc = stream.stack.pc();
    if (stream.buffered == 0) { return false; }
    const gpu::ContextState ready = gpu::ready_for((*state_.kernel)[pc].unit);
    if (state_.waits_for(state_.warps, context, pc, state_.kernel->needs(pc)) != ready || !is_affine(context)) {
        return false;
    }
    state_.enter(context, gpu::ready_for(gpu::ExecutionUnit::control));
    return true;
}

void Cae::before_execution(unsigned context, Cycle now) {
    compare(context);
    const Stream& stream = state_.warps.streams[context];
    const DecodedInstruction& decoded = (*state_.kernel)[stream.stack.pc()];
    const Instruction& instruction = *decoded.instruction;
    const LaneMask lanes = decoded.guarded_lanes(stream.stack.active(), stream.predicates);
    own_ = is_affine(context);
    if (own_) {
        const bool scalars =
            worst_kind(context, decoded, lanes) == Kind::scalar && instruction.operation != Operation::read_special;
        const gpu::InstructionClass instruction_class = decoded.instruction_class;
        ++counters_.instructions;
        counters_.of_scalars += scalars;
        counters_.multiplications += instruction_class == gpu::InstructionClass::integer_multiply ||
                                     instruction_class == gpu::InstructionClass::integer_mad;
        counters_.threads += static_cast<unsigned>(std::popcount(lanes));
        sm_.issue.free_slot(context % sm_.issue.schedulers(), now + 1);
    } else if (lanes != 0 && lanes != stream.stack.alive() &&
               (decoded.action == gpu::Action::alu || decoded.action == gpu::Action::special_register)) {
        counters_.divergent += takes_tuples(context, decoded, lanes);
    }
    written(context, instruction, lanes, own_);
    if (own_ && parameters_.check) { last_[context] = {instruction.destination, instruction.destination_rows}; }
}

/// Operands and result are in the affine register file: the instruction waits for no collector and no bank. Its
/// pipeline is as long as the others.
Cycle Cae::enters(unsigned context, Cycle now) {
    if (!own_) { return gpu::kNever; }
    const unsigned reads = (*state_.kernel)[state_.warps.streams[context].stack.pc()].reads;
    return sm_.issue.has_collectors() ? now + gpu::OperandCollectors::shortest_way(reads) : now;
}

/// "CAE must use the SIMT lanes to expand any affine tuples involved in divergence back to vector values" (section
/// 5.4): before some threads write a tuple's register, the lanes write the values of all others.
void Cae::written(unsigned context, const Instruction& instruction, LaneMask lanes, bool tuple) {
    if (instruction.destination_rows == 0 || lanes == 0) { return; }
    const auto first = tuples_.begin() + context * registers_ + instruction.destination;
    const bool was_tuple =
        std::any_of(first, first + instruction.destination_rows, [](auto mark) { return mark != 0; });
    if (was_tuple && lanes != state_.warps.streams[context].stack.alive() && LOOKAHEAD_RULE(partial_write_expands)) {
        ++counters_.expansions;
        sm_.issue.hold(context % sm_.issue.schedulers(), 2 * sm_.issue.interval(), state_.now);
    }
    mark(context, instruction, tuple);
}

void Cae::supplied(unsigned context, std::uint32_t pc, LaneMask lanes) {
    compare(context);
    written(context, *(*state_.kernel)[pc].instruction, lanes, false);
}

void Cae::compare(unsigned context) {
    const Written last = std::exchange(last_[context], {});
    if (last.rows == 0) { return; }
    const LaneMask lanes = state_.warps.streams[context].stack.alive();
    const Operand operand{Operand::Kind::reg, last.rows, last.first};
    const bool tuple = lanes == 0 || kind_of_values(lanes, last.rows == 2 ? 64 : 32, [&](unsigned lane) {
                                         return value(context, operand, lane);
                                     }) != Kind::vector;
    LOOKAHEAD_ASSERT(tuple, "{}: what the affine unit wrote is not a tuple", sm_.execute.place_of(context));
}

// ---- Statistics and state -------------------------------------------------------------------------------------------

LOOKAHEAD_REGISTER_STATISTICS(CaeCounters, "cae", "Compact affine execution on an SM.")

void Cae::fields(StateArchive& archive) {
    archive& counters_;
    if (state_.launch.active) { archive& tuples_& last_; }
}

}  // namespace lookahead::cae
