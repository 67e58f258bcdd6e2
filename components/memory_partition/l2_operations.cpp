#include "components/memory_partition/l2_operations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "components/isa/memory_access.h"
#include "core/error/error.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {
namespace {

unsigned most_lanes_at_one_word(const AtomicRequest& request) {
    std::array<std::uint8_t, kLineWords> lanes{};
    unsigned most = 0;
    for (unsigned i = 0; i < request.lanes; ++i) {
        most = std::max<unsigned>(most, ++lanes[lanes_of(request)[i].offset / 4]);
    }
    return most;
}

}  // namespace

void perform_atomic(const AtomicRequest& request, std::byte* line, AtomicValue* values) {
    const unsigned bytes = isa::type_bytes(request.type);
    for (unsigned i = 0; i < request.lanes; ++i) {
        const AtomicLane& lane = lanes_of(request)[i];
        std::uint64_t old = 0;
        std::memcpy(&old, line + lane.offset, bytes);
        const std::uint64_t changed = isa::apply_atomic(request.op, request.type, old, lane.operand, lane.operand2);
        std::memcpy(line + lane.offset, &changed, bytes);
        if (values != nullptr) { values[i] = {.value = old, .lane = lane.lane}; }
    }
}

Cycle L2Operations::perform(std::uint32_t line, const MessageHeader& request, unsigned source, Cycle now) {
    switch (request.type) {
        case ReadRequest::kType:
            read(line, request.as<ReadRequest>(), source, now);
            return 0;
        case WriteRequest::kType:
            write(line, request.as<WriteRequest>(), source, now);
            return 0;
        case AtomicRequest::kType:
            return atomic(line, request.as<AtomicRequest>(), source, now);
        default:
            throw InternalError("a message of type {} came to an L2 slice", request.type);
    }
}

[[gnu::hot]] void L2Operations::read(std::uint32_t line, const ReadRequest& request, unsigned source, Cycle now) {
    ++reads_;
    const auto bytes = static_cast<std::size_t>(std::popcount(request.sectors)) * kSectorBytes;
    const Cycle detour = far_copies_.read(line, source, now);
    auto& reply = replies_.push<ReadReply>(source, now + data_latency_, bytes, detour);
    reply.line = request.line;
    reply.tag = request.tag;
    reply.client = request.client;
    reply.sectors = request.sectors;
    reply.sample = request.sample;
    if (request.sample != 0) [[unlikely]] { samples_.reply(source, request.sample, clock_.edge(now)); }
    pack_sectors(reinterpret_cast<std::byte*>(&reply + 1), contents_.lines().data(line), request.sectors);
}

[[gnu::hot]] void L2Operations::write(std::uint32_t line, const WriteRequest& request, unsigned source, Cycle now) {
    L2Cache& lines = contents_.lines();
    write_words(lines.data(line), request.mask, reinterpret_cast<const std::byte*>(&request + 1));
    lines.valid(line) = lines.valid(line) | request.mask;
    contents_.written(line, request.mask);
    ++writes_;
    acknowledge(request.tag, source, now + data_latency_, far_copies_.write(line, source));
}

Cycle L2Operations::atomic(std::uint32_t line, const AtomicRequest& request, unsigned source, Cycle now) {
    counters_.atomic_lanes += request.lanes;
    ++(request.returns_value != 0 ? atomics_ : writes_);
    const Cycle free = now + std::max<Cycle>(1, atomic_cycles_ * most_lanes_at_one_word(request));
    const Cycle ready = free - 1 + data_latency_;
    const Cycle detour = far_copies_.write(line, source);
    AtomicValue* values = nullptr;
    if (request.returns_value) {
        auto& reply = replies_.push<AtomicReply>(source, ready, request.lanes * sizeof(AtomicValue), detour);
        reply.tag = request.tag;
        reply.lanes = request.lanes;
        values = reinterpret_cast<AtomicValue*>(&reply + 1);
    } else {
        acknowledge(request.tag, source, ready, detour);
    }
    perform_atomic(request, contents_.lines().data(line), values);
    const unsigned bytes = isa::type_bytes(request.type);
    for (unsigned i = 0; i < request.lanes; ++i) {
        contents_.written(line, byte_range(lanes_of(request)[i].offset, bytes));
    }
    return free;
}

void L2Operations::audit(Audit& audit) const {
    audit.account("line reads", -static_cast<std::int64_t>(reads_));
    audit.account("stores and reductions", -static_cast<std::int64_t>(writes_));
    audit.account("atomics", -static_cast<std::int64_t>(atomics_));
}

}  // namespace lookahead::gpu
