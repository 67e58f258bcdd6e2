#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "core/sync/process_profile.h"
#include "partitioning/placement/window_replay.h"

namespace lookahead {

/// The steps of SMs (StaggeredProtocol) from a log of windows: each as long as the window in which it begins, but at
/// most `longest`, and no longer than an epoch. A step has the same share of a window's work as of its time. A window
/// followed by more than 2 * longest without events is one step.
WindowLog staggered_steps(const WindowLog&, std::size_t processes, Time longest, Time epoch_length);

/// Goes through the windows of a log as the protocol `staggered` does on a cluster: each window is a step of either
/// side, with the LPs' times of the log.
///
/// A thread takes the next LP of the oldest open step, the one with most work in the whole run first, and waits for it
/// if it is still in its previous step. The thread that ends a side's step sends a packet to every other rank; the next
/// free thread receives packets, one thread at a time. A step is open once all ranks have reported the previous one of
/// side 0 and, for side 0, of side 1. The first step of an epoch is open once each rank knows that all have ended the
/// earlier ones, another empty step was reported, and all have exchanged their states.
class StepReplay {
  public:
    /// `rank_of_lp`, `side_of_lp` (0 or 1): by LP. InternalError if they or the log's sizes do not fit.
    StepReplay(const LoggedWindows&, std::span<const int> rank_of_lp, std::span<const std::uint8_t> side_of_lp,
               const Cluster&);

    ReplayTimes run();

  private:
    static constexpr unsigned kSides = 2;
    static constexpr std::size_t kKept = 4;  ///< steps of a side

    enum class What : std::uint8_t {
        thread_is_free,
        lp_ends,
        step_is_told,
        packet_comes,
        packet_is_taken,
        epoch_begins
    };
    struct Event {
        double time;
        std::uint64_t order;
        What what;
        std::uint32_t rank;
        unsigned side;
        std::uint64_t step;
        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    struct Side {
        std::vector<std::uint32_t> processes;  ///< LPs, the one with most work first
        std::uint64_t opened = 0;
        std::uint64_t known = 0;
        std::array<int, kKept> told{};          ///< by step: ranks
        std::array<std::size_t, kKept> next{};  ///< LP to be taken
        std::array<std::size_t, kKept> left{};  ///< LPs that have not been through
    };
    struct Rank {
        std::array<Side, kSides> sides;
        int idle = 0;  ///< threads
        bool is_taking = false;
        std::deque<Event> mail;
        bool is_at_end = false;  ///< of the epoch
        double work = 0;         ///< seconds, in all windows
        double written = 0;      ///< messages for other ranks
        double taken = 0;        ///< messages from other ranks
        double compute = 0;
        double messages = 0;
        double overhead = 0;
    };

    void handle(const Event& event);
    void schedule(double time, What what, std::uint32_t rank, unsigned side = 0, std::uint64_t step = 0);
    /// Gives the next work to a free thread of the rank.
    void give_work(std::uint32_t rank, double now);
    bool take_lp(std::uint32_t rank, double now);
    void tell(std::uint32_t rank, unsigned side, std::uint64_t step, double now);
    void learn(std::uint32_t rank, unsigned side, std::uint64_t step, double now);
    void open_steps(std::uint32_t rank, double now);
    /// Whether a side's next step is the first of an epoch that has not begun.
    bool waits_for_epoch(const Rank&, const Side&) const;
    /// Ends a rank's epoch when it knows that none of its steps is left.
    void look_for_epochs_end(std::uint32_t rank, double now);
    void wake(std::uint32_t rank, double now);
    double way(std::uint32_t from, std::uint32_t to) const;
    double slowdown() const;

    LoggedWindows log_;
    Cluster cluster_;
    std::vector<Rank> ranks_;
    std::vector<double> done_;  ///< by LP: when its last step ends
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::uint64_t scheduled_ = 0;
    std::vector<std::uint64_t> epochs_;  ///< the steps before each, then the last step
    std::size_t epoch_ = 0;              ///< that goes on
    int at_end_ = 0;                     ///< ranks
    double now_ = 0;
};

}  // namespace lookahead
