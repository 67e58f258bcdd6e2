#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "components/isa/instruction_bytes.h"
#include "components/isa/issue_control.h"
#include "components/isa/kernel_frame.h"
#include "components/isa/module_image.h"
#include "components/isa/recording.h"

namespace lookahead::isa {

struct Instruction;

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
struct Kernel : KernelFrame {
    // Defined where Instruction is, so that what only passes kernels on does not depend on instruction.h.
    Kernel();
    ~Kernel();
    Kernel(const Kernel&);
    Kernel(Kernel&&) noexcept;
    Kernel& operator=(const Kernel&);
    Kernel& operator=(Kernel&&) noexcept;

    std::vector<Instruction> code;  ///< the kernel's own, then that of its further programs
    std::vector<Program> programs;  ///< further ones, in the order of their code
    /// By instruction: the number of the selected instruction that it is, is part of, or was inserted for. Empty for
    /// kernels that the finaliser has not made.
    std::vector<std::uint32_t> origins;
    std::vector<Annotation> annotations;  ///< in the order of the code
    std::uint32_t registers = 0;          ///< 32-bit registers a thread, for the kernel's own code
    /// Of native code: the registers that a launch allocates for a thread. Those after them are the warp's uniform
    /// registers, and some that nothing reads. 0: all.
    std::uint32_t allocated_registers = 0;
    /// Of native code: the index in `code` of each instruction of the binary, for branches to computed addresses.
    std::vector<std::uint32_t> entries{};
    std::vector<IssueControl> controls{};  ///< of native code: what its compiler says of each instruction's issue
    std::uint32_t predicates = 0;
    std::uint32_t instruction_bytes =
        kInstructionBytes;  ///< a power of two; program counters are instruction indices times this
    /// What its warps do, for a kernel of a trace; null: what their values say. P0 guards every instruction of such a
    /// kernel, and memory instructions have no source[0].
    std::shared_ptr<const Recording> recording{};

    /// The value of the instruction's annotation with the tag, if it has one.
    std::optional<std::int64_t> annotation(std::uint32_t instruction, std::string_view tag) const;
    /// The number of the kernel's own instructions: the further programs follow them.
    std::uint32_t own_size() const;
    std::uint32_t registers_per_thread() const { return allocated_registers != 0 ? allocated_registers : registers; }
    /// The instruction at the computed address `value` of a branch; ProgramError if there is none.
    std::uint32_t computed_target(const Instruction& branch, std::uint32_t value) const;
    /// The most registers of one of its programs, its own code included.
    std::uint32_t most_registers() const;
};

/// The kernels of a workload, in a fixed order: the index is the kernel's number in messages. It also has the variables
/// that they use, which a device puts into its memory before the first launch.
struct KernelTable : std::vector<Kernel> {
    using std::vector<Kernel>::vector;
    ModuleImage image;
    /// Bytes of global memory, from kGlobalBase on, within reach of the kernels' addresses.
    std::uint64_t reach = kGlobalBytes;
};

/// The address of each kernel's code, which begins on a line of its own, and after them the end of the last one's.
std::vector<std::uint64_t> code_addresses(const KernelTable& kernels);

}  // namespace lookahead::isa
