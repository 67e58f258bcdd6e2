#pragma once

#include <string>

#include "components/isa/kernel.h"
#include "components/sm/pipeline/decoded_kernel.h"

namespace lookahead::gpu {

/// A place in native code where an instruction may issue, by the control words, before an operand is there or an
/// earlier write of its result is done with the latencies of `timing`, as a sentence; empty if there is none. Computed
/// branches are not followed.
std::string control_word_hazard(const isa::Kernel& kernel, const TimingParameters& timing,
                                const DecodeOptions& options);

}  // namespace lookahead::gpu
