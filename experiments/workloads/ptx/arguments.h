#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "components/frontend/ptx/function.h"

namespace lookahead {

/// Whether all of the text is a number of the type, which `value` is then.
template <class T>
bool read_number(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

/// What one word of ptx.arguments says: a scalar, a buffer whose address is passed, or what is passed whole: an array
/// or a structure.
struct KernelArgument {
    enum class Kind { scalar, buffer, array, structure };
    Kind kind = Kind::scalar;
    std::string text = {};  ///< as it was typed
    std::string type = {};  ///< "f32"
    bool floating = false;
    std::size_t element_bytes = 4;
    std::uint64_t elements = 0;                ///< of the buffer or array, from 1
    bool random = false;                       ///< its elements are drawn
    std::uint64_t bits = 0;                    ///< of the scalar, or of each element that is not drawn
    std::vector<KernelArgument> members = {};  ///< of the structure
    std::vector<std::uint64_t> offsets = {};   ///< of the members, bytes
    std::uint64_t bytes = 0;                   ///< that it takes among the parameters
    std::size_t alignment = 1;
};

/// Bits of a value: `floating` for types of that kind, else `integer`.
std::uint64_t value_bits(const KernelArgument& argument, double floating, std::int64_t integer);

/// Words TYPE:V, TYPE[N], TYPE[N]=V, TYPE(N), TYPE(N)=V or {WORD,WORD,...}. ConfigurationError for a word of another
/// form or a value that its type cannot hold.
std::vector<KernelArgument> parse_arguments(const std::string& words);

/// ConfigurationError unless there is one argument for each of the kernel's parameters, of its size and kind: a buffer
/// for an address, an array or a structure for one that is no scalar, a floating-point scalar for such a parameter or
/// one of plain bits. Whether an integer is signed does not matter: compilers declare both as unsigned.
void check_arguments(const ptx::Function& kernel, const std::vector<KernelArgument>& arguments);

}  // namespace lookahead
