#pragma once

#include <cstdint>
#include <string>

#include "components/device/allocator.h"
#include "components/isa/kernel.h"
#include "core/error/error.h"

namespace lookahead {

/// A kernel's error for which CUDA has an error code.
class KernelFault : public ProgramError {
  public:
    enum class Kind : std::uint8_t { illegal_address, misaligned_address, trap, assertion };
    KernelFault(Kind kind, const std::string& sentence) : ProgramError(sentence), kind_(kind) {}
    Kind kind() const noexcept { return kind_; }

  private:
    Kind kind_;
};

/// The warp and the instruction, for messages.
struct ExecutionPlace {
    const isa::Kernel& kernel;
    const isa::Dim3& block;
    const isa::Dim3& ctaid;
    std::uint32_t first_thread;  ///< of the warp, in the CTA
    std::uint32_t pc;            ///< index of the instruction
    std::uint32_t barriers = 0;  ///< that the warp has passed
};

/// "kernel k, CTA (1, 0, 0), k.ptx:12 (PC 0x58)".
std::string describe(const ExecutionPlace& place);

/// Throws the KernelFault for lane `lane`'s access to `address`, which is not all inside one allocation, or in the
/// thread's shared or local memory. `element`: that of a vector memory instruction.
[[noreturn]] void throw_illegal_address(const ExecutionPlace& place, unsigned lane, std::uint64_t address,
                                        const Allocator& allocator, unsigned element = 0);
/// Throws the KernelFault for a texture object without a descriptor, or whose texels are not all inside one allocation.
[[noreturn]] void throw_illegal_texture(const ExecutionPlace& place, unsigned lane, std::uint64_t object);
/// Throws the KernelFault for an address that is not a multiple of the access's size.
[[noreturn]] void throw_misaligned_address(const ExecutionPlace& place, unsigned lane, std::uint64_t address,
                                           unsigned element = 0);

}  // namespace lookahead
