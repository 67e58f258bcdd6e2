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

/// LPs are on two sides: those that do not speak to each other (SMs), and the others (SourceLookahead::side_of). Each side goes from
/// step to step. An SM is in its next step as soon as all of the other side are through the one before, on all ranks, and does not wait
/// for other SMs; what is on the other side waits for all. So while some SMs are still in a step others, on this rank or elsewhere, are in
/// the next one already: what does not divide evenly among threads and ranks in each window does so over several. In a model where
/// everyone speaks to everyone, a step is a window.
///
/// A packet tells a side's step of one rank: its messages, and bounds, by source, below what is left for its LPs after it and
/// below those messages. Before step s + 1 of a side all that may still happen follows from what
///  - the other side has after its step s, and what it sent in it, and
///  - this side has after its own, or, of SMs in the middle of it, had before it, with what was sent to them.
/// SourceLookahead says how far kinds may go from there. That SMs are bounded by what they had a step ago costs little: what comes back to
/// them from there has been through two channels. Where the other side has nothing to do these two channels are an SM's horizon, and
/// behind it nobody could go on before the slowest; so an SM goes by half of that way at most.
///
/// All threads of a rank look after this between two LPs, one at a time, so that no packet waits for the end of a long one.
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

    /// Below what a side has after a step, and what it sent in it, by the side of the receiver.
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
    /// What is known of a step.
    struct Told {
        Bounds here;  ///< of this rank, with what other ranks sent here in it
        Bounds everywhere;
        int ranks = 0;  ///< that have told it
    };
    /// How far a side is: opened >= told here >= known of all ranks.
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
    /// Does what can be done without waiting. Returns whether that was anything.
    bool look_after(std::size_t member);
    bool take_packets(std::size_t member);
    bool tell_complete_step(unsigned side);
    void count_known(unsigned side);
    void look_for_end();
    bool may_open(unsigned side) const;
    void open(unsigned side);
    Told& step(unsigned side, std::uint64_t number) { return sides_[side].steps[number % kRemembered]; }
    /// All that is pending when side 0 is through this step, and side 1 too or, unless it is complete, about to begin it.
    SourceTimes pending(std::uint64_t number, bool is_complete, Bounds Told::*of);
    std::span<Progress> sides() { return std::span(sides_).first(sides_in_use_); }

    unsigned sides_in_use_;
    Time longest_step_;  ///< of side 1
    std::array<Progress, kSides> sides_;
    Time boundary_ = 0;
    std::uint64_t looked_at_ = 0;  ///< the last step after which it is known what is left
    std::uint64_t last_ = 0;       ///< step of the epoch, once that is known
    Waiting waiting_;
    std::mutex looking_after_;
    std::atomic<bool> is_over_{false};
    std::atomic<std::uint32_t> opened_{0};  ///< steps, over all epochs: what threads without work wait for
};

}  // namespace lookahead
