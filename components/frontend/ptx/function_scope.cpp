#include "components/frontend/ptx/function_scope.h"

#include <utility>

#include <fmt/format.h>

#include "components/frontend/ptx/lexer.h"
#include "components/frontend/ptx/problem.h"
#include "core/text/read_number.h"

namespace lookahead::ptx {
namespace {

/// The number that `digits` spells, if it has no leading zeros.
std::optional<std::uint32_t> plain_number(std::string_view digits) {
    std::uint32_t value = 0;
    const bool has_leading_zero = digits.size() > 1 && digits[0] == '0';
    return !has_leading_zero && read_number(digits, value) ? std::optional(value) : std::nullopt;
}

}  // namespace

FunctionScope::FunctionScope(Function& function, const SymbolTable& module_names)
    : function_(function), module_names_(module_names) {
    open_block();
}

void FunctionScope::open_block() {
    blocks_.emplace_back();
}

void FunctionScope::close_block() {
    Block closed = std::move(blocks_.back());
    blocks_.pop_back();
    for (LabelUse& use : closed.uses) {
        const auto label = closed.labels.find(use.label);
        if (label != closed.labels.end()) {
            resolve(use, label->second);
        } else if (!blocks_.empty()) {
            use_label(std::move(use));
        } else {
            const Instruction& instruction = function_.instructions[use.instruction];
            throw Problem{instruction.line,
                          fmt::format("no label `{}` in this block or an enclosing one in function `{}`", use.label,
                                      function_.name),
                          instruction.text};
        }
    }
}

void FunctionScope::resolve(const LabelUse& use, std::uint32_t target) {
    Operand& operand = function_.instructions[use.instruction].operands[use.operand];
    (use.element ? operand.targets[*use.element] : operand.target) = target;
}

/// The range that contains `name`. Tries all divisions into prefix and number, because prefixes may end with digits.
const FunctionScope::RegisterRange* FunctionScope::range_of(const Block& block, const std::string& name) {
    if (block.ranges.empty()) { return nullptr; }
    for (std::size_t cut = name.size(); cut > 1 && is_digit(name[cut - 1]); --cut) {
        const auto number = plain_number(std::string_view(name).substr(cut - 1));
        if (!number) { continue; }
        const auto range = block.ranges.find(name.substr(0, cut - 1));
        if (range != block.ranges.end() && *number < range->second.count) { return &range->second; }
    }
    return nullptr;
}

void FunctionScope::refuse_duplicate(std::string_view name, std::uint32_t line) const {
    const Block& block = blocks_.back();
    const std::string key(name);
    if (block.registers.contains(key) || block.symbols.contains(key) || block.labels.contains(key) ||
        block.branch_targets.contains(key) || block.prototypes.contains(key) || range_of(block, key) != nullptr) {
        fail(line, "`{}` is declared twice in the same block", key);
    }
}

void FunctionScope::declare_registers(std::string_view prefix, std::uint32_t count, Type type, std::uint32_t line) {
    Block& block = blocks_.back();
    const RegisterRange range{count, type};
    if (!block.ranges.emplace(prefix, range).second) {
        fail(line, "the registers `{}<...>` are declared twice in the same block", prefix);
    }
    for (const auto& [name, reg] : block.registers) {
        if (!name.starts_with(prefix)) { continue; }
        const auto number = plain_number(std::string_view(name).substr(prefix.size()));
        if (number && *number < count) { fail(line, "`{}` is declared twice in the same block", name); }
    }
}

void FunctionScope::declare_label(std::string_view name, std::uint32_t line) {
    const auto index = static_cast<std::uint32_t>(function_.instructions.size());
    declare(&Block::labels, name, index, line);
    function_.labels.push_back({std::string(name), index});
}

std::uint32_t FunctionScope::materialise(const std::string& name, RegisterName& reg) {
    if (!reg.index) {
        reg.index = static_cast<std::uint32_t>(function_.registers.size());
        function_.registers.push_back({name, reg.type});
    }
    return *reg.index;
}

std::optional<Meaning> FunctionScope::find_in(Block& block, const std::string& name) {
    if (const auto found = block.registers.find(name); found != block.registers.end()) {
        return Meaning{true, materialise(name, found->second), {}};
    }
    if (const RegisterRange* range = range_of(block, name)) {
        RegisterName& reg = block.registers.emplace(name, RegisterName{range->type, std::nullopt}).first->second;
        return Meaning{true, materialise(name, reg), {}};
    }
    if (const auto found = block.symbols.find(name); found != block.symbols.end()) {
        return Meaning{false, 0, found->second};
    }
    return std::nullopt;
}

std::optional<Meaning> FunctionScope::find(std::string_view name) {
    const std::string key(name);
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        if (auto meaning = find_in(*block, key)) { return meaning; }
    }
    const auto found = module_names_.find(key);
    if (found == module_names_.end()) { return std::nullopt; }
    return Meaning{false, 0, found->second};
}

}  // namespace lookahead::ptx
