#include "core/phold/event_queue.h"

namespace lookahead {

template class WheelEventQueue<std::uint64_t>;
template class HeapEventQueue<std::uint64_t>;

}  // namespace lookahead
