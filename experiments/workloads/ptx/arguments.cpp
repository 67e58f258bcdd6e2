#include "experiments/workloads/ptx/arguments.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>

#include "core/error/error.h"
#include "core/text/read_number.h"
#include "core/text/readable_name.h"

namespace lookahead {

namespace {

constexpr std::size_t kAddressBytes = 8;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;  ///< of a buffer, which the host holds too
constexpr std::uint64_t kMostParameterBytes = 32764;          ///< of a kernel (PTX ISA 8.1, section 5.1.6.1)

struct ElementType {
    std::string_view name;
    bool floating;
    bool is_signed;
    std::size_t bytes;
};

constexpr ElementType kTypes[] = {
    {"u8", false, false, 1},  {"s8", false, true, 1},  {"u16", false, false, 2}, {"s16", false, true, 2},
    {"u32", false, false, 4}, {"s32", false, true, 4}, {"u64", false, false, 8}, {"s64", false, true, 8},
    {"f32", true, true, 4},   {"f64", true, true, 8},
};

[[noreturn]] void refuse(const std::string& word) {
    throw ConfigurationError(
        "ptx.arguments is '{}': give words like f32[1024], u32[256]=0 or s32:7, for parameters that are structures "
        "{{f32:1,s32:7}} or f32(8), of the types u8, s8, u16, s16, u32, s32, u64, s64, f32 and f64",
        word);
}

/// The same bits, if the type can hold the number.
bool read_integer(std::string_view text, const ElementType& type, std::int64_t& value) {
    if (!type.is_signed && type.bytes == sizeof(std::uint64_t)) {
        std::uint64_t bits = 0;
        const bool is_number = read_number(text, bits);
        value = static_cast<std::int64_t>(bits);
        return is_number;
    }
    if (!read_number(text, value)) { return false; }
    const int value_bits = static_cast<int>(8 * type.bytes) - (type.is_signed ? 1 : 0);
    const std::int64_t most =
        value_bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << value_bits) - 1;
    return value <= most && value >= (type.is_signed ? -most - 1 : 0);
}

void read_value(KernelArgument& argument, const ElementType& type, std::string_view value) {
    double floating = 0;
    std::int64_t integer = 0;
    if (argument.floating ? !read_number(value, floating) : !read_integer(value, type, integer)) {
        throw ConfigurationError("ptx.arguments is '{}': {} is not a value of {}", argument.text, value, type.name);
    }
    argument.bits = value_bits(argument, floating, integer);
}

/// Reads the part after the type and its bracket: `N]`, `N]=V`, or the same with the other kind of bracket.
void read_elements(KernelArgument& argument, const ElementType& type, std::string_view rest, char bracket) {
    const std::size_t close = rest.find(bracket);
    if (close == std::string_view::npos || !read_number(rest.substr(0, close), argument.elements) ||
        argument.elements == 0) {
        refuse(argument.text);
    }
    const bool is_buffer = argument.kind == KernelArgument::Kind::buffer;
    const std::uint64_t most = (is_buffer ? kMostBytes : kMostParameterBytes) / argument.element_bytes;
    if (argument.elements > most) {
        throw ConfigurationError("ptx.arguments is '{}': {} may have up to {} elements of {}", argument.text,
                                 (is_buffer ? "a buffer" : "an array that is a parameter"), most, argument.type);
    }
    const std::string_view filling = rest.substr(close + 1);
    argument.random = filling.empty();
    if (!argument.random && !filling.starts_with('=')) { refuse(argument.text); }
    if (!argument.random) { read_value(argument, type, filling.substr(1)); }
}

KernelArgument parse_argument(const std::string& word);

/// The words between commas outside inner braces.
std::vector<std::string> members_of(const std::string& structure) {
    std::vector<std::string> words(1);
    int depth = 0;
    for (std::size_t i = 0; i < structure.size(); ++i) {
        const char c = structure[i];
        const bool is_last = i + 1 == structure.size();
        depth += (c == '{') - (c == '}');
        if (depth < 1 && !is_last) { refuse(structure); }
        if (i == 0 || is_last) { continue; }
        if (c == ',' && depth == 1) {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    if (depth != 0) { refuse(structure); }
    return words;
}

/// Members lie as in C, each at the next multiple of its alignment.
KernelArgument parse_structure(const std::string& word) {
    KernelArgument structure{.kind = KernelArgument::Kind::structure, .text = word};
    const auto aligned = [](std::uint64_t bytes, std::size_t alignment) {
        return (bytes + alignment - 1) / alignment * alignment;
    };
    for (const std::string& member : members_of(word)) {
        structure.members.push_back(parse_argument(member));
        const KernelArgument& added = structure.members.back();
        structure.offsets.push_back(aligned(structure.bytes, added.alignment));
        structure.bytes = structure.offsets.back() + added.bytes;
        structure.alignment = std::max(structure.alignment, added.alignment);
    }
    structure.bytes = aligned(structure.bytes, structure.alignment);
    return structure;
}

KernelArgument parse_argument(const std::string& word) {
    if (word.starts_with('{')) { return parse_structure(word); }
    const std::size_t end_of_type = std::min(word.find_first_of(":[("), word.size());
    const auto* const type =
        std::ranges::find(kTypes, std::string_view(word).substr(0, end_of_type), &ElementType::name);
    if (type == std::end(kTypes) || end_of_type == word.size()) { refuse(word); }
    KernelArgument argument{
        .text = word, .type = std::string(type->name), .floating = type->floating, .element_bytes = type->bytes};
    argument.alignment = argument.bytes = type->bytes;
    const std::string_view rest = std::string_view(word).substr(end_of_type + 1);
    switch (word[end_of_type]) {
        case ':':
            read_value(argument, *type, rest);
            break;
        case '[':
            argument.kind = KernelArgument::Kind::buffer;
            argument.alignment = argument.bytes = kAddressBytes;
            read_elements(argument, *type, rest, ']');
            break;
        default:
            argument.kind = KernelArgument::Kind::array;
            read_elements(argument, *type, rest, ')');
            argument.bytes = argument.elements * type->bytes;
            break;
    }
    return argument;
}

bool is_scalar(const ptx::Parameter& parameter) {
    return parameter.vector_width == 1 && parameter.elements == 1;
}

std::string declared(const ptx::Parameter& parameter) {
    const std::string type = fmt::format(".{}", ptx::name_of(parameter.type));
    return is_scalar(parameter) ? type : fmt::format("{} bytes of {}", parameter.size, type);
}

std::string declared(const std::vector<ptx::Parameter>& parameters) {
    std::string text;
    for (const ptx::Parameter& parameter : parameters) { text += (text.empty() ? "" : ", ") + declared(parameter); }
    return parameters.empty() ? "none" : fmt::format("{} ({})", parameters.size(), text);
}

/// A phrase that describes a right argument for a parameter.
std::string right_for(const ptx::Parameter& parameter) {
    if (!is_scalar(parameter)) {
        return "give its members, as in {f32:1,s32:2}, or an array, as in f32(8), of that many bytes";
    }
    const std::string bytes = std::to_string(8 * parameter.size);
    if (ptx::is_floating(parameter.type)) { return fmt::format("give f{}:V", bytes); }
    const std::string scalar = fmt::format("u{}:V or s{}:V", bytes, bytes);
    return fmt::format("give {}{}", scalar,
                       (parameter.size == kAddressBytes ? ", or for an address a buffer, as in f32[1024]" : ""));
}

std::string given(const KernelArgument& argument) {
    const bool is_whole =
        argument.kind == KernelArgument::Kind::array || argument.kind == KernelArgument::Kind::structure;
    return argument.text + (is_whole ? fmt::format(" of {} bytes", argument.bytes) : "");
}

bool fits(const KernelArgument& argument, const ptx::Parameter& parameter) {
    if (parameter.size != argument.bytes) { return false; }
    if (argument.kind == KernelArgument::Kind::array || argument.kind == KernelArgument::Kind::structure) {
        return !is_scalar(parameter);
    }
    const bool floating = argument.kind == KernelArgument::Kind::scalar && argument.floating;
    return is_scalar(parameter) && (ptx::is_bits(parameter.type) || ptx::is_floating(parameter.type) == floating);
}

}  // namespace

std::uint64_t value_bits(const KernelArgument& argument, double floating, std::int64_t integer) {
    std::uint64_t bits = 0;
    if (!argument.floating) {
        std::memcpy(&bits, &integer, argument.element_bytes);
    } else if (argument.element_bytes == 8) {
        std::memcpy(&bits, &floating, 8);
    } else {
        const auto single = static_cast<float>(floating);
        std::memcpy(&bits, &single, 4);
    }
    return bits;
}

std::vector<KernelArgument> parse_arguments(const std::string& words) {
    std::vector<KernelArgument> arguments;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) { arguments.push_back(parse_argument(word)); }
    return arguments;
}

void check_arguments(const ptx::Function& kernel, const std::vector<KernelArgument>& arguments) {
    const std::string name = readable_name(kernel.name);
    if (arguments.size() != kernel.parameters.size()) {
        throw ConfigurationError("ptx.arguments: the parameters of {} are {}, given {}", name,
                                 declared(kernel.parameters), arguments.size());
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ptx::Parameter& parameter = kernel.parameters[i];
        if (!fits(arguments[i], parameter)) {
            throw ConfigurationError("ptx.arguments: parameter {} of {} is {}, given {}: {}", i + 1, name,
                                     declared(parameter), given(arguments[i]), right_for(parameter));
        }
    }
}

}  // namespace lookahead
