#include "components/frontend/ptx/declaration.h"

#include <bit>
#include <string>
#include <utility>

#include "components/frontend/ptx/constant_expression.h"
#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

constexpr std::uint64_t kLargestInitialised = std::uint64_t{1} << 26;

class InitialiserParser {
  public:
    InitialiserParser(Cursor& cursor, const SymbolTable& names, std::vector<std::uint64_t> dimensions,
                      Variable& variable)
        : cursor_(cursor), names_(names), dimensions_(std::move(dimensions)), variable_(variable) {}

    /// Parses one element, or a braced list as long as dimension `level`, for the array's `size` bytes at `offset`.
    void part(std::size_t level, std::uint64_t offset, std::uint64_t size) {
        if (level == dimensions_.size()) {
            element(offset);
            return;
        }
        const std::uint64_t part_size = dimensions_[level] == 0 ? 0 : size / dimensions_[level];
        cursor_.expect('{', "before an array's or vector's initial values");
        if (cursor_.accept('}')) { return; }
        std::uint64_t count = 0;
        do {
            if (count == dimensions_[level]) {
                fail(cursor_.line(), "`{}` has more initial values than the {} that fit", variable_.name,
                     dimensions_[level]);
            }
            part(level + 1, offset + count++ * part_size, part_size);
        } while (cursor_.accept(','));
        cursor_.expect('}', "after an array's or vector's initial values");
    }

  private:
    void element(std::uint64_t offset) {
        const Token& token = cursor_.peek();
        if (token.kind == TokenKind::identifier && token.text != "WARP_SZ") {
            relocation(offset, 0, false);
        } else if (token.kind == TokenKind::number && cursor_.peek(1).is('(')) {
            masked_relocation(offset);
        } else {
            constant(offset);
        }
    }

    void constant(std::uint64_t offset) {
        const std::uint32_t line = cursor_.line();
        const auto value = convert_literal(parse_constant(cursor_), variable_.type);
        if (!value) { fail(line, "this initial value cannot be .{}", name_of(variable_.type)); }
        for (unsigned i = 0; i < bytes(variable_.type); ++i) {
            variable_.initialiser[offset + i] = static_cast<std::uint8_t>(*value >> (8 * i));
        }
    }

    /// `0xFF00(symbol)`: one byte of an address, selected by the mask.
    void masked_relocation(std::uint64_t offset) {
        const std::uint32_t line = cursor_.line();
        const auto mask = parse_literal(cursor_.next().text);
        const bool one_byte = mask && mask->is_integer() && mask->bits != 0 && std::countr_zero(mask->bits) % 8 == 0 &&
                              mask->bits >> std::countr_zero(mask->bits) == 0xff;
        if (!one_byte || bytes(variable_.type) != 1) {
            fail(line, "a mask before (symbol) selects one byte for an array of bytes: 0xFF, 0xFF00, 0xFF0000, ...");
        }
        cursor_.expect('(', "after a mask");
        relocation(offset, static_cast<unsigned>(std::countr_zero(mask->bits)) / 8, true);
        cursor_.expect(')', "after a symbol");
    }

    void relocation(std::uint64_t offset, unsigned first_byte, bool masked) {
        const std::uint32_t line = cursor_.line();
        Relocation relocation;
        relocation.offset = offset;
        relocation.size = bytes(variable_.type);
        relocation.first_byte = first_byte;
        std::string_view name = cursor_.expect_identifier("a symbol");
        relocation.generic = name == "generic" && cursor_.accept('(');
        if (relocation.generic) {
            name = cursor_.expect_identifier("a symbol");
            cursor_.expect(')', "after generic(symbol");
        }
        const auto found = names_.find(std::string(name));
        if (found == names_.end()) { fail(line, "unknown symbol `{}` in an initial value", name); }
        if (!masked && (relocation.size < 4 || is_floating(variable_.type))) {
            fail(line, "an address does not fit into .{}", name_of(variable_.type));
        }
        relocation.symbol = found->second;
        if (cursor_.accept('+') || cursor_.peek().is('-')) {
            const Literal addend = parse_constant(cursor_);
            if (!addend.is_integer()) { fail(line, "an address offset must be an integer"); }
            relocation.addend = static_cast<std::int64_t>(addend.bits);
        }
        variable_.relocations.push_back(relocation);
    }

    Cursor& cursor_;
    const SymbolTable& names_;
    const std::vector<std::uint64_t> dimensions_;
    Variable& variable_;
};

/// Counts the parts of the braced list at the cursor, which does not move.
std::uint64_t count_parts(const Cursor& cursor) {
    if (!cursor.peek().is('{') || cursor.peek(1).is('}')) { return 0; }
    std::uint64_t count = 1;
    std::size_t depth = 0;
    for (std::size_t ahead = 0; cursor.peek(ahead).kind != TokenKind::end; ++ahead) {
        const Token& token = cursor.peek(ahead);
        depth += token.is('{') || token.is('(') ? 1 : 0;
        if ((token.is('}') || token.is(')')) && --depth == 0) { break; }
        if (token.is(',') && depth == 1) { ++count; }
    }
    return count;
}

}  // namespace

void parse_initialiser(Cursor& cursor, const SymbolTable& names, std::vector<std::uint64_t>& dimensions,
                       Variable& variable) {
    const std::uint32_t line = cursor.line();
    if (variable.is_extern || (variable.space != StateSpace::global && variable.space != StateSpace::constant)) {
        fail(line, "only .global and .const variables that are not .extern have initial values");
    }
    if (!dimensions.empty() && dimensions[0] == 0) {
        dimensions[0] = count_parts(cursor);
        variable.elements = 1;
        for (const std::uint64_t dimension : dimensions) {
            if (dimension != 0 && variable.elements > kLargestInitialised / dimension) {
                fail(line, "this initialised array is too large");
            }
            variable.elements *= dimension;
        }
    }
    if (variable.size() > kLargestInitialised) {
        fail(line, "initialised variables larger than {} bytes are not supported", kLargestInitialised);
    }
    variable.has_initialiser = true;
    variable.initialiser.assign(variable.size(), 0);
    std::vector<std::uint64_t> shape = dimensions;
    if (variable.vector_width > 1) { shape.push_back(variable.vector_width); }
    InitialiserParser(cursor, names, std::move(shape), variable).part(0, 0, variable.size());
}

}  // namespace lookahead::ptx
