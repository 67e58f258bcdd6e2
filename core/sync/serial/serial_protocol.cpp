#include "core/sync/serial/serial_protocol.h"

namespace lookahead {

void SerialProtocol::run_epoch(std::span<const Time>, Time boundary) {
    engine_.start_clock();
    engine_.advance_to(all_at<kMostKinds>(boundary));
    engine_.account(TraceActivity::compute);
}

}  // namespace lookahead
