#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "components/memory_partition/memory_partition.h"
#include "components/protocols/memory.h"
#include "core/lp/lp_binding.h"
#include "core/lp/model.h"
#include "core/param/configuration.h"
#include "core/state/archives.h"
#include "core/time/clock_domain.h"

/// A memory partition and processes that play its requesters and host, driven window by window without the engine, so
/// that a test can keep every message.
namespace lookahead::gpu::test {

/// A message with its own storage.
class StoredMessage {
  public:
    StoredMessage() = default;
    explicit StoredMessage(const MessageHeader& message) : words_(message.total_bytes() / 8) {
        std::memcpy(words_.data(), &message, message.total_bytes());
    }
    const MessageHeader& header() const { return *reinterpret_cast<const MessageHeader*>(words_.data()); }
    bool operator==(const StoredMessage&) const = default;

  private:
    std::vector<std::uint64_t> words_;
};

/// An LP that does nothing: a destination for messages.
class SinkProcess final : public LogicalProcess {
  public:
    void advance(Inbox, Time) override {}
    Time next_event_time() const override { return kTimeInfinity; }
    bool finished() const override { return true; }
    std::string waiting_for() const override { return "nothing"; }
    void fields(StateArchive&) override {}
};

/// Process 0 is the partition, 1..requesters are the requesters, and the last one is the host.
class PartitionBench {
  public:
    /// Makes requester m, with out-port 0 to the slices.
    using MakeRequester = std::function<std::unique_ptr<LogicalProcess>(unsigned)>;

    PartitionBench(const PartitionBench&) = delete;
    explicit PartitionBench(const MemoryPartitionArguments& arguments, const Configuration& configuration = {},
                            const MakeRequester& make_requester = {})
        : arguments_(arguments), configuration_(configuration), clock_(arguments.frequency) {
        const unsigned host = arguments.requesters + 1;
        const unsigned slices = static_cast<unsigned>(arguments.mapping.slices_per_channel);
        model_.add({.name = "memory0", .kind = "memory"},
                   [this] { return std::make_unique<MemoryPartition>(arguments_, configuration_); });
        for (unsigned m = 0; m < arguments.requesters; ++m) {
            model_.add({.name = "requester", .kind = "requester"}, [&make_requester, m] {
                return make_requester ? make_requester(m) : std::make_unique<SinkProcess>();
            });
        }
        model_.add({.name = "host", .kind = "host"}, [] { return std::make_unique<SinkProcess>(); });
        for (unsigned s = 0; s < slices; ++s) {
            for (unsigned m = 0; m < arguments.requesters; ++m) {
                model_.connect(0, s, 1 + m, static_cast<std::uint16_t>(s),
                               clock_.least_span(arguments.crossbar.reply_latency));
            }
        }
        model_.connect(0, partition_host_out_port(slices), host, 0, clock_.least_span(arguments.l2.host_latency));
        for (unsigned m = 0; make_requester && m < arguments.requesters; ++m) {
            for (unsigned s = 0; s < slices; ++s) {
                model_.connect(1 + m, 0, 0, partition_in_port(s, m),
                               clock_.least_span(arguments.crossbar.request_latency));
            }
        }
        bind();
    }

    MemoryPartition& partition() { return static_cast<MemoryPartition&>(*processes_[0]); }
    LogicalProcess& process(std::size_t i) { return *processes_[i]; }
    const ClockDomain& clock() const { return clock_; }

    std::vector<StoredMessage> inputs;
    /// The messages to processes that only consume them, by process and in order of sending.
    std::vector<std::vector<StoredMessage>> outputs;

    /// Sends the partition a message; `arrival` must not precede the partition's time.
    void post(Time arrival, std::uint16_t in_port, MessageType type, const std::vector<std::byte>& payload) {
        std::vector<std::uint64_t> words(3 + (payload.size() + 7) / 8, 0);
        const MessageHeader header{.time = arrival,
                                   .channel = 1000u + in_port,
                                   .sequence = posted_++,
                                   .destination = 0,
                                   .in_port = in_port,
                                   .type = type,
                                   .payload_words = static_cast<std::uint8_t>((payload.size() + 7) / 8)};
        std::memcpy(words.data(), &header, sizeof header);
        std::memcpy(words.data() + 3, payload.data(), payload.size());
        post(StoredMessage(*reinterpret_cast<const MessageHeader*>(words.data())));
    }
    void post(StoredMessage message) { pending_[0].push_back(std::move(message)); }

    void run(Time limit = kTimeInfinity) {
        const Time window = std::min(clock_.least_span(arguments_.crossbar.reply_latency),
                                     clock_.least_span(arguments_.crossbar.request_latency));
        while (true) {
            collect();
            Time begin = kTimeInfinity;
            for (std::size_t i = 0; i < processes_.size(); ++i) {
                begin = std::min(begin, processes_[i]->next_event_time());
                for (const StoredMessage& message : pending_[i]) { begin = std::min(begin, message.header().time); }
            }
            if (begin >= limit) { break; }
            const Time horizon = std::min(limit, begin + window);
            for (std::size_t i = 0; i < processes_.size(); ++i) { advance(i, horizon); }
        }
    }

    /// Passes `messages`, which must be sorted, to the partition alone in windows of `window` and discards its output:
    /// measures the partition's own cost, for benchmarks.
    void replay(const std::vector<StoredMessage>& messages, Time window) {
        std::vector<const MessageHeader*> inbox;
        for (const StoredMessage& message : messages) { inbox.push_back(&message.header()); }
        std::size_t at = 0;
        for (Time horizon = window; at < inbox.size() || processes_[0]->next_event_time() < kTimeInfinity;
             horizon += window) {
            std::size_t end = at;
            while (end < inbox.size() && inbox[end]->time < horizon) { ++end; }
            processes_[0]->advance({inbox.data() + at, end - at}, horizon);
            at = end;
            for (LpInbox& swallowed : router_->inboxes()) { swallowed.arrived.clear(); }
        }
    }

    std::uint64_t state_hash() const { return hash_of_state(*processes_[0]); }

  private:
    void bind() {
        const auto first = model_.first_channel_numbers();
        std::vector<std::uint32_t> places;
        for (LpId i = 0; i < model_.processes().size(); ++i) {
            places.push_back(i);
            processes_.push_back(model_.make(i));
        }
        router_ = std::make_unique<MessageRouter>(places, places.size(), 1);
        for (LpId i = 0; i < processes_.size(); ++i) { bind(i, first[i]); }
        pending_.resize(processes_.size());
        outputs.resize(processes_.size());
    }

    void bind(LpId id, std::uint32_t first_channel) {
        std::vector<ChannelDescription> own;
        for (const ChannelDescription& channel : model_.channels()) {
            if (channel.from == id) { own.push_back(channel); }
        }
        LpBinding::bind(*processes_[id], id, model_.processes()[id], own, first_channel, *router_);
    }

    void collect() {
        for (std::size_t i = 0; i < processes_.size(); ++i) {
            ByteBuffer& arrived = router_->inboxes()[i].arrived;
            const bool sink = dynamic_cast<SinkProcess*>(processes_[i].get()) != nullptr;
            for (std::size_t at = 0; at < arrived.size();) {
                const auto& message = *reinterpret_cast<const MessageHeader*>(arrived.data() + at);
                (sink ? outputs[i] : pending_[i]).emplace_back(message);
                at += message.total_bytes();
            }
            arrived.clear();
        }
    }

    void advance(std::size_t i, Time horizon) {
        std::vector<StoredMessage> due;
        std::vector<StoredMessage> later;
        for (StoredMessage& message : pending_[i]) {
            (message.header().time < horizon ? due : later).push_back(std::move(message));
        }
        pending_[i] = std::move(later);
        std::vector<const MessageHeader*> inbox;
        for (const StoredMessage& message : due) { inbox.push_back(&message.header()); }
        std::sort(inbox.begin(), inbox.end(), [](const MessageHeader* a, const MessageHeader* b) {
            return a->time != b->time ? a->time < b->time : a->order() < b->order();
        });
        if (i == 0) {
            for (const MessageHeader* message : inbox) { inputs.emplace_back(*message); }
        }
        processes_[i]->advance(inbox, horizon);
    }

    MemoryPartitionArguments arguments_;
    Configuration configuration_;
    ClockDomain clock_;
    Model model_;
    std::unique_ptr<MessageRouter> router_;
    std::vector<std::unique_ptr<LogicalProcess>> processes_;
    std::vector<std::vector<StoredMessage>> pending_;
    std::uint32_t posted_ = 0;
};

/// The bytes of a payload: a struct and what follows it.
template <class P>
std::vector<std::byte> payload_of(const P& fixed, std::span<const std::byte> more = {}) {
    std::vector<std::byte> bytes(sizeof fixed + more.size());
    std::memcpy(bytes.data(), &fixed, sizeof fixed);
    if (!more.empty()) { std::memcpy(bytes.data() + sizeof fixed, more.data(), more.size()); }
    return bytes;
}

}  // namespace lookahead::gpu::test
