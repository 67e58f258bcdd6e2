#include "core/sync/side_steps.h"

#include <algorithm>
#include <utility>

#include "core/error/error.h"
#include "core/mutation/rule.h"
#include "core/sync/patience.h"

namespace lookahead {

SideSteps::SideSteps(std::size_t lps, std::size_t members) : done_(lps) {
    for (Slot& slot : slots_) { slot.after = std::vector<Bounds>(members); }
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
    for (Slot& slot : slots_) { slot.number.store(0, std::memory_order_relaxed); }
    if (parts_.size() != plan.parts()) { parts_ = std::vector<Part>(plan.parts()); }
    for (Part& part : parts_) {
        for (std::atomic<Places>& free : part.free) { free.store({}, std::memory_order_relaxed); }
    }
    for (Done& done : done_) { done.step.store(0, std::memory_order_relaxed); }
}

void SideSteps::open(const Step& step) {
    const std::size_t set = set_of(step.side, step.number);
    LOOKAHEAD_ASSERT(is_complete(set), "a third step of a side was opened");
    Slot& slot = slots_[set];
    const Side& side = sides_[step.side];
    slot.step = step;
    std::ranges::fill(slot.after, Bounds{all_at<kSourceCount>(kTimeInfinity)});
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        parts_[part].left[set].store(side.begins[part + 1] - side.begins[part], std::memory_order_relaxed);
    }
    slot.number.store(step.number, std::memory_order_relaxed);
    // Who claims a place sees all that was written before.
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        parts_[part].free[set].store({side.begins[part], side.begins[part + 1]}, std::memory_order_release);
    }
}

/// A place of a part that nobody has taken, unless its LP is still in its step before.
bool SideSteps::claim_of(std::size_t set, std::uint64_t number, std::size_t part, bool from_the_end, Task& task) {
    const Side& side = sides_[set / 2];
    std::atomic<Places>& free = parts_[part].free[set];
    Places seen = free.load(std::memory_order_relaxed);
    while (seen.first < seen.end) {
        const std::uint32_t place = from_the_end ? seen.end - 1 : seen.first;
        if (done_[side.lps[place]].step.load(std::memory_order_relaxed) + 1 != number) { return false; }
        const Places rest = from_the_end ? Places{seen.first, place} : Places{place + 1, seen.end};
        if (free.compare_exchange_weak(seen, rest, std::memory_order_acquire, std::memory_order_relaxed)) {
            task = {side.lps[place], static_cast<std::uint32_t>(part), &slots_[set].step};
            return true;
        }
    }
    return false;
}

bool SideSteps::claim(std::size_t member, Task& task) {
    std::array<std::pair<std::uint64_t, std::size_t>, kSets> oldest;
    for (std::size_t set = 0; set < kSets; ++set) {
        oldest[set] = {slots_[set].number.load(std::memory_order_relaxed), set};
    }
    std::ranges::sort(oldest);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        for (const auto& [number, set] : oldest) {
            if (claim_of(set, number, (member + i) % parts_.size(), i > 0, task)) { return true; }
        }
    }
    return false;
}

void SideSteps::wait_for_turn(const Task& task) const {
    const std::uint64_t before = task.step->number - 1;
    Patience patience;
    while (done_[task.lp].step.load(std::memory_order_acquire) != before && LOOKAHEAD_RULE(one_step_after_the_other)) {
        patience.after_a_look();  // nobody would wake it
    }
}

bool SideSteps::end(std::size_t member, const Task& task, std::size_t source, Time event,
                    const std::array<Time, 2>& kept) {
    const std::size_t set = set_of(task.step->side, task.step->number);
    SourceTimes& after = slots_[set].after[member].times;
    after[source] = std::min({after[source], event, kept[0]});
    after[kAnswers] = std::min(after[kAnswers], kept[1]);
    done_[task.lp].step.store(task.step->number, std::memory_order_release);
    // Sequentially consistent: of two members that end the last LPs of two parts one sees both at their end.
    return parts_[task.part].left[set].fetch_sub(1) == 1 && is_complete(set);
}

bool SideSteps::is_complete(unsigned side, std::uint64_t number) const {
    return is_complete(set_of(side, number));
}

bool SideSteps::is_complete(std::size_t set) const {
    return std::ranges::all_of(parts_, [set](const Part& part) { return part.left[set].load() == 0; });
}

SourceTimes SideSteps::after(unsigned side, std::uint64_t number) const {
    SourceTimes all = all_at<kSourceCount>(kTimeInfinity);
    for (const Bounds& of_member : slots_[set_of(side, number)].after) { lower_each(all, of_member.times); }
    return all;
}

}  // namespace lookahead
