#include "core/sync/side_steps.h"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>

#include "core/error/error.h"
#include "core/mutation/rule.h"

namespace lookahead {

SideSteps::SideSteps(std::size_t lps, std::size_t members) : done_(lps) {
    for (Slot& slot : slots_) {
        slot.after = std::vector<Bounds>(members);
    }
}

void SideSteps::begin(const WorkPlan& plan, std::span<const std::uint8_t> side_of_lp) {
    for (unsigned side = 0; side < kSides; ++side) {
        Side& mine = sides_[side];
        mine.lps.clear();
        mine.begins.clear();
        for (std::size_t part = 0; part < plan.parts(); ++part) {
            mine.begins.push_back(static_cast<std::uint32_t>(mine.lps.size()));
            std::ranges::copy_if(plan.part(part), std::back_inserter(mine.lps),
                                 [&](std::uint32_t lp) { return side_of_lp[lp] == side; });
        }
        mine.begins.push_back(static_cast<std::uint32_t>(mine.lps.size()));
    }
    for (Slot& slot : slots_) {
        slot.number.store(0, std::memory_order_relaxed);
        if (slot.parts.size() != plan.parts()) {
            slot.parts = std::vector<Part>(plan.parts());
        }
        for (Part& part : slot.parts) {
            part.next.store(kNothingLeft, std::memory_order_relaxed);
        }
    }
    for (std::atomic<std::uint64_t>& done : done_) {
        done.store(0, std::memory_order_relaxed);
    }
}

void SideSteps::open(const Step& step) {
    Slot& slot = slots_[set_of(step.side, step.number)];
    const Side& side = sides_[step.side];
    LOOKAHEAD_ASSERT(slot.left.load(std::memory_order_relaxed) == 0, "a third step of a side was opened");
    slot.step = step;
    std::ranges::fill(slot.after, Bounds{all_at<kSourceCount>(kTimeInfinity)});
    slot.left.store(static_cast<std::uint32_t>(side.lps.size()), std::memory_order_relaxed);
    slot.number.store(step.number, std::memory_order_release);
    // Who claims a place sees all that was written before.
    for (std::size_t part = 0; part < slot.parts.size(); ++part) {
        slot.parts[part].next.store(side.begins[part], std::memory_order_release);
    }
}

/// The next place of a part that nobody has taken.
bool SideSteps::claim_of(std::size_t set, std::size_t part, Task& task) {
    Slot& slot = slots_[set];
    const Side& side = sides_[set / 2];
    std::atomic<std::uint32_t>& next = slot.parts[part].next;
    if (next.load(std::memory_order_relaxed) >= side.begins[part + 1]) {
        return false;
    }
    const std::uint32_t place = next.fetch_add(1, std::memory_order_acquire);
    if (place >= side.begins[part + 1]) {
        return false;
    }
    task = {side.lps[place], &slot.step};
    return true;
}

bool SideSteps::claim(std::size_t member, Task& task) {
    std::array<std::pair<std::uint64_t, std::size_t>, kSets> open;
    std::size_t count = 0;
    for (std::size_t set = 0; set < kSets; ++set) {
        const std::uint64_t number = slots_[set].number.load(std::memory_order_acquire);
        if (number > 0 && slots_[set].left.load(std::memory_order_relaxed) > 0) {
            open[count++] = {number, set};
        }
    }
    const auto oldest = std::span(open).first(count);
    if (LOOKAHEAD_RULE(oldest_step_first)) {
        std::ranges::sort(oldest);
    }
    const std::size_t parts = slots_.front().parts.size();
    for (std::size_t i = 0; i < parts; ++i) {
        for (const auto& [number, set] : oldest) {
            if (claim_of(set, (member + i) % parts, task)) {
                return true;
            }
        }
    }
    return false;
}

void SideSteps::wait_for_turn(const Task& task) const {
    constexpr int kLooksBeforeYield = 1000;
    const std::uint64_t before = task.step->number - 1;
    for (int look = 0;
         done_[task.lp].load(std::memory_order_acquire) != before && LOOKAHEAD_RULE(one_step_after_the_other); ++look) {
        if (look < kLooksBeforeYield) {
            _mm_pause();
        } else {
            sched_yield();
        }
    }
}

bool SideSteps::end(std::size_t member, const Task& task, std::size_t source, Time event,
                    const std::array<Time, 2>& kept) {
    Slot& slot = slots_[set_of(task.step->side, task.step->number)];
    SourceTimes& after = slot.after[member].times;
    after[source] = std::min({after[source], event, kept[0]});
    after[kAnswers] = std::min(after[kAnswers], kept[1]);
    done_[task.lp].store(task.step->number, std::memory_order_release);
    return slot.left.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

bool SideSteps::is_complete(unsigned side, std::uint64_t number) const {
    const Slot& slot = slots_[set_of(side, number)];
    return slot.left.load(std::memory_order_acquire) == 0;
}

SourceTimes SideSteps::after(unsigned side, std::uint64_t number) const {
    SourceTimes all = all_at<kSourceCount>(kTimeInfinity);
    for (const Bounds& of_member : slots_[set_of(side, number)].after) {
        lower_each(all, of_member.times);
    }
    return all;
}

}  // namespace lookahead
