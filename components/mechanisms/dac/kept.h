#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "components/mechanisms/dac/plan.h"

namespace lookahead::dac {

/// Which reader in the kernel's own stream keeps an instruction whose result the affine stream can compute.
enum class Reader : std::uint8_t {
    none,       ///< the instruction goes, or the affine stream cannot compute it
    shared,     ///< an access by a generic address, or to shared memory without dac.shared_accesses
    constant,   ///< a load from constant memory: no candidate
    access,     ///< an access that stays, which reads the result as (part of) its address
    predicate,  ///< a comparison that stays
    value,      ///< other arithmetic, or the data of a store
    count
};
std::string_view name_of(Reader reader);

/// The reader of each instruction, by block and instruction. If several read it, directly or through others that stay
/// with it, the first in the order of Reader.
std::vector<std::vector<Reader>> readers_of_kept(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow,
                                                 const Plan& plan);

}  // namespace lookahead::dac
