#include "core/lp/logical_process.h"

namespace lookahead {

void LogicalProcess::fail(Time now, const std::string& sentence) {
    failed_at_ = now;
    throw ProgramError(sentence);
}

}  // namespace lookahead
