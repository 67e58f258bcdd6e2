#include "core/sync/null_message/null_message_protocol.h"

#include <algorithm>
#include <cstring>

#include "core/mutation/rule.h"

namespace lookahead {
namespace {

/// Words of a packet before its messages: promise, done, a bound for each source, and two counts for each rank.
std::size_t head_words(std::size_t ranks) {
    return 2 + kSourceCount + 2 * ranks;
}

}  // namespace

NullMessageProtocol::NullMessageProtocol(const SyncArguments& arguments)
    : SyncProtocol(arguments),
      rank_(static_cast<std::size_t>(arguments.transport.rank())),
      ranks_(static_cast<std::size_t>(arguments.transport.size())),
      tellings_(ranks_),
      promised_(ranks_, 0),
      promises_(ranks_, 0),
      waiting_(std::min(kMostLooks, transport_.looks_before_yield())) {
    promised_[rank_] = kTimeInfinity;
    engine_.messages().reserve_batch_headers(head_words(ranks_));
}

void NullMessageProtocol::run_epoch(std::span<const Time> earliest, Time boundary) {
    engine_.start_clock();
    begin_epoch(earliest, boundary);
    while (true) {
        const Time bound = horizon();
        const Time until = std::min(bound, boundary);
        if (const Time first = least_of(engine_.processes().pending()); first < until) {
            engine_.count_window(until - first);
            engine_.account(TraceActivity::blocked);
            engine_.advance_to(all_at<kMostKinds>(until));
            engine_.account(TraceActivity::compute);
        }
        const bool done = bound >= boundary;
        tell(bound, done);
        if (done) { break; }
        wait_for_any();
    }
    wait_until_all_are_done();
    engine_.account(TraceActivity::blocked);
}

/// Nothing is under way between epochs, so the bounds given at the epoch's start are a consistent cut. The counts
/// begin anew.
void NullMessageProtocol::begin_epoch(std::span<const Time> earliest, Time boundary) {
    boundary_ = boundary;
    const std::vector<std::uint64_t> none(ranks_, 0);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
        tellings_[rank] = {all_at<kSourceCount>(earliest[rank]), false, none, none};
    }
    last_told_ = tellings_[rank_];
    update_cut_bound();
}

Time NullMessageProtocol::horizon() const {
    return std::max(*std::min_element(promised_.begin(), promised_.end()), cut_bound_);
}

void NullMessageProtocol::update_cut_bound() {
    if (!cut_is_consistent() && LOOKAHEAD_RULE(cut_counts_batches)) { return; }
    SourceTimes pending = all_at<kSourceCount>(kTimeInfinity);
    for (const Telling& telling : tellings_) {
        // A rank that is done has nothing left before the boundary, whatever may still be under way to it.
        lower_each(pending, telling.done ? all_at<kSourceCount>(boundary_) : telling.pending);
    }
    const KindTimes arrivals = lookahead_.from_elsewhere(pending);
    cut_bound_ = std::max(cut_bound_, *std::min_element(arrivals.begin(), arrivals.end()));
}

bool NullMessageProtocol::cut_is_consistent() const {
    for (std::size_t to = 0; to < ranks_; ++to) {
        for (std::size_t from = 0; from < ranks_; ++from) {
            if (from != to && !tellings_[to].done && tellings_[from].sent[to] != tellings_[to].received[from]) {
                return false;
            }
        }
    }
    return true;
}

/// Sends a packet to every rank that has a batch or could learn something.
void NullMessageProtocol::tell(Time horizon, bool done) {
    Telling& mine = tellings_[rank_];
    mine.pending = engine_.processes().pending();
    engine_.messages().take_sent();  // the counts in `mine` cover the messages in batches
    mine.done = done;
    for (std::size_t to = 0; to < ranks_; ++to) {
        mine.sent[to] += to != rank_ && engine_.messages().batch(routes_.batch_for(static_cast<int>(to))).messages > 0;
    }
    const bool changed = !(mine == last_told_);
    for (std::size_t i = 1; i < ranks_; ++i) {
        const std::size_t to = (rank_ + i) % ranks_;
        // What is pending may take longer than the shortest channel; events from the horizon on are not known yet.
        const Time promise = std::min(lookahead_.to_rank(static_cast<int>(to), mine.pending),
                                      saturating_add(horizon, lookahead_.direct(static_cast<int>(to))));
        if (changed || promise > promises_[to]) { send_to(to, promise); }
    }
    if (changed) { last_told_ = mine; }
}

void NullMessageProtocol::send_to(std::size_t to, Time promise) {
    promises_[to] = std::max(promises_[to], promise);
    const Telling& mine = tellings_[rank_];
    const std::size_t number = routes_.batch_for(static_cast<int>(to));
    std::uint64_t* head = engine_.messages().batch_header(number);
    *head++ = static_cast<std::uint64_t>(promises_[to]);
    *head++ = mine.done;
    head = std::copy(mine.pending.begin(), mine.pending.end(), head);
    head = std::copy(mine.sent.begin(), mine.sent.end(), head);
    std::copy(mine.received.begin(), mine.received.end(), head);
    engine_.messages().send(number, transport_);
}

void NullMessageProtocol::take(std::size_t from, std::span<const std::byte> packet) {
    const std::byte* at = packet.data();
    const auto next_word = [&at] {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        at += sizeof word;
        return word;
    };
    Telling& telling = tellings_[from];
    promised_[from] = std::max(promised_[from], static_cast<Time>(next_word()));
    telling.done = next_word() != 0;
    for (Time& bound : telling.pending) { bound = static_cast<Time>(next_word()); }
    for (std::uint64_t& count : telling.sent) { count = next_word(); }
    for (std::uint64_t& count : telling.received) { count = next_word(); }
    const std::span<const std::byte> messages = packet.subspan(8 * head_words(ranks_));
    tellings_[rank_].received[from] += !messages.empty();
    engine_.deliver(messages);
}

bool NullMessageProtocol::take_all_that_came() {
    bool any = false;
    for (std::size_t i = 1; i < ranks_; ++i) {
        const std::size_t from = (rank_ + i) % ranks_;
        std::span<const std::byte> packet;
        // What a rank sends after it is done belongs to the next epoch.
        while (!tellings_[from].done && transport_.try_receive(static_cast<int>(from), packet)) {
            take(from, packet);
            any = true;
        }
    }
    return any;
}

void NullMessageProtocol::wait_for_any() {
    for (waiting_.begin(); !take_all_that_came(); waiting_.after_a_look()) {}
    tellings_[rank_].pending = engine_.processes().pending();
    update_cut_bound();
}

void NullMessageProtocol::wait_until_all_are_done() {
    for (std::size_t i = 1; i < ranks_; ++i) {
        const std::size_t from = (rank_ + i) % ranks_;
        while (!tellings_[from].done) { take(from, transport_.receive(static_cast<int>(from))); }
    }
}

}  // namespace lookahead
