#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "components/isa/address_space.h"
#include "components/isa/dim3.h"
#include "components/isa/instruction.h"
#include "components/isa/module_image.h"

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
/// (Kernel::addresses_parameters).
inline constexpr std::uint64_t kParameterBase = kConstantBankBase + std::uint64_t{kFirstParameterRow} * 4;

/// A further program of a kernel, which another stream of a warp, or of an SM, executes for the same launch, with its
/// own registers and predicates. It follows the kernel's own instructions in Kernel::code, so that program counters,
/// fetches and checkpoints include it; control never passes from one program to another.
struct Program {
    std::string name;
    std::uint32_t entry = 0;  ///< index in Kernel::code
    std::uint32_t end = 0;    ///< index after its last instruction
    std::uint32_t registers = 0;
    std::uint32_t predicates = 0;
};

/// A kernel transform's annotation of one instruction: "dac.decoupled", 3.
struct Annotation {
    std::uint32_t instruction = 0;  ///< index in Kernel::code
    std::string tag;                ///< the mechanism's name, a full stop, the kind
    std::int64_t value = 0;
};

/// A kernel after the finaliser: real registers, real predicates, resolved branches. Immutable once made.
struct Kernel {
    std::string name;
    std::string source_file;        ///< of the PTX, for messages
    std::vector<Instruction> code;  ///< the kernel's own, then that of its further programs
    std::vector<Program> programs;  ///< further ones, in the order of their code
    /// By instruction: the number of the selected instruction that it is, is part of, or was inserted for. Empty for
    /// kernels that the finaliser has not made.
    std::vector<std::uint32_t> origins;
    std::vector<Annotation> annotations;  ///< in the order of the code
    std::vector<std::uint32_t> literals;
    std::uint32_t parameter_bytes = 0;             ///< as the PTX ABI lays them out; a multiple of 4 in the rows
    std::vector<std::uint32_t> parameter_offsets;  ///< of each parameter, bytes
    std::vector<std::uint32_t> parameter_sizes;    ///< of each parameter, bytes
    /// Byte offsets of the parameters from which 32-bit addresses are made: they must be within kPointerReach.
    std::vector<std::uint32_t> pointer_parameters;
    /// Whether the kernel reads parameters at computed addresses; then a launch also has them in memory at
    /// kParameterBase.
    bool addresses_parameters = false;
    std::uint32_t registers = 0;  ///< 32-bit registers a thread, for the kernel's own code
    std::uint32_t predicates = 0;
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t local_bytes = 0;          ///< local memory a thread: depot and spills
    std::uint32_t spill_bytes = 0;          ///< the last of local_bytes: spilled registers
    std::uint32_t max_threads_per_cta = 0;  ///< .maxntid's product; 0: not given
    bool synchronises_grid = false;         ///< its CTAs wait for one another, so that all must be resident together
    /// The reason why the kernel cannot be launched; empty if it can. A kernel that cannot be launched has the
    /// parameters of the real one and no code.
    std::string refusal;

    /// The value of the instruction's annotation with the tag, if it has one.
    std::optional<std::int64_t> annotation(std::uint32_t instruction, std::string_view tag) const;
    /// The number of the kernel's own instructions: the further programs follow them.
    std::uint32_t own_size() const {
        return programs.empty() ? static_cast<std::uint32_t>(code.size()) : programs.front().entry;
    }
    /// The most registers of one of its programs, its own code included.
    std::uint32_t most_registers() const;

    std::uint32_t parameter_rows() const { return (parameter_bytes + 3) / 4; }
    std::uint16_t first_literal_row() const {
        return static_cast<std::uint16_t>(kFirstParameterRow + parameter_rows());
    }
    std::uint32_t constant_rows() const { return first_literal_row() + static_cast<std::uint32_t>(literals.size()); }
};

/// The kernels of a workload, in a fixed order: the index is the kernel's number in messages. Also the variables that
/// they use, which a device puts into its memory before the first launch.
struct KernelTable : std::vector<Kernel> {
    using std::vector<Kernel>::vector;
    ModuleImage image;
    /// Bytes of global memory, from kGlobalBase on, within reach of the kernels' addresses.
    std::uint64_t reach = kGlobalBytes;
};

}  // namespace lookahead::isa
