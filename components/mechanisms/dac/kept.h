#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "components/mechanisms/dac/plan.h"

namespace lookahead::dac {

/// What reads, in the kernel's own stream, a result that the affine stream can compute, so that the instruction stays.
enum class Reader : std::uint8_t {
    none,       ///< it does not stay, or the affine stream cannot compute it
    shared,     ///< an access to shared memory or by a generic address, which is no candidate
    constant,   ///< a load from constant memory, likewise
    access,     ///< an access that is not decoupled: its address, or an address that it is a part of
    predicate,  ///< a comparison that is not decoupled
    value,      ///< arithmetic on anything else, or the bytes of a store
    count
};
std::string_view name_of(Reader reader);

/// By block and instruction. Where several read it, directly or through others that stay with it, the first of the
/// list.
std::vector<std::vector<Reader>> readers_of_kept(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow,
                                                 const Plan& plan);

}  // namespace lookahead::dac
