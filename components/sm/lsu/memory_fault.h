#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "components/isa/instruction_form.h"
#include "core/error/error.h"

namespace lookahead::gpu {

/// A forbidden access by a lane of a memory instruction: not allocated, outside the CTA's shared memory, or misaligned.
/// LoadStoreUnit::accept throws it; the SM adds warp, PC, kernel and time.
class MemoryFault : public ProgramError {
  public:
    /// `what` is a phrase: "is not allocated".
    MemoryFault(const isa::InstructionForm& instruction, unsigned faulting_lane, std::uint64_t faulting_address,
                const std::string& what, std::optional<unsigned> faulting_element = {});

    unsigned lane;
    std::uint64_t address;
    std::uint32_t line;  ///< of the PTX file
    std::string phrase;
    std::optional<unsigned> element;  ///< if elements have addresses of their own
};

}  // namespace lookahead::gpu
