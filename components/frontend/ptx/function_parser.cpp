#include "components/frontend/ptx/function_parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "components/frontend/ptx/instruction_parser.h"

namespace lookahead::ptx {
namespace {

constexpr std::size_t kDeepestBlock = 256;
constexpr std::uint64_t kMostParameterBytes = 32764;  // PTX ISA 8.1, section 5.1.6.1
constexpr std::uint64_t kLargestCount = std::numeric_limits<std::uint32_t>::max();

/// `256, 1, 1` of .maxntid and .reqntid; missing ones are 1.
std::array<std::uint32_t, 3> parse_extent(Cursor& cursor) {
    std::array<std::uint32_t, 3> extent{1, 1, 1};
    std::size_t i = 0;
    do {
        extent[i++] = static_cast<std::uint32_t>(cursor.expect_number("a number of threads", kLargestCount));
    } while (i < extent.size() && cursor.accept(','));
    return extent;
}

std::uint32_t parse_count(Cursor& cursor, std::string_view what) {
    return static_cast<std::uint32_t>(cursor.expect_number(what, kLargestCount));
}

/// Directives of clusters of CTAs. Clusters of one CTA have no effect; a kernel with larger ones cannot be launched.
class ClusterDirectives {
  public:
    /// Parses the rest of the directive `word`; returns false if it is none of these directives.
    bool take(Cursor& cursor, std::string_view word, std::uint32_t line) {
        if (word == "maxclusterrank") {
            parse_count(cursor, "a number of CTAs");
            return true;
        }
        if (word != "reqnctapercluster" && word != "explicitcluster" && word != "blocksareclusters") { return false; }
        if (word == "reqnctapercluster") { single_ = parse_extent(cursor) == std::array<std::uint32_t, 3>{1, 1, 1}; }
        if (!first_) {
            first_ =
                Problem{line, "a kernel with this directive cannot be launched: clusters of CTAs are not supported",
                        fmt::format(".{}", word)};
        }
        return true;
    }
    std::optional<Problem> problem() const { return single_ ? std::nullopt : first_; }

  private:
    std::optional<Problem> first_;
    bool single_ = false;  ///< one CTA per cluster
};

/// Parses directives between the parameters and the body. Returns why the kernel cannot be launched, if it cannot.
std::optional<Problem> parse_performance_directives(Cursor& cursor, Function& function) {
    ClusterDirectives clusters;
    while (cursor.peek().kind == TokenKind::dot_word) {
        if (skip_debug_or_pragma(cursor)) { continue; }
        const std::uint32_t line = cursor.line();
        const std::string_view word = cursor.next().text;
        if (clusters.take(cursor, word, line)) { continue; }
        if (word == "maxntid") {
            function.bounds.max_threads = parse_extent(cursor);
        } else if (word == "reqntid") {
            function.bounds.required_threads = parse_extent(cursor);
        } else if (word == "minnctapersm") {
            function.bounds.min_ctas_per_sm = parse_count(cursor, "a number of CTAs");
        } else if (word == "maxnreg") {
            function.bounds.max_registers = parse_count(cursor, "a number of registers");
        } else if (word == "noreturn") {
            function.is_noreturn = true;
        } else {
            fail(line,
                 "directive .{} is not supported before a function's body; supported: .maxntid, "
                 ".reqntid, .minnctapersm, .maxnreg, .maxclusterrank, .noreturn, .pragma",
                 word);
        }
    }
    return clusters.problem();
}

/// `.file 1 "name" [, time, size]`
void skip_file(Cursor& cursor) {
    cursor.expect_number("a file's number", kLargestCount);
    cursor.expect_string("a file's name");
    while (cursor.accept(',')) { cursor.expect_number("a time or size", std::numeric_limits<std::uint64_t>::max()); }
}

/// `.loc 1 20 3 [, function_name label [+ n], inlined_at 1 10 5]`
void skip_location(Cursor& cursor) {
    for (int i = 0; i < 3; ++i) { cursor.expect_number("file, line and column", kLargestCount); }
    while (cursor.peek().is(',') && cursor.peek(1).kind == TokenKind::identifier) {
        cursor.next();
        const std::uint32_t line = cursor.line();
        const std::string_view attribute = cursor.next().text;
        if (attribute == "function_name") {
            cursor.expect_identifier("a label");
            if (cursor.accept('+')) { cursor.expect_number("an offset", kLargestCount); }
        } else if (attribute == "inlined_at") {
            for (int i = 0; i < 3; ++i) { cursor.expect_number("file, line and column", kLargestCount); }
        } else {
            fail(line, "unknown attribute `{}` of .loc", attribute);
        }
    }
}

/// `.section .debug_info { ... }`
void skip_section(Cursor& cursor) {
    cursor.next();
    cursor.expect('{', "after a section's name");
    if (!cursor.skip_to_closing_brace()) { fail(cursor.line(), "a .section has no closing }"); }
}

void skip_pragma(Cursor& cursor) {
    do { cursor.expect_string("a pragma"); } while (cursor.accept(','));
    cursor.expect(';', "after a pragma");
}

class BodyParser {
  public:
    BodyParser(Cursor& cursor, const SymbolTable& names, const Module& module, Function& function)
        : cursor_(cursor),
          names_(names),
          function_(function),
          scope_(function, names),
          instructions_(cursor, scope_, module, function) {}

    void run() {
        declare_parameters(function_.parameters, SymbolKind::parameter);
        declare_parameters(function_.return_parameters, SymbolKind::return_parameter);
        cursor_.expect('{', "before a function's body");
        scope_.open_block();
        while (scope_.open_blocks() > 1) { statement(); }
        scope_.close_block();
    }

  private:
    void declare_parameters(std::vector<Parameter>& parameters, SymbolKind kind) {
        for (std::uint32_t i = 0; i < parameters.size(); ++i) {
            Parameter& parameter = parameters[i];
            if (!parameter.in_register) {
                scope_.declare_symbol(parameter.name, {kind, i}, function_.line);
                continue;
            }
            scope_.declare_register(parameter.name, parameter.type, function_.line);
            parameter.reg = scope_.find(parameter.name)->reg;
        }
    }

    void statement() {
        const Token& token = cursor_.peek();
        if (token.kind == TokenKind::end) {
            fail(token.line, "the body of function `{}` has no closing }}", function_.name);
        } else if (cursor_.accept('{')) {
            if (scope_.open_blocks() > kDeepestBlock) { fail(token.line, "blocks are nested too deeply"); }
            scope_.open_block();
        } else if (cursor_.accept('}')) {
            scope_.close_block();
        } else if (token.kind == TokenKind::identifier && cursor_.peek(1).is(':')) {
            label();
        } else if (token.kind == TokenKind::dot_word) {
            directive();
        } else if (token.kind == TokenKind::identifier || token.is('@')) {
            instructions_.parse();
        } else {
            fail(token.line, "expected an instruction, a label or a declaration, found {}", describe(token));
        }
    }

    void label() {
        const std::uint32_t line = cursor_.line();
        const std::string_view name = cursor_.next().text;
        cursor_.expect(':', "after a label");
        if (cursor_.accept_dot("branchtargets")) {
            scope_.declare_branch_targets(name, branch_targets(), line);
        } else if (cursor_.accept_dot("callprototype")) {
            scope_.declare_prototype(name, static_cast<std::uint32_t>(function_.prototypes.size()), line);
            function_.prototypes.push_back(prototype(name));
        } else if (cursor_.accept_dot("calltargets")) {
            fail(line, ".calltargets is not supported; indirect calls need a .callprototype");
        } else {
            scope_.declare_label(name, line);
        }
    }

    std::vector<std::string> branch_targets() {
        std::vector<std::string> labels;
        do { labels.emplace_back(cursor_.expect_identifier("a label")); } while (cursor_.accept(','));
        cursor_.expect(';', "after .branchtargets");
        return labels;
    }

    /// `(.param .b32 _) _ (.param .b64 _)`
    Prototype prototype(std::string_view name) {
        Prototype result;
        result.name = name;
        if (cursor_.peek().is('(')) { result.return_parameters = parse_parameters(cursor_); }
        cursor_.expect_identifier("_ in a .callprototype");
        if (cursor_.peek().is('(')) { result.parameters = parse_parameters(cursor_); }
        cursor_.accept_dot("noreturn");
        cursor_.expect(';', "after .callprototype");
        return result;
    }

    void directive() {
        const Token& token = cursor_.peek();
        if (skip_debug_or_pragma(cursor_)) { return; }
        if (cursor_.accept_dot("reg")) {
            parse_registers(cursor_, scope_);
        } else if (starts_variable(cursor_)) {
            variables();
        } else {
            fail(token.line,
                 "directive .{} is not supported in a function; supported: .reg, .shared, .local, .param, "
                 ".global, .const, .pragma, .loc, .file, .branchtargets, .callprototype",
                 token.text);
        }
    }

    void variables() {
        for (Variable& variable : parse_variables(cursor_, Linkage{}, names_)) {
            const auto index = static_cast<std::uint32_t>(function_.variables.size());
            scope_.declare_symbol(variable.name, {SymbolKind::function_variable, index}, variable.line);
            function_.variables.push_back(std::move(variable));
        }
    }

    Cursor& cursor_;
    const SymbolTable& names_;
    Function& function_;
    FunctionScope scope_;
    InstructionParser instructions_;
};

}  // namespace

bool skip_debug_or_pragma(Cursor& cursor) {
    if (cursor.accept_dot("loc")) {
        skip_location(cursor);
    } else if (cursor.accept_dot("file")) {
        skip_file(cursor);
    } else if (cursor.accept_dot("section")) {
        skip_section(cursor);
    } else if (cursor.accept_dot("pragma")) {
        skip_pragma(cursor);
    } else {
        return false;
    }
    return true;
}

Signature parse_signature(Cursor& cursor, Linkage linkage) {
    Function function;
    function.line = cursor.line();
    function.is_kernel = cursor.next().text == "entry";
    function.is_extern = linkage.is_extern;
    function.is_visible = linkage.is_visible;
    if (!function.is_kernel && cursor.peek().is('(')) { function.return_parameters = parse_parameters(cursor); }
    function.name = cursor.expect_identifier("a function's name");
    if (cursor.peek().is('(')) { function.parameters = parse_parameters(cursor); }
    function.parameter_bytes = end_of(function.parameters);
    if (function.is_kernel && function.parameter_bytes > kMostParameterBytes) {
        fail(function.line, "kernel `{}` has {} bytes of parameters; {} are supported", function.name,
             function.parameter_bytes, kMostParameterBytes);
    }
    if (function.is_kernel && std::ranges::any_of(function.parameters, &Parameter::in_register)) {
        fail(function.line, "a kernel's parameters must be .param");
    }
    std::optional<Problem> problem = parse_performance_directives(cursor, function);
    return {std::move(function), std::move(problem)};
}

void parse_body(Cursor& cursor, const SymbolTable& names, const Module& module, Function& function) {
    function.is_defined = true;
    BodyParser(cursor, names, module, function).run();
}

}  // namespace lookahead::ptx
