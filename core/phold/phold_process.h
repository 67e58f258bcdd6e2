#pragma once

#include <memory>

#include "core/lp/logical_process.h"
#include "core/phold/phold.h"

namespace lookahead {

/// One LP of PHOLD. Its only out-port fans out to all LPs.
/// The lookahead of all that the LP sends.
Time phold_lookahead(const PholdOptions&, LpId);

std::unique_ptr<LogicalProcess> make_phold_process(const PholdOptions&, LpId id);

}  // namespace lookahead
