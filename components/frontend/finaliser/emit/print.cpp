#include "components/frontend/finaliser/emit/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "components/isa/instruction.h"
#include "components/isa/memory_access.h"
#include "components/isa/texture.h"

namespace lookahead::finaliser {

using isa::Instruction;
using isa::Operand;
using isa::Operation;

namespace {

// Names in the order of the enumerations of components/isa/operation.h; the assertions notice a new last member.
constexpr std::array kTypes = {"",   "B8",  "B16", "B32", "B64", "U8",    "U16", "U32", "U64",
                               "S8", "S16", "S32", "S64", "F16", "F16X2", "F32", "F64", ""};
static_assert(kTypes.size() == static_cast<std::size_t>(isa::Type::pred) + 1);

constexpr std::array kComparisons = {"",    "EQ",  "NE",  "LT",  "LE",  "GT",  "GE", "EQU",
                                     "NEU", "LTU", "LEU", "GTU", "GEU", "NUM", "NAN"};
static_assert(kComparisons.size() == static_cast<std::size_t>(isa::Comparison::nan) + 1);

constexpr std::array kCombines = {"", "AND", "OR", "XOR"};
constexpr std::array kRoundings = {"", "", "RZ", "RM", "RP", "RNI", "RZI", "RMI", "RPI", "APPROX", "FULL"};
static_assert(kRoundings.size() == static_cast<std::size_t>(isa::Rounding::full) + 1);

constexpr std::array kSpaces = {"", "GLOBAL", "SHARED", "LOCAL", "CONST", ""};
static_assert(kSpaces.size() == static_cast<std::size_t>(isa::Space::generic) + 1);

constexpr std::array kOrders = {"", "VOLATILE", "RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SC"};
static_assert(kOrders.size() == static_cast<std::size_t>(isa::Order::sc) + 1);

constexpr std::array kScopes = {"", "CTA", "GPU", "SYS"};
static_assert(kScopes.size() == static_cast<std::size_t>(isa::Scope::sys) + 1);

constexpr std::array kAtomics = {"", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS"};
static_assert(kAtomics.size() == static_cast<std::size_t>(isa::AtomicOp::cas) + 1);

constexpr std::array kSpecials = {"",       "TID.X",  "TID.Y",   "TID.Z", "CTAID.X", "CTAID.Y",     "CTAID.Z",
                                  "LANEID", "WARPID", "NWARPID", "SMID",  "NSMID",   "EQMASK",      "LEMASK",
                                  "LTMASK", "GEMASK", "GTMASK",  "CLOCK", "CLOCK64", "GLOBALTIMER", "GRIDID"};
static_assert(kSpecials.size() == static_cast<std::size_t>(isa::SpecialRegister::gridid) + 1);

constexpr std::array kLaunchRows = {"ntid.x",   "ntid.y",   "ntid.z",       "nctaid.x",
                                    "nctaid.y", "nctaid.z", "dynamic_smem", "zero"};
static_assert(kLaunchRows.size() == static_cast<std::size_t>(isa::LaunchRow::count));

template <typename Names, typename Value>
std::string suffix(const Names& names, Value value) {
    const std::string_view name = names[static_cast<std::size_t>(value)];
    return name.empty() ? std::string() : fmt::format(".{}", name);
}

/// The names of the modes of operations that have some.
struct ModeNames {
    Operation operation;
    std::array<const char*, 7> names;
};
constexpr ModeNames kModes[] = {
    {Operation::shuffle, {"UP", "DOWN", "BFLY", "IDX"}},
    {Operation::vote, {"ALL", "ANY", "UNI", "BALLOT"}},
    {Operation::match, {"ANY", "ALL"}},
    {Operation::shf_l, {"CLAMP", "WRAP", "U64"}},
    {Operation::shf_r, {"CLAMP", "WRAP", "U64"}},
    {Operation::bfind, {"", "SH"}},
    {Operation::prmt, {"", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"}},
    {Operation::barrier, {"SYNC", "ARV", "RED.POPC", "RED.AND", "RED.OR"}},
    {Operation::enqueue, {"ADDR", "DATA", "PRED", "LANES"}},
    {Operation::dequeue, {"ADDR", "DATA", "PRED", "LANES"}},
    {Operation::texture, {"1D", "2D", "3D", "1D.ARRAY", "2D.ARRAY", "CUBE"}},
};

std::string mode_suffix(const Instruction& instruction) {
    const auto* const found = std::ranges::find(kModes, instruction.operation, &ModeNames::operation);
    if (found == std::end(kModes)) { return {}; }
    if (instruction.operation == Operation::barrier) { return suffix(found->names, instruction.barrier); }
    if (instruction.operation != Operation::texture) { return suffix(found->names, instruction.mode); }
    return isa::is_gather(instruction) ? ".GATHER" : suffix(found->names, isa::geometry_of(instruction));
}

/// Whether NVIDIA's names omit the result's type, because the operation or the source's type implies it.
bool type_is_implied(Operation operation) {
    return operation == Operation::read_special || operation == Operation::mul_wide || operation == Operation::mad_wide;
}

std::string mnemonic(const Instruction& instruction) {
    std::string text(isa::info_of(instruction.operation).text);
    text += mode_suffix(instruction);
    if (instruction.operation == Operation::setp && instruction.mode != 0) { text += ".EX"; }
    text += suffix(kComparisons, instruction.comparison) + suffix(kCombines, instruction.combine);
    text += suffix(kSpaces, instruction.space) + suffix(kAtomics, instruction.atomic);
    text += suffix(kOrders, instruction.order) + suffix(kScopes, instruction.scope);
    if (instruction.vector > 1) { text += fmt::format(".V{}", instruction.vector); }
    if (!type_is_implied(instruction.operation)) { text += suffix(kTypes, instruction.type); }
    text += suffix(kTypes, instruction.source_type) + suffix(kRoundings, instruction.rounding);
    if (instruction.flush_to_zero) { text += ".FTZ"; }
    if (instruction.saturate) { text += ".SAT"; }
    return text;
}

std::string register_text(std::uint32_t first, unsigned rows) {
    return rows == 1 ? fmt::format("R{}", first) : fmt::format("R{}:{}", first, first + rows - 1);
}

std::string predicate_text(std::uint8_t predicate, bool negated) {
    const char* sign = negated ? "!" : "";
    return predicate == isa::kTruePredicate ? fmt::format("{}PT", sign) : fmt::format("{}P{}", sign, predicate);
}

std::string constant_text(const isa::Kernel& kernel, const Operand& operand) {
    const std::uint32_t index = operand.index;
    if (operand.rows == 1 && index == static_cast<std::uint32_t>(isa::LaunchRow::zero)) { return "RZ"; }
    if (index < isa::kFirstParameterRow) { return fmt::format("c[{}]", kLaunchRows[index]); }
    if (index < kernel.first_literal_row()) {
        return fmt::format("c[param+{:#x}]", (index - isa::kFirstParameterRow) * 4);
    }
    const std::uint32_t literal = index - kernel.first_literal_row();
    if (literal + operand.rows > kernel.literals.size()) { return fmt::format("c[row {}?]", index); }
    if (operand.rows == 2) {
        return fmt::format("{:#x}", kernel.literals[literal] | std::uint64_t{kernel.literals[literal + 1]} << 32);
    }
    return fmt::format("{:#x}", kernel.literals[literal]);
}

std::string operand_text(const isa::Kernel& kernel, const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) { return register_text(operand.index, operand.rows); }
    return constant_text(kernel, operand);
}

std::string address_text(const isa::Kernel& kernel, const Instruction& instruction) {
    std::string text = fmt::format("[{}", operand_text(kernel, instruction.source[0]));
    if (instruction.offset > 0) { text += fmt::format("+{:#x}", instruction.offset); }
    if (instruction.offset < 0) { text += fmt::format("-{:#x}", -std::int64_t{instruction.offset}); }
    return fmt::format("{}]", text);
}

std::vector<std::string> operands_of(const isa::Kernel& kernel, const Instruction& instruction) {
    std::vector<std::string> parts;
    if (instruction.destination_rows != 0) {
        parts.push_back(register_text(instruction.destination, instruction.destination_rows));
    }
    for (std::uint8_t predicate : {instruction.destination_predicate, instruction.destination_predicate2}) {
        if (predicate != isa::kNoPredicate) { parts.push_back(predicate_text(predicate, false)); }
    }
    if (instruction.operation == Operation::read_special) {
        parts.push_back(fmt::format("SR_{}", kSpecials[static_cast<std::size_t>(instruction.special)]));
    }
    if (instruction.operation == Operation::barrier && instruction.source[0].kind == Operand::Kind::none) {
        parts.push_back(fmt::format("{:#x}", instruction.mode));
    }
    if (instruction.dequeues && isa::is_memory(instruction.operation)) {
        const bool requests = isa::queue_entry_of(instruction) == isa::QueueMode::data;
        parts.emplace_back(requests ? "[deq.data]" : "[deq.addr]");
    }
    const bool has_address = isa::is_memory(instruction.operation) || instruction.operation == Operation::enqueue;
    for (std::size_t i = 0; i < std::size(instruction.source); ++i) {
        if (instruction.source[i].kind == Operand::Kind::none) { continue; }
        parts.push_back(i == 0 && has_address ? address_text(kernel, instruction)
                                              : operand_text(kernel, instruction.source[i]));
    }
    if (instruction.operation == Operation::lop3) { parts.push_back(fmt::format("{:#04x}", instruction.mode)); }
    if (instruction.source_predicate != isa::kNoPredicate) {
        parts.push_back(predicate_text(instruction.source_predicate, instruction.source_predicate_negated));
    }
    if (instruction.source_predicate2 != isa::kNoPredicate) {
        parts.push_back(predicate_text(instruction.source_predicate2, instruction.source_predicate2_negated));
    }
    if (instruction.operation == Operation::bra) {
        parts.push_back(fmt::format("{:#06x}", instruction.target * isa::kInstructionBytes));
    }
    return parts;
}

}  // namespace

std::string print(const isa::Kernel& kernel, std::uint32_t index) {
    const Instruction& instruction = kernel.code[index];
    std::string text;
    if (instruction.guard != isa::kTruePredicate) {
        text = fmt::format("@{} ", predicate_text(instruction.guard, instruction.guard_negated));
    }
    if (instruction.operation == Operation::bra && instruction.dequeues) {
        text = instruction.guard_negated ? "@!deq.pred " : "@deq.pred ";
    }
    text += mnemonic(instruction);
    const char* separator = " ";
    for (const std::string& part : operands_of(kernel, instruction)) {
        text += separator + part;
        separator = ", ";
    }
    text += " ;";
    if (instruction.reconvergence != isa::kNoTarget) {
        text += fmt::format("  // joins at {:#06x}", instruction.reconvergence * isa::kInstructionBytes);
    }
    return text;
}

std::string print(const isa::Kernel& kernel) {
    std::string text = fmt::format("// {}: {} registers, {} predicates, {} bytes of shared memory\n", kernel.name,
                                   kernel.registers, kernel.predicates, kernel.static_shared_bytes);
    for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
        text += fmt::format("/*{:04x}*/  {}\n", i * isa::kInstructionBytes, print(kernel, i));
    }
    return text;
}

}  // namespace lookahead::finaliser
