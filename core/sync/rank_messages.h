#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/lp/logical_process.h"
#include "core/lp/model.h"
#include "core/port/message_router.h"
#include "core/sync/engine_statistics.h"
#include "core/sync/routes.h"
#include "core/sync/source_lookahead.h"
#include "core/transport/transport.h"

namespace lookahead {

/// The messages of one rank: the messages that wait for its LPs, and the batches of messages for other ranks.
///
/// Each thread that advances LPs has its own router for the messages of these LPs. An LP gets its messages in the order
/// of their times, channels and sequence numbers, so the result does not depend on the threads.
class RankMessages {
  public:
    /// For `threads` threads that advance LPs. Counts messages and packets in the statistics.
    RankMessages(const Model&, std::span<const int> rank_of_lp, int rank, const SourceLookahead&, const Routes&,
                 std::size_t threads, EngineStatistics&);

    bool is_here(LpId lp) const { return is_here_[lp]; }
    /// The router of a thread. Thread 0 runs the protocol; its router also takes messages from other ranks.
    MessageRouter& router(std::size_t thread = 0) { return threads_[thread]->router; }
    /// Sets the times, by kind, up to which LPs may be advanced in the next window. No message that is sent in it may
    /// be earlier (MessageRouter::set_horizons).
    void set_horizons(const KindTimes& horizons);
    /// Call it after a window. Counts the messages that LPs received, and moves messages for other ranks from the
    /// batches of all threads to those of thread 0.
    void end_window();

    // The following functions handle messages that wait for an LP. `index`: the LP's place among the LPs of this rank.
    /// A lower bound of the times of these messages.
    Time earliest(std::size_t index, Arrivals::Way way) const { return arrivals_->least(way, index); }
    /// Call it before a window. If messages before `horizon` wait for the LP, lets it read them in the window and
    /// returns true.
    bool turn_if_due(std::size_t index, Time horizon) {
        const bool is_due = std::min(earliest(index, Arrivals::kUsual), earliest(index, Arrivals::kAnswered)) < horizon;
        if (is_due) { arrivals_->turn(index); }
        return is_due;
    }
    /// Brings messages that the LP will read into the host's first cache, while another LP runs.
    void prefetch(std::size_t index) const;
    /// Returns the messages before `horizon`, sorted; keeps the others for a later window. Only the thread that
    /// advances the LP may call it. The messages are valid until clear().
    Inbox take_due(std::size_t thread, std::size_t index, Time horizon);
    /// Drops the messages that the LP could read in this window.
    void clear(std::size_t index);
    /// All messages that wait for the LP between two windows, concatenated.
    std::string waiting(std::size_t index) const;
    /// Adds the messages of a checkpoint for an LP of this rank. InputError if they are damaged.
    void restore(const LogicalProcess& receiver, const std::string& messages);

    // The following functions handle batches for other ranks, by number (Routes). Each batch begins with the
    // transport's header and words of the protocol.
    /// Makes room for `words` words of the protocol in each batch.
    void reserve_batch_headers(std::size_t words);
    const Batch& batch(std::size_t number) const { return threads_.front()->router.batches()[number]; }
    std::uint64_t* batch_header(std::size_t number);
    /// Sends the batch to its rank, counts it and empties it.
    void send(std::size_t number, Transport&);
    /// A lower bound, by source, of the times of messages for other ranks that LPs wrote since the last call.
    SourceTimes take_sent() { return std::exchange(router().sent(), all_at<kSourceCount>(kTimeInfinity)); }
    /// Puts the messages of another rank's batch, without its headers, into the inboxes, or into the batches for
    /// further ranks. No message for an LP of this rank may be earlier than `reached`, by the LP's kind.
    void deliver(std::span<const std::byte> messages, const KindTimes& reached);

  private:
    struct DueMessage {
        Time time;
        std::uint64_t order;
        const MessageHeader* message;
    };
    struct alignas(64) Thread {
        MessageRouter router;
        std::vector<DueMessage> due;
        std::vector<const MessageHeader*> due_pointers;
        std::uint64_t received = 0;  ///< messages in this window
    };

    /// The side from which an LP reads in this window; routers write to the other side (Arrivals).
    unsigned read_side(std::size_t index) const { return arrivals_->side(index) ^ 1; }
    template <class F>
    void for_each_read_inbox(std::size_t index, F f);
    static void sort_due(std::vector<DueMessage>&);

    const SourceLookahead& lookahead_;
    const Routes& routes_;
    EngineStatistics& statistics_;
    std::vector<bool> is_here_;  ///< by the model's LP
    std::shared_ptr<Arrivals> arrivals_;
    std::vector<std::unique_ptr<Thread>> threads_;
    std::size_t batch_header_bytes_ = 0;
};

}  // namespace lookahead
