#include "components/sm/lsu/spare_accesses.h"

#include <utility>

#include "core/error/error.h"

namespace lookahead::gpu {

SpareAccesses::SpareAccesses(L1Data& l1, std::unique_ptr<PrefetchUnit> prefetches)
    : l1_(l1), prefetches_(std::move(prefetches)) {
    if (prefetches_ != nullptr) { l1_.subscribe(*prefetches_); }
}

void SpareAccesses::join(L1Client& client, const AllocationMap& allocations) {
    const auto place =
        std::ranges::find_if(clients_, [&](const Place& each) { return each.client->priority() <= client.priority(); });
    if (place != clients_.end() && place->client->priority() == client.priority()) {
        throw ConfigurationError("{} and {} cannot both make accesses of their own to L1: each has the priority {}",
                                 place->client->name(), client.name(), client.priority());
    }
    clients_.insert(place, {&client});
    client.joined(l1_, allocations);
}

void SpareAccesses::prefetch() {
    PrefetchRequest request;
    if (!prefetches_->next(request)) { return; }
    const L1Access access{.line = request.line, .pc = request.pc, .warp = request.context, .client = Client::prefetch};
    if (!l1_.has_room_beyond(prefetches_->spare_entries()) || l1_.load(access, {}).answer != L1Answer::miss) {
        prefetch_blocked_ = true;
        return;
    }
    prefetches_->pop();
}

void SpareAccesses::others_fields(StateArchive& archive) {
    if (prefetches_ != nullptr) { archive&* prefetches_; }
    for (Place& place : clients_) { archive& place.blocked; }
}

}  // namespace lookahead::gpu
