#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/port/source.h"
#include "core/sync/work_plan.h"
#include "core/time/time.h"

namespace lookahead {

/// The steps of a rank's LPs, taken by the threads of a team without a barrier between them.
///
/// LPs are on two sides. Each side goes from step to step; a step advances every LP of the side to a horizon. A step
/// may be opened while the previous step of the same side is still under way: an LP takes part in it after its own part
/// of the previous step. So a thread that finds a step finished begins the next, and a side's slowest LP delays only
/// the steps that need it.
///
/// At most two of a side's steps may be under way: the owner opens a step when the one two before it is complete.
class SideSteps {
  public:
    static constexpr unsigned kSides = 2;
    /// The number of steps that may be under way at once: two per side.
    static constexpr std::size_t kSets = 2 * kSides;

    struct alignas(64) Step {
        std::uint64_t number = 0;
        unsigned side = 0;
        KindTimes horizons{};  ///< of its side's kinds
        KindTimes reached{};   ///< the times to which LPs of each kind may have been advanced before it
    };
    struct Task {
        std::uint32_t lp;
        std::uint32_t part;
        const Step* step;
    };

    /// `members`: the greatest number of threads in the team.
    SideSteps(std::size_t lps, std::size_t members);

    /// The index of a step among those that may be under way; each index has its own messages and batches.
    static std::size_t set_of(unsigned side, std::uint64_t number) { return 2 * side + number % 2; }

    /// Call it before the first step, with no thread at work: sets each member's first LPs, and the side of each LP.
    void begin(const WorkPlan& plan, std::span<const std::uint8_t> side_of_lp);
    /// Steps are numbered from 1 on.
    void open(const Step& step);

    /// Claims a task: first of the member's own part, then of the ends of others' parts, so that it takes over the same
    /// LPs step after step; of each part, a task of the oldest step. An LP that is likely to be still in its previous
    /// step is left for later.
    bool claim(std::size_t member, Task& task);
    /// Waits until the LP has finished the previous step.
    void wait_for_turn(const Task& task) const;
    /// Ends an LP's part of the step, with a lower bound of its events and of the messages that it keeps. Returns
    /// whether the step is complete; if several members end the last LPs of their parts at the same time, several may
    /// get true.
    bool end(std::size_t member, const Task& task, std::size_t source, Time event, const std::array<Time, 2>& kept);

    /// Whether all LPs of the side have finished the step.
    bool is_complete(unsigned side, std::uint64_t number) const;
    /// A lower bound of the events of a complete step's LPs and of the messages that they kept.
    SourceTimes after(unsigned side, std::uint64_t number) const;

    /// The LPs of a side.
    std::span<const std::uint32_t> lps(unsigned side) const { return sides_[side].lps; }

  private:
    struct Side {
        std::vector<std::uint32_t> lps;     ///< part by part
        std::vector<std::uint32_t> begins;  ///< of each part in `lps`, and the end
    };
    /// Unclaimed indices of Side::lps, from `first` on, before `end`.
    struct Places {
        std::uint32_t first = 0;
        std::uint32_t end = 0;
    };
    /// The progress of a part in the steps that may be under way. Mostly one thread reads and writes it.
    struct alignas(64) Part {
        std::array<std::atomic<Places>, kSets> free{};
        std::array<std::atomic<std::uint32_t>, kSets> left{};  ///< LPs that have not been through
    };
    struct alignas(64) Bounds {
        SourceTimes times;
    };
    struct alignas(64) Slot {
        std::atomic<std::uint64_t> number{0};
        Step step;
        std::vector<Bounds> after;  ///< by member
    };
    struct alignas(64) Done {
        std::atomic<std::uint64_t> step{0};
    };

    bool claim_of(std::size_t set, std::uint64_t number, std::size_t part, bool from_the_end, Task& task);
    bool is_complete(std::size_t set) const;

    std::array<Side, kSides> sides_;
    std::array<Slot, kSets> slots_;
    std::vector<Part> parts_;
    std::vector<Done> done_;  ///< by LP: the last step that it has been through
};

}  // namespace lookahead
