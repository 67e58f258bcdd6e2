#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "components/frontend/ptx/function.h"

namespace lookahead {

/// One word of ptx.arguments: a scalar, a buffer whose address is passed, or an array or structure that is passed by
/// value.
struct KernelArgument {
    enum class Kind { scalar, buffer, array, structure };
    Kind kind = Kind::scalar;
    std::string text = {};  ///< as typed
    std::string type = {};  ///< "f32"
    bool floating = false;
    std::size_t element_bytes = 4;
    std::uint64_t elements = 0;                ///< of the buffer or array, from 1
    bool random = false;                       ///< its elements are drawn at random
    std::uint64_t bits = 0;                    ///< of the scalar, or of each element that is not random
    std::vector<KernelArgument> members = {};  ///< of the structure
    std::vector<std::uint64_t> offsets = {};   ///< of the members, bytes
    std::uint64_t bytes = 0;                   ///< size among the parameters
    std::size_t alignment = 1;
};

/// The bits of a value: of `floating` for floating-point types, else of `integer`.
std::uint64_t value_bits(const KernelArgument& argument, double floating, std::int64_t integer);

/// Parses words TYPE:V, TYPE[N], TYPE[N]=V, TYPE(N), TYPE(N)=V or {WORD,WORD,...}. ConfigurationError for a word of
/// another form, or a value that its type cannot hold.
std::vector<KernelArgument> parse_arguments(const std::string& words);

/// ConfigurationError unless each of the kernel's parameters has one argument of its size and kind: a buffer for an
/// address, an array or structure for a parameter that is no scalar, a floating-point scalar for a floating-point
/// parameter or plain bits. The signedness of integers does not matter: compilers declare both as unsigned.
void check_arguments(const ptx::Function& kernel, const std::vector<KernelArgument>& arguments);

}  // namespace lookahead
