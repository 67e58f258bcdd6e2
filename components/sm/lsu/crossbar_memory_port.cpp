#include "components/sm/lsu/crossbar_memory_port.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "components/protocols/ports.h"
#include "core/lp/audit.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

static_assert(offsetof(ReadRequest, line) == 0 && offsetof(WriteRequest, line) == 0 &&
              offsetof(AtomicRequest, line) == 0);

CrossbarMemoryPort::CrossbarMemoryPort(std::string name, const CrossbarParameters& parameters, const ClockDomain& clock,
                                       Cycle ratio, const AddressMapping& mapping, OutPort& requests, OutPort& credits)
    : name_(std::move(name)),
      ratio_(ratio),
      mapping_(mapping),
      injection_(parameters, parameters.request_latency, clock, requests, mapping.slices()),
      ejection_(parameters, parameters.request_latency, clock, credits, mapping.slices()) {}

/// Every request begins with its line.
void CrossbarMemoryPort::send(GpuMessage type, const std::byte* payload, std::size_t payload_bytes, Cycle now) {
    std::uint64_t line = 0;
    std::memcpy(&line, payload, sizeof line);
    const auto message_type = static_cast<MessageType>(type);
    std::memcpy(injection_.push(mapping_.slice(line), network_cycle(now), message_type, payload_bytes), payload,
                payload_bytes);
}

void CrossbarMemoryPort::receive(const MessageHeader& message, Cycle now) {
    if (message.type == Credit::kType) {
        injection_.receive_credit(message.in_port - kSmReplyPort, message.as<Credit>().flits, network_cycle(now));
    } else {
        ejection_.receive(message, message.in_port - kSmReplyPort, network_cycle(now));
    }
}

[[gnu::hot]] const MessageHeader* CrossbarMemoryPort::next_reply(Cycle now) {
    const MessageHeader* reply = ejection_.front(network_cycle(now));
    if (reply != nullptr) { ejection_.pop_late(network_cycle(now)); }
    return reply;
}

/// The credits spent here equal those withheld at the other end (L2Slice::audit), for each channel.
void CrossbarMemoryPort::audit(Audit& audit, std::uint32_t requester) const {
    for (std::uint32_t slice = 0; slice < injection_.destinations(); ++slice) {
        audit.account("crossbar credits for requests", injection_.spent_credits(slice), requester, slice);
        audit.account("crossbar credits for replies", -std::int64_t{ejection_.withheld_credits(slice)}, slice,
                      requester);
    }
}

void CrossbarMemoryPort::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name_, "injection_port", injection_.counters());
    visit(visitor, name_, "ejection_port", ejection_.counters());
}

}  // namespace lookahead::gpu
