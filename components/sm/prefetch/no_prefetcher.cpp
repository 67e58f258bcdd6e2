#include "components/sm/prefetch/prefetcher.h"

namespace lookahead::gpu {

/// The default: the load/store unit makes no prefetch unit for it, so that none of its hooks is ever called.
class NoPrefetcher final : public Prefetcher {
  public:
    explicit NoPrefetcher(const PrefetcherArguments&) {}
    void hash_state(StateHasher&) const override {}
    void save(boost::archive::binary_oarchive&) const override {}
    void load(boost::archive::binary_iarchive&) override {}
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, NoPrefetcher, "none", "No prefetches.", "the default; every machine's baseline")

}  // namespace lookahead::gpu
