#include "components/sm/prefetch/prefetcher.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The default. The load/store unit makes no prefetch unit for it, so its hooks are never called.
class NoPrefetcher final : public Prefetcher {
  public:
    explicit NoPrefetcher(const PrefetcherArguments&) {}
    void fields(StateArchive&) override {}
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, NoPrefetcher, "none", "No prefetches.", "the default; every machine's baseline")

}  // namespace lookahead::gpu
