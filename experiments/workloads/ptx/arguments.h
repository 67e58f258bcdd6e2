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

/// What one word of ptx.arguments says: a scalar, or a buffer whose address is passed.
struct KernelArgument {
    std::string text;  ///< as it was typed
    std::string type;  ///< "f32"
    bool floating = false;
    std::size_t element_bytes = 4;
    std::uint64_t elements = 0;  ///< of the buffer, from 1; 0: a scalar
    bool random = false;         ///< the buffer's elements are drawn
    std::uint64_t bits = 0;      ///< of the scalar, or of each element of the filled buffer
};

/// Bits of a value: `floating` for types of that kind, else `integer`.
std::uint64_t value_bits(const KernelArgument& argument, double floating, std::int64_t integer);

/// Words TYPE[N], TYPE[N]=V or TYPE:V. ConfigurationError for a word of another form or a value that its type cannot hold.
std::vector<KernelArgument> parse_arguments(const std::string& words);

/// ConfigurationError unless there is one argument for each of the kernel's parameters, of its size and kind: a buffer for
/// an address, a floating-point scalar for such a parameter or one of plain bits. Whether an integer is signed does not matter: compilers declare
/// both as unsigned.
void check_arguments(const ptx::Function& kernel, const std::vector<KernelArgument>& arguments);

}  // namespace lookahead
