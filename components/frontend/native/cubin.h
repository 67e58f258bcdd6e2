#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "components/frontend/native/word.h"
#include "components/isa/module_image.h"

namespace lookahead::native {

/// A kernel of a cubin.
struct CubinKernel {
    std::string name;
    std::vector<Word> code;
    /// Instructions of the functions that it calls: numbers of the first one, and of the one after the last.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> functions;
    std::uint32_t registers = 0;       ///< of a thread
    std::uint32_t shared_bytes = 0;    ///< with what the GPU reserves
    std::uint32_t stack_bytes = 0;     ///< of a thread, with those of all functions that it calls
    std::uint32_t max_threads = 0;     ///< of a CTA (.maxntid, .reqntid); 0: not given
    std::uint32_t parameter_base = 0;  ///< of the parameters in constant bank 0
    std::uint32_t parameter_bytes = 0;
    std::vector<std::uint32_t> parameter_offsets;  ///< from parameter_base
    std::vector<std::uint32_t> parameter_sizes;
    std::vector<std::byte> constants;     ///< constant bank 2, the kernel's own
    std::uint64_t constants_address = 0;  ///< of the bank in memory; 0: no instruction computes an address in it
    std::string refusal;                  ///< why it cannot be executed; empty if it can
};

/// A program in NVIDIA's native code for one architecture: an ELF file as ptxas makes it.
struct Cubin {
    unsigned architecture = 0;  ///< 90: sm_90
    std::vector<CubinKernel> kernels;
    isa::ModuleImage variables;           ///< at their addresses of the whole run
    std::uint64_t constants_address = 0;  ///< of constant bank 3, the module's .const variables; 0: none
    std::uint64_t constants_bytes = 0;
    std::vector<std::byte> addresses;  ///< constant bank 4: addresses of variables
};

/// Whether the bytes begin as a cubin does.
bool is_cubin(std::span<const std::byte> bytes);

/// InputError that begins with `file` for anything that is no complete cubin of sm_70 to sm_121.
Cubin read_cubin(std::span<const std::byte> bytes, std::string_view file);

}  // namespace lookahead::native
