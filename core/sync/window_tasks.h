#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/sync/rank_messages.h"
#include "core/sync/rank_processes.h"
#include "core/sync/work_plan.h"

namespace lookahead {

/// The LPs that have work in a window, in the order of a plan for the threads that may share the window.
class WindowTasks {
  public:
    struct Task {
        Time horizon;
        std::uint32_t index;  ///< of the LP
        bool reads;           ///< whether the LP reads messages (RankMessages::turn_if_due)
    };

    explicit WindowTasks(std::size_t lps) : plan_(lps), planned_ticks_(lps, 0) {}

    /// Chooses the LPs that have an event or a message before the horizon of their kind.
    [[gnu::hot]] void choose(const KindTimes& horizons, const RankProcesses& processes, RankMessages& messages) {
        tasks_.clear();
        begins_.clear();
        for (std::size_t part = 0; part < plan_.parts(); ++part) {
            begins_.push_back(tasks_.size());
            for (const std::uint32_t lp : plan_.part(part)) {
                const Time horizon = horizons[processes.kind(lp)];
                const bool reads = messages.turn_if_due(lp, horizon);
                if (reads || processes.next_event(lp) < horizon) { tasks_.push_back({horizon, lp, reads}); }
            }
        }
        begins_.push_back(tasks_.size());
    }
    std::span<const Task> all() const { return tasks_; }
    /// The first task of each part of the plan, then the number of tasks.
    std::span<const std::size_t> begins() const { return begins_; }

    /// Call it after a window that `members` threads shared. Makes a new plan if the number of threads has changed, and
    /// otherwise after every 256 shared windows. ticks[lp]: the LP's cost since the run began, in any unit.
    void after_shared_window(std::size_t members, std::span<const std::uint64_t> ticks) {
        constexpr unsigned kWindows = 256;
        if (++shared_since_plan_ < kWindows && plan_.parts() == members) { return; }
        shared_since_plan_ = 0;
        std::vector<std::uint64_t> costs(ticks.begin(), ticks.end());
        for (std::size_t lp = 0; lp < costs.size(); ++lp) { costs[lp] -= std::exchange(planned_ticks_[lp], ticks[lp]); }
        plan_.make(members, costs);
    }

  private:
    WorkPlan plan_;
    std::vector<Task> tasks_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint64_t> planned_ticks_;  ///< by LP, when the plan was made
    unsigned shared_since_plan_ = 0;            ///< windows
};

}  // namespace lookahead
