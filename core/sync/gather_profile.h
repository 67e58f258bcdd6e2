#pragma once

#include <cstddef>

#include "core/sync/process_profile.h"
#include "core/transport/transport.h"

namespace lookahead {

/// Combines all ranks' profiles on rank 0. `processes`: LPs of the model.
RunProfile gather_profile(Transport&, const ProcessProfile& mine, std::size_t processes);

}  // namespace lookahead
