#include "components/sm/lsu/request_arbiter.h"

#include "components/cache/l1_data.h"
#include "components/isa/type.h"
#include "components/protocols/byte_mask.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {

void NetworkTraffic::audit(Audit& audit, const std::string& name) const {
    audit.balance(name, "line reads", reads, read_replies);
    audit.balance(name, "stores and reductions", writes, acknowledgements);
    audit.balance(name, "atomics", atomics, atomic_replies);
    audit.account("line reads", static_cast<std::int64_t>(reads));
    audit.account("stores and reductions", static_cast<std::int64_t>(writes));
    audit.account("atomics", static_cast<std::int64_t>(atomics));
    audit.account("written bytes", static_cast<std::int64_t>(written_bytes));
}

[[gnu::hot]] RequestArbiter::Freed RequestArbiter::send(Cycle now, bool release_waits) {
    if (!lines_.empty()) {
        if (!port_.can_send(now)) { return Freed::nothing; }
        send_read(lines_.front(), now);
        lines_.sent();
        return Freed::line_request;
    }
    const QueuedRequest* request = nullptr;
    if (path_ != nullptr) [[unlikely]] {
        request = path_->next(now, drains(release_waits));
    } else if (l1_.next_departure(now) == now) {
        request = &l1_.front();
    }
    const ReadRequest* texels = texture_.request();
    if ((request == nullptr && texels == nullptr) || !port_.can_send(now)) { return Freed::nothing; }
    texture_first_ = texels == nullptr || (request != nullptr && !texture_first_);
    if (!texture_first_) {
        send_read(*texels, now);
        texture_.sent();
        return Freed::nothing;
    }
    note_sent(*request, now);
    port_.send(request->type, request->payload, request->bytes, now);
    if (path_ != nullptr) [[unlikely]] {
        path_->sent(now);
        return Freed::nothing;
    }
    l1_.pop();
    return Freed::l1_request;
}

[[gnu::hot]] Cycle RequestArbiter::next_event(Cycle now, bool release_waits) const {
    Cycle next = kCycleInfinity;
    if (!lines_.empty() || texture_.request() != nullptr) {
        next = now + 1;
    } else if (path_ != nullptr) [[unlikely]] {
        next = path_->next_event(now, drains(release_waits));
    } else {
        next = l1_.next_departure(now + 1);
    }
    if (next != kCycleInfinity) { next = std::max(next, port_.next_send(now)); }
    if (path_ != nullptr && !l1_.empty() && path_->can_take(l1_.front())) [[unlikely]] {
        next = std::min(next, l1_.next_departure(now + 1));
    }
    return l1_.can_advance() ? std::min(next, now + 1) : next;
}

/// Moves the oldest request of L1's miss queue into the path; returns whether it did.
bool RequestArbiter::enter_path(Cycle now) {
    if (l1_.next_departure(now) != now || !path_->can_take(l1_.front())) { return false; }
    path_->take(l1_.front(), now);
    l1_.pop();
    return true;
}

void RequestArbiter::send_read(const ReadRequest& request, Cycle now) {
    note_read(request, now);
    port_.send(GpuMessage::read_request, reinterpret_cast<const std::byte*>(&request), sizeof request, now);
}

void RequestArbiter::note_read(const ReadRequest& request, Cycle now) {
    ++traffic_.reads;
    samples_.sent(request.sample, now);
}

void RequestArbiter::note_sent(const QueuedRequest& request, Cycle now) {
    if (request.type == GpuMessage::read_request) {
        note_read(*reinterpret_cast<const ReadRequest*>(request.payload), now);
    } else if (request.type == GpuMessage::write_request) {
        const auto& write = *reinterpret_cast<const WriteRequest*>(request.payload);
        ++traffic_.writes;
        traffic_.written_bytes += bytes_in(write.mask);
        if (write.tag == kWriteBackTag) { order_.begin_write_back(); }
    } else {
        const auto& atomic = *reinterpret_cast<const AtomicRequest*>(request.payload);
        ++(atomic.returns_value != 0 ? traffic_.atomics : traffic_.writes);
        traffic_.written_bytes += atomic.lanes * isa::type_bytes(atomic.type);
    }
}

void RequestArbiter::audit(Audit& audit, const std::string& name) const {
    traffic_.audit(audit, name);
    if (path_ != nullptr) {
        audit.leak(name, "requests between L1 and the network", path_->size());
        path_->audit(audit, name);
    }
}

void RequestArbiter::visit_statistics(StatisticsVisitor& visitor, const std::string& name) const {
    if (path_ != nullptr) { path_->visit_statistics(visitor, name); }
}

void RequestArbiter::path_fields(StateArchive& archive) {
    if (path_ != nullptr) { archive& ended_&* path_; }
}

}  // namespace lookahead::gpu
