#include "components/machine/fused_gpu.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "components/protocols/host_memory.h"
#include "components/protocols/ports.h"
#include "core/error/error.h"
#include "core/lp/lp_binding.h"

namespace lookahead::gpu {
namespace {

/// The index of each LP in the router: SMs as they are numbered in the machine, then the dispatcher.
std::vector<std::uint32_t> places(unsigned sms) {
    std::vector<std::uint32_t> all(sms + 1);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

}  // namespace

FusedGpu::FusedGpu(const Arguments& arguments, const MakeSm& make_sm)
    : arguments_(arguments),
      mapping_(arguments.mapping),
      clock_(arguments.frequency),
      router_(places(arguments.sms), arguments.sms + 1, 1),
      next_times_(arguments.sms, kTimeInfinity),
      inboxes_(arguments.sms),
      to_dispatcher_(add_out_port("dispatch")),
      to_host_(add_out_port("host")) {
    for (unsigned i = 0; i < arguments.sms; ++i) {
        sms_.push_back(make_sm(i, memory_));
        const ChannelDescription to_dispatcher{.from = i,
                                               .out_port = kSmToDispatcher,
                                               .to = arguments.sms,
                                               .count = 1,
                                               .in_port = static_cast<std::uint16_t>(kDispatcherSmPort + i),
                                               .lookahead = arguments.dispatch_lookahead,
                                               .traffic = 1};
        LpBinding::bind(*sms_.back(), i, {.name = fmt::format("{}sm{}", kFusedPrefix, i), .kind = "sm"},
                        {&to_dispatcher, 1}, i * sms_.back()->out_ports(), router_);
    }
}

/// Goes from one event time to the next. At each time the SMs with work or messages simulate the cycle, one after
/// another.
void FusedGpu::advance(Inbox inbox, Time horizon) {
    auto message = inbox.begin();
    while (true) {
        const Time arrival = message == inbox.end() ? kTimeInfinity : (*message)->time;
        const Time next = std::min(arrival, next_event_time());
        if (next >= horizon) { break; }
        const Time piece = std::min(horizon, clock_.edge(clock_.cycle_at_or_after(next)) + 1);
        for (; message != inbox.end() && (*message)->time < piece; ++message) {
            const std::uint16_t port = (*message)->in_port;
            if (port == kFusedHostPort) {
                receive_from_host(**message);
            } else {
                inboxes_[port & (kFusedAllocationPort - 1u)].push_back(*message);
            }
        }
        for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
            if (next_times_[sm] < piece || !inboxes_[sm].empty()) { advance_sm(sm, piece); }
        }
    }
    for (std::size_t sm = 0; sm < sms_.size(); ++sm) { advance_sm(sm, horizon); }
}

void FusedGpu::advance_sm(std::size_t sm, Time horizon) {
    StreamingMultiprocessor& process = *sms_[sm];
    try {
        process.advance(inboxes_[sm], horizon);
    } catch (const ProgramError& error) { fail(LpBinding::failed_at(process), error.what()); }
    inboxes_[sm].clear();
    next_times_[sm] = process.next_event_time();
    pass_on();
}

/// Sends the SMs' messages to the dispatcher, each through the destination with the SM's number.
void FusedGpu::pass_on() {
    ByteBuffer& sent = router_.inboxes()[sms_.size()].arrived;
    for (std::size_t at = 0; at < sent.size();) {
        const auto& message = *reinterpret_cast<const MessageHeader*>(sent.data() + at);
        const unsigned sm = message.in_port - kDispatcherSmPort;
        std::byte* place = to_dispatcher_.reserve(sm, message.time - to_dispatcher_.lookahead(sm), message.time,
                                                  message.type, message.payload_bytes());
        std::memcpy(place, message.payload(), message.payload_bytes());
        at += message.total_bytes();
    }
    sent.clear();
}

void FusedGpu::receive_from_host(const MessageHeader& message) {
    const Cycle now = clock_.cycle_at_or_after(message.time);
    const auto acknowledge = [&](std::uint64_t address) {
        const HostAcknowledge answer{.address = address};
        std::memcpy(answer_host(address, HostAcknowledge::kType, sizeof answer, now), &answer, sizeof answer);
    };
    if (message.type == HostWrite::kType) {
        const auto& write = message.as<HostWrite>();
        const auto* bytes = reinterpret_cast<const std::byte*>(&write + 1);
        mapping_.for_each_run(write.address, write.bytes,
                              [&](std::uint64_t address, std::uint64_t run, std::uint64_t before) {
                                  memory_.write(address, bytes + before, static_cast<unsigned>(run));
                              });
        if (write.asks != 0) { acknowledge(write.address); }
    } else if (message.type == HostFill::kType) {
        const auto& fill = message.as<HostFill>();
        mapping_.for_each_run(fill.address, fill.bytes, [&](std::uint64_t address, std::uint64_t run, std::uint64_t) {
            memory_.fill(address, std::byte{fill.value}, static_cast<unsigned>(run));
        });
        if (fill.asks != 0) { acknowledge(fill.address); }
    } else {
        const auto& read = message.as<HostRead>();
        const unsigned channel = mapping_.channel(read.address);
        const std::uint64_t begin = mapping_.local_address(read.address);
        for_each_host_piece(begin, read.bytes, [&](std::uint64_t done, std::uint32_t piece) {
            const HostReadReply answer{.address = mapping_.address(channel, begin + done),
                                       .bytes = piece,
                                       .is_last = done + piece == read.bytes};
            std::byte* place = answer_host(answer.address, HostReadReply::kType, sizeof answer + piece, now);
            std::memcpy(place, &answer, sizeof answer);
            mapping_.for_each_run(answer.address, piece,
                                  [&](std::uint64_t address, std::uint64_t run, std::uint64_t before) {
                                      std::memcpy(place + sizeof answer + before, memory_.read(address), run);
                                  });
        });
    }
}

std::byte* FusedGpu::answer_host(std::uint64_t address, MessageType type, std::size_t payload_bytes, Cycle now) {
    return to_host_.reserve(mapping_.channel(address), clock_.edge(now), clock_.edge(now + arguments_.host_latency),
                            type, payload_bytes);
}

bool FusedGpu::finished() const {
    return std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->finished(); });
}

std::string FusedGpu::waiting_for() const {
    for (const auto& sm : sms_) {
        if (!sm->finished()) { return fmt::format("{}: {}", sm->name(), sm->waiting_for()); }
    }
    return "nothing";
}

void FusedGpu::visit_statistics(StatisticsVisitor& visitor) const {
    for (const auto& sm : sms_) { sm->visit_statistics(visitor); }
}

std::uint64_t FusedGpu::progress() const {
    std::uint64_t sum = 0;
    for (const auto& sm : sms_) { sum += sm->progress(); }
    return sum;
}

void FusedGpu::audit(Audit& audit) const {
    for (const auto& sm : sms_) { sm->audit(audit); }
    memory_.audit(audit);
}

void FusedGpu::start_trace(const TraceWindow& window) {
    for (const auto& sm : sms_) { sm->start_trace(window); }
}

void FusedGpu::visit_trace(TraceVisitor& visitor) const {
    for (const auto& sm : sms_) { sm->visit_trace(visitor); }
}

void FusedGpu::fields(StateArchive& archive) {
    for (const auto& sm : sms_) { LpBinding::fields(*sm, archive); }
    archive& memory_& next_times_;
}

}  // namespace lookahead::gpu
