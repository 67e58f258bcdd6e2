#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "components/cache/miss_queue.h"
#include "core/component/slot.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

struct RequestPathArguments {
    const Configuration& configuration;
};

/// Slot "memory.request_path": the path of L1's requests (reads, stores with their bytes, atomics) from its miss queue
/// to the SM's port of the memory network. A variant may hold requests for a while, to send related ones together.
/// Lines for the instruction and constant caches and for textures do not come this way.
///
/// Contract:
/// - a request that was taken leaves once and unchanged, and no request passes an earlier one to its line;
/// - it leaves within a bounded number of cycles in which the network takes requests, even if no further one comes;
/// - while `drain` holds, `next` returns a request in every cycle in which there is one: a fence or release waits for
/// earlier accesses, or the kernel has ended;
/// - in each cycle the load/store unit first offers one request (`can_take`, `take`), then asks for one (`next`, and
/// `sent` if the network takes it). A path that cannot take a request must have one to give, now or at next_event;
/// - `next` depends on the requests taken and sent, on `now` and on `drain`; calling it twice makes no difference;
/// - `fields` has all state.
class RequestPath {
  public:
    static constexpr SlotDeclaration kSlot{"memory.request_path", "direct",
                                           "Passes L1D's requests on to the memory network, or holds them."};
    using Arguments = std::tuple<const RequestPathArguments&>;

    virtual ~RequestPath() = default;

    virtual bool can_take(const QueuedRequest& request) const = 0;
    virtual void take(const QueuedRequest& request, Cycle now) = 0;

    /// The request that is to leave at `now`, valid until the next call; null: there is none.
    virtual const QueuedRequest* next(Cycle now, bool drain) = 0;
    /// The network has taken the request that `next` returned.
    virtual void sent(Cycle now) = 0;
    /// Least cycle > `now` in which `next` returns one if none is taken; kCycleInfinity when none.
    virtual Cycle next_event(Cycle now, bool drain) const = 0;

    virtual unsigned size() const = 0;

    virtual void audit(Audit&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void visit_statistics(StatisticsVisitor&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void fields(StateArchive& archive) = 0;
};

/// Null for the variant "direct", which costs a test of that pointer per cycle.
std::unique_ptr<RequestPath> make_request_path(const Configuration& configuration);

}  // namespace lookahead::gpu
