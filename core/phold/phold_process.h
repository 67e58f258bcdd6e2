#pragma once

#include <memory>

#include "core/lp/logical_process.h"
#include "core/phold/phold.h"

namespace lookahead {

/// The lookahead of all messages that the LP sends.
Time phold_lookahead(const PholdOptions&, LpId);

/// One LP of PHOLD. Its only out-port fans out to all LPs.
std::unique_ptr<LogicalProcess> make_phold_process(const PholdOptions&, LpId id);

}  // namespace lookahead
