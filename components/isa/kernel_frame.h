#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/isa/address_space.h"

namespace lookahead::isa {

/// The launch's constant rows are, in this order: the rows below, the kernel's parameters as 32-bit words, the kernel's
/// literals. NVIDIA's machine ISAs read them as c[bank][offset].
enum class LaunchRow : std::uint16_t {
    ntid_x,
    ntid_y,
    ntid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    dynamic_shared_bytes,
    zero,
    count
};
inline constexpr std::uint16_t kFirstParameterRow = static_cast<std::uint16_t>(LaunchRow::count);
/// The address of a launch's parameters in memory, for kernels that read them by address
/// (KernelFrame::addresses_parameters).
inline constexpr std::uint64_t kParameterBase = kConstantBankBase + std::uint64_t{kFirstParameterRow} * 4;

/// The part of a Kernel that is not its code: its name, parameters, literals and memory.
struct KernelFrame {
    std::string name;
    std::string source_file;  ///< of the PTX, for messages
    std::vector<std::uint32_t> literals;
    std::uint32_t parameter_bytes = 0;             ///< as the PTX ABI lays them out; the rows round it up to 4
    std::vector<std::uint32_t> parameter_offsets;  ///< of each parameter, bytes
    std::vector<std::uint32_t> parameter_sizes;    ///< of each parameter, bytes
    /// Byte offsets of the parameters from which 32-bit addresses are made: they must be within kPointerReach.
    std::vector<std::uint32_t> pointer_parameters;
    /// Whether the kernel reads parameters at computed addresses; then a launch also has them in memory at
    /// kParameterBase.
    bool addresses_parameters = false;
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t local_bytes = 0;          ///< local memory a thread: depot and spills
    std::uint32_t spill_bytes = 0;          ///< the last of local_bytes: spilled registers
    std::uint32_t max_threads_per_cta = 0;  ///< .maxntid's product; 0: not given
    bool synchronises_grid = false;         ///< its CTAs wait for one another, so that all must be resident together
    /// The reason why the kernel cannot be launched; empty if it can. A kernel that cannot be launched has the
    /// parameters of the real one and no code.
    std::string refusal;

    std::uint32_t parameter_rows() const { return (parameter_bytes + 3) / 4; }
    std::uint16_t first_literal_row() const {
        return static_cast<std::uint16_t>(kFirstParameterRow + parameter_rows());
    }
    std::uint32_t constant_rows() const { return first_literal_row() + static_cast<std::uint32_t>(literals.size()); }
};

}  // namespace lookahead::isa
