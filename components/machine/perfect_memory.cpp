#include "components/machine/perfect_memory.h"

#include <bit>

#include "components/memory_partition/l2_operations.h"
#include "components/protocols/byte_mask.h"
#include "core/error/error.h"
#include "core/lp/audit.h"

namespace lookahead::gpu {
namespace {

/// A reply under construction: the struct P and the data after it.
template <class P>
class Reply {
  public:
    explicit Reply(std::size_t following = 0) {
        static_assert(sizeof(P) % 8 == 0);
        header().type = P::kType;
        header().payload_words = static_cast<std::uint8_t>((sizeof(P) + following) / 8);
    }
    P& fixed() { return *reinterpret_cast<P*>(words_ + kHeaderWords); }
    std::byte* following() { return reinterpret_cast<std::byte*>(&fixed() + 1); }
    void append_to(HeldMessages& replies) { replies.push(header()); }

  private:
    static constexpr std::size_t kHeaderWords = sizeof(MessageHeader) / 8;
    static constexpr std::size_t kMostFollowing = isa::kWarpSize * sizeof(AtomicValue);
    static_assert(kMostFollowing >= kLineBytes);

    MessageHeader& header() { return *reinterpret_cast<MessageHeader*>(words_); }

    std::uint64_t words_[kHeaderWords + (sizeof(P) + kMostFollowing) / 8] = {};
};

}  // namespace

void PerfectMemory::perform(GpuMessage type, const std::byte* payload, HeldMessages& replies) {
    switch (type) {
        case GpuMessage::read_request:
            return read(*reinterpret_cast<const ReadRequest*>(payload), replies);
        case GpuMessage::write_request:
            return write(*reinterpret_cast<const WriteRequest*>(payload), replies);
        case GpuMessage::atomic_request:
            return atomic(*reinterpret_cast<const AtomicRequest*>(payload), replies);
        default:
            throw InternalError("a message of type {} came to the memory", static_cast<int>(type));
    }
}

void PerfectMemory::read(const ReadRequest& request, HeldMessages& replies) {
    ++reads_;
    Reply<ReadReply> reply(static_cast<std::size_t>(std::popcount(request.sectors)) * kSectorBytes);
    reply.fixed() = {.line = request.line, .tag = request.tag, .client = request.client, .sectors = request.sectors};
    pack_sectors(reply.following(), image_.read(request.line), request.sectors);
    reply.append_to(replies);
}

void PerfectMemory::write(const WriteRequest& request, HeldMessages& replies) {
    ++writes_;
    written_bytes_ += bytes_in(request.mask);
    write_words(image_.place(request.line), request.mask, reinterpret_cast<const std::byte*>(&request + 1));
    acknowledge(request.tag, replies);
}

void PerfectMemory::atomic(const AtomicRequest& request, HeldMessages& replies) {
    ++(request.returns_value != 0 ? atomics_ : writes_);
    written_bytes_ += request.lanes * isa::type_bytes(request.type);
    Reply<AtomicReply> reply(request.lanes * sizeof(AtomicValue));
    reply.fixed() = {.tag = request.tag, .lanes = request.lanes};
    perform_atomic(request, image_.place(request.line), reinterpret_cast<AtomicValue*>(reply.following()));
    if (request.returns_value != 0) {
        reply.append_to(replies);
    } else {
        acknowledge(request.tag, replies);
    }
}

void PerfectMemory::acknowledge(std::uint32_t tag, HeldMessages& replies) {
    Reply<WriteAcknowledge> reply;
    reply.fixed() = {.tag = tag, .unused = 0};
    reply.append_to(replies);
}

void PerfectMemory::audit(Audit& audit) const {
    audit.account("line reads", -static_cast<std::int64_t>(reads_));
    audit.account("stores and reductions", -static_cast<std::int64_t>(writes_));
    audit.account("atomics", -static_cast<std::int64_t>(atomics_));
    audit.account("written bytes", -static_cast<std::int64_t>(written_bytes_));
}

void PerfectMemoryPort::receive(const MessageHeader& message, Cycle) {
    throw InternalError("a message of type {} came to an SM from a perfect memory", message.type);
}

/// Popped messages stay in memory until the next is pushed.
const MessageHeader* PerfectMemoryPort::next_reply(Cycle) {
    if (replies_.empty()) { return nullptr; }
    const MessageHeader& reply = replies_.front();
    replies_.pop();
    return &reply;
}

}  // namespace lookahead::gpu
