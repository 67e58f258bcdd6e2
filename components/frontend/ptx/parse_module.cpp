#include "components/frontend/ptx/parse_module.h"

#include <algorithm>
#include <utility>

#include "components/frontend/ptx/cursor.h"
#include "components/frontend/ptx/declaration.h"
#include "components/frontend/ptx/device_library.h"
#include "components/frontend/ptx/function_parser.h"
#include "components/frontend/ptx/function_scope.h"
#include "components/frontend/ptx/lexer.h"
#include "components/frontend/ptx/problem.h"
#include "core/error/error.h"
#include "core/text/read_number.h"

namespace lookahead::ptx {
namespace {

constexpr unsigned kOldestVersion = 2;
constexpr unsigned kNewestVersion = 9;
constexpr std::size_t kMostInitialisedBytes = std::size_t{1} << 28;

std::string sentence(const std::string& file, const Problem& problem) {
    std::string text = fmt::format("{}:{}: ", file, problem.line);
    if (!problem.statement.empty()) { text += fmt::format("`{}`: ", problem.statement); }
    return text + problem.message;
}

class ModuleParser {
  public:
    ModuleParser(Module& module, SymbolTable& names, std::string_view source, const std::vector<Token>& tokens)
        : module_(module), names_(names), cursor_(source, tokens) {}

    void run() {
        version();
        while (!cursor_.at_end()) { directive(); }
        if (module_.target.empty()) {
            fail(cursor_.line(), "a PTX file needs a .target directive, such as .target sm_75");
        }
    }

  private:
    void version() {
        while (cursor_.peek().kind == TokenKind::dot_word && skip_debug_or_pragma(cursor_)) {}
        const std::uint32_t line = cursor_.line();
        if (!cursor_.accept_dot("version")) {
            fail(line, "a PTX file begins with .version (such as .version 9.0), not with {}", describe(cursor_.peek()));
        }
        const std::string_view text = cursor_.next().text;
        const std::size_t dot = text.find('.');
        if (dot == std::string_view::npos || !read_number(text.substr(0, dot), module_.version_major) ||
            !read_number(text.substr(dot + 1), module_.version_minor)) {
            fail(line, "`{}` is not a PTX version such as 9.0", text);
        }
        if (module_.version_major < kOldestVersion || module_.version_major > kNewestVersion) {
            fail(line, "PTX version {} is not supported; 2.0 to 9.x are", text);
        }
        module_.address_bits = 32;  // PTX's default; .address_size follows
    }

    void directive() {
        const Token& token = cursor_.peek();
        if (token.kind != TokenKind::dot_word) {
            fail(token.line, "expected a directive such as .entry, .func or .global, found {}", describe(token));
        }
        if (skip_debug_or_pragma(cursor_)) { return; }
        if (cursor_.accept_dot("target")) { return target(); }
        if (cursor_.accept_dot("address_size")) { return address_size(); }
        const std::size_t start = cursor_.position();
        const Linkage linkage = parse_linkage(cursor_);
        if (cursor_.peek().is_dot("entry") || cursor_.peek().is_dot("func")) { return function(linkage); }
        if (!starts_variable(cursor_)) {
            fail(cursor_.line(),
                 "{} is not supported at the top of a PTX file; supported: .version, .target, "
                 ".address_size, .entry, .func, .global, .const, .shared, .file, .section, .pragma",
                 describe(cursor_.peek()));
        }
        try {
            variables(linkage);
        } catch (Problem& problem) {
            problem.statement = cursor_.statement_text(start);
            throw;
        }
    }

    void target() {
        do {
            const std::uint32_t line = cursor_.line();
            const std::string_view word = cursor_.expect_identifier("a target such as sm_75");
            if (word.starts_with("sm_") || word.starts_with("compute_")) {
                module_.target = word;
            } else if (word != "debug" && !word.starts_with("texmode_")) {
                fail(line, "target option `{}` is not supported; supported: sm_*, debug, texmode_*", word);
            }
        } while (cursor_.accept(','));
    }

    void address_size() {
        const std::uint32_t line = cursor_.line();
        const std::uint64_t bits = cursor_.expect_number("an address size", 64);
        if (bits != 32 && bits != 64) { fail(line, "an address has 32 or 64 bits, not {}", bits); }
        module_.address_bits = static_cast<unsigned>(bits);
    }

    void variables(Linkage linkage) {
        for (Variable& variable : parse_variables(cursor_, linkage, names_)) {
            if (variable.space == StateSpace::param || variable.space == StateSpace::local) {
                fail(variable.line, ".{} variables must be declared inside functions", name_of(variable.space));
            }
            initialised_bytes_ += variable.initialiser.size();
            if (initialised_bytes_ > kMostInitialisedBytes) {
                fail(variable.line, "initialised variables of a module larger than {} bytes together are not supported",
                     kMostInitialisedBytes);
            }
            declare(variable.name, SymbolKind::module_variable, module_.variables.size(), variable.line);
            module_.variables.push_back(std::move(variable));
        }
    }

    void declare(const std::string& name, SymbolKind kind, std::size_t index, std::uint32_t line) {
        const SymbolReference symbol{kind, static_cast<std::uint32_t>(index)};
        if (!names_.emplace(name, symbol).second) { fail(line, "`{}` is declared twice", name); }
    }

    void function(Linkage linkage) {
        auto [parsed, launch_problem] = parse_signature(cursor_, linkage);
        if (launch_problem) { parsed.launch_problem = sentence(module_.file_name, *launch_problem); }
        const std::uint32_t line = parsed.line;
        Function& function = module_.functions[place(std::move(parsed))];
        if (cursor_.accept(';')) { return; }
        if (function.is_defined) { fail(line, "function `{}` has two bodies", function.name); }
        if (module_.refusal == Refusal::of_module) { return parse_body(cursor_, names_, module_, function); }
        Cursor body = cursor_;
        skip_body();
        try {
            parse_body(body, names_, module_, function);
        } catch (const Problem& problem) { drop_body(function, sentence(module_.file_name, problem)); }
    }

    void skip_body() {
        const std::uint32_t line = cursor_.line();
        cursor_.expect('{', "before a function's body");
        if (!cursor_.skip_to_closing_brace()) { fail(line, "the function's body has no closing }"); }
    }

    static void drop_body(Function& function, std::string problem) {
        function.problem = std::move(problem);
        function.registers.clear();
        function.variables.clear();
        function.instructions.clear();
        function.labels.clear();
        function.prototypes.clear();
    }

    /// The index of the function, which may have been declared before.
    std::size_t place(Function parsed) {
        const auto known = names_.find(parsed.name);
        if (known == names_.end()) {
            declare(parsed.name, SymbolKind::function, module_.functions.size(), parsed.line);
            module_.functions.push_back(std::move(parsed));
            return module_.functions.size() - 1;
        }
        if (known->second.kind != SymbolKind::function) { fail(parsed.line, "`{}` is declared twice", parsed.name); }
        Function& earlier = module_.functions[known->second.index];
        if (!same_signature(earlier, parsed)) {
            fail(parsed.line, "function `{}` was declared with other parameters on line {}", parsed.name, earlier.line);
        }
        if (!earlier.is_defined) { earlier = std::move(parsed); }
        return known->second.index;
    }

    static bool same_parameters(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
        return std::ranges::equal(a, b, [](const Parameter& one, const Parameter& other) {
            return one.size == other.size && one.offset == other.offset && one.in_register == other.in_register;
        });
    }

    static bool same_signature(const Function& a, const Function& b) {
        return a.is_kernel == b.is_kernel && same_parameters(a.parameters, b.parameters) &&
               same_parameters(a.return_parameters, b.return_parameters);
    }

    Module& module_;
    SymbolTable& names_;
    Cursor cursor_;
    std::size_t initialised_bytes_ = 0;
};

bool is_as_declared(const Function& function, const LibraryFunction& known) {
    const auto has_bytes = [](std::uint64_t bytes) {
        return [bytes](const Parameter& parameter) { return parameter.size == bytes; };
    };
    return function.parameters.size() == known.parameters && std::ranges::all_of(function.parameters, has_bytes(8)) &&
           function.return_parameters.size() == (known.result_bytes == 0 ? 0 : 1) &&
           std::ranges::all_of(function.return_parameters, has_bytes(known.result_bytes));
}

/// Whether the module declares functions of the part as CUDA does, without their bodies.
bool needs(const Module& module, const LibraryPart& part) {
    bool needed = !part.mention.empty() && module.source.find(part.mention) != std::string::npos;
    for (const LibraryFunction& known : part.functions) {
        const Function* const function = module.find_function(known.name);
        if (function == nullptr) { continue; }
        if (function->is_defined || !is_as_declared(*function, known)) { return false; }
        needed = true;
    }
    return needed && module.address_bits == 64;
}

/// Adds the part's bodies to the module. The properties of the file stay.
void link(const LibraryPart& part, Module& module, SymbolTable& names) {
    Module header;
    header.version_major = module.version_major;
    header.version_minor = module.version_minor;
    header.target = module.target;
    const std::vector<Token> tokens = tokenise(part.ptx);
    ModuleParser(module, names, part.ptx, tokens).run();
    module.version_major = header.version_major;
    module.version_minor = header.version_minor;
    module.target = header.target;
    for (const LibraryFunction& function : part.functions) {
        module.functions[names.find(std::string(function.name))->second.index].is_library = true;
    }
}

}  // namespace

Module parse_module(std::string_view text, std::string file_name, Refusal refusal) {
    Module module;
    module.refusal = refusal;
    module.file_name = std::move(file_name);
    module.source = text;
    try {
        const std::vector<Token> tokens = tokenise(module.source);
        SymbolTable names;
        ModuleParser(module, names, module.source, tokens).run();
        for (const LibraryPart& part : device_library()) {
            if (needs(module, part)) { link(part, module, names); }
        }
    } catch (const Problem& problem) { throw InputError(sentence(module.file_name, problem)); }
    return module;
}

}  // namespace lookahead::ptx
