#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "components/frontend/ptx/function.h"

namespace lookahead::ptx {

/// The meaning of a name in an operand.
struct Meaning {
    bool is_register = false;
    std::uint32_t reg = 0;  ///< index into Function::registers
    SymbolReference symbol;
};

/// Names of variables and functions of a module.
using SymbolTable = std::unordered_map<std::string, SymbolReference>;

/// Where an instruction names a label; filled in when the block that declares the label ends.
struct LabelUse {
    std::uint32_t instruction = 0;
    std::uint32_t operand = 0;
    std::optional<std::uint32_t> element;  ///< of Operand::targets
    std::string label;
};

/// The names of a function: registers, variables, labels, in nested blocks whose names hide those outside. Labels can
/// be used before they are declared, everything else must come first. A register enters Function::registers when an
/// operand first names it, so that `.reg .b32 %r<5000>` costs nothing.
class FunctionScope {
  public:
    FunctionScope(Function& function, const SymbolTable& module_names);

    void open_block();
    /// Resolves the labels used in the block. Labels that it does not declare are left to the surrounding block, and at
    /// the function's end are a Problem.
    void close_block();
    std::size_t open_blocks() const { return blocks_.size(); }

    // The following throw Problem at `line` if the innermost block has the name already.
    void declare_register(std::string_view name, Type type, std::uint32_t line) {
        declare(&Block::registers, name, RegisterName{type, std::nullopt}, line);
    }
    /// `prefix<count>`: prefix0 ... prefix(count - 1).
    void declare_registers(std::string_view prefix, std::uint32_t count, Type type, std::uint32_t line);
    void declare_symbol(std::string_view name, SymbolReference symbol, std::uint32_t line) {
        declare(&Block::symbols, name, symbol, line);
    }
    void declare_label(std::string_view name, std::uint32_t line);
    void declare_branch_targets(std::string_view name, std::vector<std::string> labels, std::uint32_t line) {
        declare(&Block::branch_targets, name, std::move(labels), line);
    }
    void declare_prototype(std::string_view name, std::uint32_t index, std::uint32_t line) {
        declare(&Block::prototypes, name, index, line);
    }

    /// The meaning of a name in the innermost block that declares it, else in the module; nothing if none does.
    std::optional<Meaning> find(std::string_view name);
    // Null if no block has one of that name; later declarations invalidate them.
    const std::vector<std::string>* find_branch_targets(const std::string& name) const {
        return find_in_blocks(&Block::branch_targets, name);
    }
    const std::uint32_t* find_prototype(const std::string& name) const {
        return find_in_blocks(&Block::prototypes, name);
    }
    void use_label(LabelUse use) { blocks_.back().uses.push_back(std::move(use)); }

  private:
    template <class Value>
    using Names = std::unordered_map<std::string, Value>;
    struct RegisterName {
        Type type = Type::none;
        std::optional<std::uint32_t> index;
    };
    struct RegisterRange {
        std::uint32_t count = 0;
        Type type = Type::none;
    };
    struct Block {
        Names<RegisterName> registers;
        Names<RegisterRange> ranges;
        Names<SymbolReference> symbols;
        Names<std::uint32_t> labels;
        Names<std::vector<std::string>> branch_targets;
        Names<std::uint32_t> prototypes;
        std::vector<LabelUse> uses;
    };

    template <class Value>
    void declare(Names<Value> Block::*names, std::string_view name, Value value, std::uint32_t line) {
        refuse_duplicate(name, line);
        (blocks_.back().*names).emplace(name, std::move(value));
    }
    template <class Value>
    const Value* find_in_blocks(Names<Value> Block::*names, const std::string& name) const {
        for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
            const auto found = ((*block).*names).find(name);
            if (found != ((*block).*names).end()) { return &found->second; }
        }
        return nullptr;
    }

    static const RegisterRange* range_of(const Block& block, const std::string& name);
    void refuse_duplicate(std::string_view name, std::uint32_t line) const;
    std::optional<Meaning> find_in(Block& block, const std::string& name);
    std::uint32_t materialise(const std::string& name, RegisterName& reg);
    void resolve(const LabelUse& use, std::uint32_t target);

    Function& function_;
    const SymbolTable& module_names_;
    std::vector<Block> blocks_;
};

}  // namespace lookahead::ptx
