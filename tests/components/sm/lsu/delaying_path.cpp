#include "tests/components/sm/lsu/delaying_path.h"

namespace lookahead::gpu::test {

LOOKAHEAD_REGISTER_VARIANT(RequestPath, DelayingPath, "delaying", "Gathers requests by blocks of 1 KB.", "a test's")

}  // namespace lookahead::gpu::test
