#include "core/sync/rank_messages.h"

#include <bit>
#include <cstring>

#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead {

RankMessages::RankMessages(const Model& model, std::span<const int> rank_of_lp, int rank,
                           const SourceLookahead& lookahead, const Routes& routes, std::size_t threads,
                           EngineStatistics& statistics)
    : lookahead_(lookahead), routes_(routes), statistics_(statistics) {
    std::vector<std::uint32_t> places;
    std::uint32_t local = 0;
    for (const int owner : rank_of_lp) {
        is_here_.push_back(owner == rank);
        places.push_back(owner == rank ? local++ : MessageRouter::kRemote | routes.batch_for(owner));
    }
    std::vector<std::uint32_t> answering_ports(places.size(), MessageRouter::kNoPort);
    for (const AnswerDescription& answer : model.answers()) { answering_ports[answer.lp] = answer.in_port; }
    arrivals_ = std::make_shared<Arrivals>(local, threads);
    for (unsigned i = 0; i < threads; ++i) {
        threads_.push_back(std::make_unique<Thread>(MessageRouter(places, local, routes.batches(), arrivals_, i)));
        for (LpId lp = 0; lp < places.size(); ++lp) {
            router(i).describe(lp, lookahead.kind_of(lp), answering_ports[lp]);
        }
    }
}

void RankMessages::set_horizons(const KindTimes& horizons) {
    for (const auto& thread : threads_) { thread->router.set_horizons(horizons); }
}

void RankMessages::end_window() {
    statistics_.events += std::exchange(threads_.front()->received, 0);
    for (std::size_t i = 1; i < threads_.size(); ++i) {
        statistics_.events += std::exchange(threads_[i]->received, 0);
        lower_each(router().sent(), std::exchange(router(i).sent(), all_at<kSourceCount>(kTimeInfinity)));
        for (std::size_t number = 0; number < routes_.batches(); ++number) {
            Batch& from = router(i).batches()[number];
            if (from.messages > 0 && LOOKAHEAD_RULE(helpers_messages_go_along)) {
                router().batches()[number].take(from);
            }
        }
    }
}

void RankMessages::prefetch(std::size_t index) const {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kMostLines = 12;
    const ByteBuffer& due = threads_.front()->router.inboxes(read_side(index))[index].arrived;
    const std::size_t bytes = std::min(due.size(), kMostLines * kLine);
    for (std::size_t at = 0; at < bytes; at += kLine) { __builtin_prefetch(due.data() + at); }
}

/// Calls f for each inbox of an LP that may have messages for it to read.
template <class F>
void RankMessages::for_each_read_inbox(std::size_t index, F f) {
    constexpr std::size_t kBits = 64;
    const unsigned side = read_side(index);
    for (std::uint64_t writers = arrivals_->writers(index, side); writers != 0; writers &= writers - 1) {
        for (auto writer = static_cast<std::size_t>(std::countr_zero(writers)); writer < threads_.size();
             writer += kBits) {
            f(threads_[writer]->router.inboxes(side)[index]);
        }
    }
}

[[gnu::hot]] Inbox RankMessages::take_due(std::size_t number, std::size_t index, Time horizon) {
    Thread& thread = *threads_[number];
    thread.due.clear();
    for_each_read_inbox(index, [&](LpInbox& inbox) {
        if (inbox.earliest() >= horizon) {
            thread.router.keep_all(index, inbox);
            return;
        }
        const std::byte* at = inbox.arrived.data();
        const std::byte* const end = at + inbox.arrived.size();
        while (at < end) {
            const auto* message = reinterpret_cast<const MessageHeader*>(at);
            if (message->time >= horizon && LOOKAHEAD_RULE(later_messages_wait)) {
                thread.router.keep(index, *message);
            } else {
                thread.due.push_back({message->time, message->order(), message});
            }
            at += message->total_bytes();
        }
    });
    sort_due(thread.due);
    thread.received += thread.due.size();
    thread.due_pointers.resize(thread.due.size());
    for (std::size_t i = 0; i < thread.due.size(); ++i) { thread.due_pointers[i] = thread.due[i].message; }
    return thread.due_pointers;
}

void RankMessages::sort_due(std::vector<DueMessage>& due) {
    constexpr std::size_t kFew = 24;
    const auto sooner = [](const DueMessage& a, const DueMessage& b) {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
    };
    if (due.size() > kFew) {
        std::sort(due.begin(), due.end(), sooner);
        return;
    }
    for (std::size_t i = 1; i < due.size(); ++i) {
        const DueMessage moving = due[i];
        std::size_t place = i;
        for (; place > 0 && LOOKAHEAD_RULE(messages_come_in_order) && sooner(moving, due[place - 1]); --place) {
            due[place] = due[place - 1];
        }
        due[place] = moving;
    }
}

void RankMessages::clear(std::size_t index) {
    for_each_read_inbox(index, [](LpInbox& inbox) { inbox.clear(); });
    arrivals_->clear(index, read_side(index));
}

std::string RankMessages::waiting(std::size_t index) const {
    std::string messages;
    for (const auto& thread : threads_) {
        const ByteBuffer& arrived = thread->router.inboxes(arrivals_->side(index))[index].arrived;
        messages.append(reinterpret_cast<const char*>(arrived.data()), arrived.size());
    }
    return messages;
}

void RankMessages::restore(const LogicalProcess& receiver, const std::string& messages) {
    for (std::size_t at = 0; at < messages.size();) {
        MessageHeader header{};
        const std::size_t left = messages.size() - at;
        if (left >= sizeof header) { std::memcpy(&header, messages.data() + at, sizeof header); }
        if (left < sizeof header || left < header.total_bytes() || header.destination != receiver.id()) {
            throw InputError("the messages for {} cannot be restored: they are damaged", receiver.name());
        }
        std::memcpy(router().append(header), messages.data() + at + sizeof header, header.payload_bytes());
        at += header.total_bytes();
    }
}

void RankMessages::reserve_batch_headers(std::size_t words) {
    batch_header_bytes_ = Transport::kPacketHeaderBytes + 8 * words;
    for (Batch& batch : router().batches()) { batch.bytes.extend(batch_header_bytes_); }
}

std::uint64_t* RankMessages::batch_header(std::size_t number) {
    return reinterpret_cast<std::uint64_t*>(router().batches()[number].bytes.data() + Transport::kPacketHeaderBytes);
}

void RankMessages::send(std::size_t number, Transport& transport) {
    Batch& batch = router().batches()[number];
    ++statistics_.packets;
    statistics_.null_messages += batch.messages == 0;
    statistics_.remote_messages += std::exchange(batch.messages, 0);
    statistics_.remote_bytes += batch.bytes.size();
    transport.send(routes_.to(number), batch.bytes);
    batch.bytes.extend(batch_header_bytes_);
}

void RankMessages::deliver(std::span<const std::byte> messages, const KindTimes& reached) {
    // For messages passed on, the original sender reports the bounds and counts.
    const SourceTimes told = router().sent();
    const std::byte* at = messages.data();
    const std::byte* const end = at + messages.size();
    while (at < end) {
        const auto* message = reinterpret_cast<const MessageHeader*>(at);
        const bool is_here = is_here_[message->destination];
        statistics_.remote_messages -= !is_here;
        const Time gone_on_to = reached[lookahead_.kind_of(message->destination)];
        LOOKAHEAD_ASSERT(!is_here || message->time >= gone_on_to,
                         "a message for {} fs came to a rank that had advanced to {} fs", message->time, gone_on_to);
        std::byte* payload = router().append(*message);
        std::memcpy(payload, message->payload(), message->payload_bytes());
        at += message->total_bytes();
    }
    router().sent() = told;
}

}  // namespace lookahead
