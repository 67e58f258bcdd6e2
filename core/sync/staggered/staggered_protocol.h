#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/sync/patience.h"
#include "core/sync/side_steps.h"
#include "core/sync/sync_protocol.h"
#include "core/transport/waiting.h"

namespace lookahead {

/// LPs are on two sides: those that do not send to each other (SMs), and the others (SourceLookahead::side_of). Each
/// side goes from step to step. An SM begins its next step as soon as all LPs of the other side have finished the
/// previous one, on all ranks, and does not wait for other SMs; LPs of the other side wait for all. So some SMs may
/// still be in a step while others, on this or another rank, are already in the next one: work that does not divide
/// evenly among threads and ranks in each window does so over several. If all LPs send to each other, a step is a
/// window.
///
/// A packet reports a side's step of one rank: its messages, and lower bounds, by source, of the work left for its LPs
/// and of those messages. Before step s + 1 of a side all later events follow from the work that
///  - the other side has after its step s, and the messages it sent in it, and
///  - this side has after its own step, or, for SMs in the middle of it, had before it, with the messages to them.
/// SourceLookahead computes how far kinds may advance from there. Bounding SMs by their work a step ago costs little,
/// because its effects come back to them through two channels. If the other side is idle these two channels are an SM's
/// horizon, where all SMs would have to wait for the slowest; so an SM's step is at most half of that path.
///
/// Between two LPs any thread of a rank does this, one thread at a time, so that no packet waits for the end of a long
/// one.
class StaggeredProtocol final : public SyncProtocol {
  public:
    explicit StaggeredProtocol(const SyncArguments& arguments);
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    static constexpr unsigned kSides = SideSteps::kSides;
    static constexpr std::size_t kRemembered =
        8;  ///< steps of a side: those before and after the last one that is known
    static constexpr std::size_t kAhead =
        3;  ///< as many after it: no rank tells one before others know the third before it

    /// Lower bounds of a side's work after a step, and of the messages it sent, by the side of the receiver.
    struct Bounds {
        SourceTimes after = all_at<kSourceCount>(kTimeInfinity);
        std::array<SourceTimes, kSides> sent = {after, after};
        void join(const Bounds& other);
        SourceTimes all() const;
    };
    struct PacketHead {
        std::uint64_t side;
        std::uint64_t number;
        Bounds bounds;
    };
    /// The reported bounds of a step.
    struct Told {
        Bounds here;  ///< of this rank, with the messages that other ranks sent here in it
        Bounds everywhere;
        int ranks = 0;  ///< that have told it
    };
    /// The progress of a side: opened >= told here >= known of all ranks.
    struct Progress {
        std::uint64_t opened = 0;
        std::uint64_t told = 0;
        std::uint64_t known = 0;
        std::array<Told, kRemembered> steps;
        KindTimes horizons{};
    };

    void begin_epoch(std::span<const Time> earliest, Time boundary);
    void work_until_end(std::size_t member);
    void wake_at_end();
    /// Does all work that needs no waiting. Returns whether there was any.
    bool look_after(std::size_t member);
    bool take_packets(std::size_t member);
    bool tell_complete_step(unsigned side);
    void count_known(unsigned side);
    void look_for_end();
    bool may_open(unsigned side) const;
    void open(unsigned side);
    Told& step(unsigned side, std::uint64_t number) { return sides_[side].steps[number % kRemembered]; }
    /// All pending work when side 0 has finished this step, and side 1 too or, unless the step is complete, is about to
    /// begin it.
    SourceTimes pending(std::uint64_t number, bool is_complete, Bounds Told::*of);
    std::span<Progress> sides() { return std::span(sides_).first(sides_in_use_); }

    unsigned sides_in_use_;
    Time longest_step_;  ///< of side 1
    std::array<Progress, kSides> sides_;
    Time boundary_ = 0;
    std::uint64_t looked_at_ = 0;  ///< the last step whose remaining work is known
    std::uint64_t last_ = 0;       ///< step of the epoch, once that is known
    Waiting waiting_;
    std::mutex looking_after_;
    std::atomic<bool> is_over_{false};
    std::atomic<std::uint32_t> opened_{0};  ///< steps, over all epochs: idle threads wait for this
};

}  // namespace lookahead
