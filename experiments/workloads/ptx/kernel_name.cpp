#include "experiments/workloads/ptx/kernel_name.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error/error.h"
#include "core/param/suggestion.h"
#include "core/text/readable_name.h"

namespace lookahead {

namespace {

/// The parts of a demangled name, "void ns::scale<float>(float*, int)".
struct NameParts {
    std::string plain;           ///< "ns::scale"
    std::string with_arguments;  ///< "ns::scale<float>"
};

NameParts parts_of(std::string_view readable) {
    std::size_t begin = 0;
    std::size_t end = readable.size();
    std::size_t end_of_plain = std::string_view::npos;
    int depth = 0;
    for (std::size_t i = 0; i < readable.size(); ++i) {
        const char c = readable[i];
        if (c == '<') {
            if (depth++ == 0 && end_of_plain == std::string_view::npos) { end_of_plain = i; }
        } else if (c == '>') {
            --depth;
        } else if (depth == 0 && c == ' ') {
            begin = i + 1;  // a template's name follows its result type
            end_of_plain = std::string_view::npos;
        } else if (depth == 0 && c == '(' && !readable.substr(i).starts_with("(anonymous namespace)")) {
            end = i;
            break;
        } else if (depth == 0 && c == '(') {
            i += std::string_view("(anonymous namespace)").size() - 1;
        }
    }
    end_of_plain = std::min(end_of_plain, end);
    return {std::string(readable.substr(begin, end_of_plain - begin)),
            std::string(readable.substr(begin, end - begin))};
}

bool means(const std::string& typed, const std::string& name) {
    if (typed == name) { return true; }
    const std::string readable = readable_name(name);
    const NameParts parts = parts_of(readable);
    const std::size_t scope = parts.plain.rfind("::");
    return typed == readable || typed == parts.plain || typed == parts.with_arguments ||
           (scope != std::string::npos && typed == parts.plain.substr(scope + 2));
}

std::string listed(const std::vector<const ptx::Function*>& kernels) {
    std::string text;
    for (const ptx::Function* kernel : kernels) {
        const std::string readable = readable_name(kernel->name);
        text += (text.empty() ? "" : "; ") + kernel->name +
                (readable == kernel->name ? "" : fmt::format(" = {}", readable));
    }
    return text;
}

}  // namespace

const ptx::Function& choose_kernel(const ptx::Module& module, const std::string& name) {
    std::vector<const ptx::Function*> all;
    std::vector<const ptx::Function*> meant;
    std::vector<std::string> known;
    for (const ptx::Function& function : module.functions) {
        if (!function.is_kernel || !(function.is_defined || !function.problem.empty())) { continue; }
        if (function.name == name) { return function; }
        all.push_back(&function);
        known.push_back(function.name);
        known.push_back(parts_of(readable_name(function.name)).plain);
        if (name.empty() || means(name, function.name)) { meant.push_back(&function); }
    }
    if (all.empty()) { throw InputError("{}: there is no kernel (.entry) in it", module.file_name); }
    if (meant.size() == 1) { return *meant.front(); }
    if (!meant.empty()) {
        throw ConfigurationError("{} has {} kernels{}: give one with --set kernel=NAME: {}", module.file_name,
                                 meant.size(), (name.empty() ? "" : fmt::format(" of the name '{}'", name)),
                                 listed(meant));
    }
    throw ConfigurationError("{} has no kernel '{}'{}; there are: {}", module.file_name, name,
                             did_you_mean(name, known), listed(all));
}

}  // namespace lookahead
