#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "components/cache/l1_data.h"
#include "components/sm/prefetch/prefetch_unit.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// A client of L1 besides the warps' instructions and the prefetcher, such as an extension that requests lines for
/// warps (LoadStoreUnit::join). In a cycle in which no instruction accesses L1, the client of the highest priority that
/// wants an access makes one; prefetches come after all clients.
class L1Client {
  public:
    virtual ~L1Client() = default;
    /// The client's name in messages: that of its mechanism.
    virtual std::string_view name() const = 0;
    /// The higher priority goes first; no two clients of an L1 have the same one.
    virtual int priority() const = 0;
    /// Called once, before the first cycle; both outlive the client's use.
    virtual void joined(L1Data& l1, const AllocationMap& allocations) = 0;
    /// Whether its accesses have a tag port of their own, so that they may share a cycle with other accesses.
    virtual bool has_own_port() const { return false; }
    virtual bool wants_access() const = 0;
    /// Makes one access to L1; false if L1 has no room. Called again after a change in the load/store unit.
    virtual bool access(Cycle now) = 0;
};

/// Accesses to L1 in cycles in which no instruction makes one: those of the clients go first, in the order of their
/// priorities, then a prefetch.
class SpareAccesses {
  public:
    /// `prefetches` is null without a prefetcher.
    SpareAccesses(L1Data& l1, std::unique_ptr<PrefetchUnit> prefetches);

    /// ConfigurationError if another client has its priority.
    void join(L1Client& client, const AllocationMap& allocations);
    void renew_clients() {
        for (Place& place : clients_) { place.blocked = false; }
    }
    /// A change in the load/store unit: L1 may have room.
    void wake() {
        prefetch_blocked_ = false;
        renew_clients();
    }

    void begin_cycle(Cycle now) {
        if (prefetches_ != nullptr) [[unlikely]] { prefetches_->begin_cycle(now); }
    }
    /// Call it when an instruction starts: prefetchers see it if it is a load.
    void observe(const QueuedInstruction& access) {
        if (prefetches_ != nullptr && !access.memory.pre_load) [[unlikely]] { prefetches_->observe(access); }
    }
    /// Call it when an instruction accesses L1 in the cycle `now`.
    void give_way(Cycle now) { accessed_ = now; }
    /// Call it after the instructions' part of a cycle: the oldest one waits (`blocked`), or there is none (`idle`).
    void cycle(Cycle now, bool blocked, bool idle) {
        for (Place& place : clients_) {
            if (!place.wants_access()) { continue; }
            if (place.client->has_own_port()) {
                place.blocked = !place.client->access(now);
            } else if (accessed_ != now) {
                place.blocked = !place.client->access(now);
                accessed_ = now;
            }
        }
        if (has_prefetch(blocked, idle) && accessed_ != now) [[unlikely]] { prefetch(); }
    }
    /// Least cycle > `now` in which `cycle` has work.
    Cycle next_event(Cycle now, bool blocked, bool idle) const {
        const bool wants = has_prefetch(blocked, idle) || std::ranges::any_of(clients_, &Place::wants_access);
        return wants ? now + 1 : kCycleInfinity;
    }

    PrefetchUnit* prefetches() { return prefetches_.get(); }
    const PrefetchUnit* prefetches() const { return prefetches_.get(); }
    void fields(StateArchive& archive) { archive& accessed_& prefetch_blocked_; }
    /// Archives the prefetcher and the clients, if there are any.
    void others_fields(StateArchive& archive);

  private:
    friend struct AuditSabotage;

    struct Place {
        L1Client* client;
        bool blocked = false;  ///< no room for its access until something changes

        bool wants_access() const { return !blocked && client->wants_access(); }
    };

    bool has_prefetch(bool blocked, bool idle) const {
        return prefetches_ != nullptr && !prefetches_->empty() && !prefetch_blocked_ && !blocked &&
               (idle || !prefetches_->only_when_idle());
    }
    void prefetch();

    L1Data& l1_;
    std::unique_ptr<PrefetchUnit> prefetches_;
    std::vector<Place> clients_;     ///< the highest priority first
    Cycle accessed_ = 0;             ///< last cycle in which an instruction, or a client, accessed L1
    bool prefetch_blocked_ = false;  ///< no room for a prefetch until something changes
};

}  // namespace lookahead::gpu
