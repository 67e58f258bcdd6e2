#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/special_register.h"
#include "components/frontend/ptx/type.h"

namespace lookahead::ptx {

/// Which list of a module or function a symbol's index points into.
enum class SymbolKind : std::uint8_t {
    none,
    module_variable,    ///< Module::variables
    function_variable,  ///< Function::variables
    parameter,          ///< Function::parameters
    return_parameter,   ///< Function::return_parameters
    function,           ///< Module::functions
};

struct SymbolReference {
    SymbolKind kind = SymbolKind::none;
    std::uint32_t index = 0;

    friend bool operator==(const SymbolReference&, const SymbolReference&) = default;
};

enum class OperandKind : std::uint8_t {
    sink,       ///< `_`: an unused result
    reg,        ///< `reg`, with `negated` for `!p`
    immediate,  ///< `value` holds the bits
    special,    ///< `special`
    symbol,     ///< address of `symbol` + `value` as a number
    address,    ///< memory at [base + value]; base: `reg` if `symbol.kind` is none and `has_base`, `symbol`, or
                ///< nothing
    vector,     ///< `elements`: 2, 4, 8 or 16 of sink, reg, immediate
    label,      ///< `reg` is unused; `target` is the instruction's index
    labels,     ///< brx.idx's list: `targets`
    texture,    ///< `elements[0]`: texture object; the others: coordinates, as many as the geometry needs
    arguments,  ///< call's parenthesised list: `elements` are reg, immediate or symbol (a .param variable)
    prototype,  ///< .callprototype of an indirect call: `target` indexes Function::prototypes
};

/// One operand. Fields that its kind does not use keep their initial values.
struct Operand {
    OperandKind kind = OperandKind::sink;
    /// The type at which the instruction reads or writes this operand: s64 for the destination of
    /// mul.wide.s32. A register's own type may differ where PTX permits (same size, or wider in ld, st, cvt).
    /// For an address: the type of the address (u32 or u64). For vectors: the element's type.
    Type type = Type::none;
    bool negated = false;   ///< `!p`
    bool has_base = false;  ///< address: whether `reg` is the base register
    SpecialRegister special = SpecialRegister::tid_x;
    std::uint32_t reg = 0;     ///< index into Function::registers
    std::uint32_t target = 0;  ///< label: index into Function::instructions (may equal its size: the end)
    SymbolReference symbol{};
    /// immediate: the bits, converted to `type` and zero-extended from its width (predicates: 0 or 1).
    /// address, symbol: byte offset, a signed number in two's complement.
    std::uint64_t value = 0;
    std::vector<Operand> elements{};
    std::vector<std::uint32_t> targets{};

    std::int64_t offset() const { return static_cast<std::int64_t>(value); }
    /// The same operand, read or written at another type.
    Operand at_type(Type other) const {
        Operand result = *this;
        result.type = other;
        return result;
    }
};

/// Calls `visit` for the operand and all its elements.
template <class Visit>
void for_each_part(const Operand& operand, const Visit& visit) {
    visit(operand);
    for (const Operand& element : operand.elements) { for_each_part(element, visit); }
}

}  // namespace lookahead::ptx
