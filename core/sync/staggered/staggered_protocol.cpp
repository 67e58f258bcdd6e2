#include "core/sync/staggered/staggered_protocol.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/mutation/rule.h"

namespace lookahead {

void StaggeredProtocol::Bounds::join(const Bounds& other) {
    lower_each(after, other.after);
    for (unsigned side = 0; side < kSides; ++side) { lower_each(sent[side], other.sent[side]); }
}

SourceTimes StaggeredProtocol::Bounds::all() const {
    SourceTimes all = after;
    for (const SourceTimes& to_side : sent) { lower_each(all, to_side); }
    return all;
}

StaggeredProtocol::StaggeredProtocol(const SyncArguments& arguments)
    : SyncProtocol(arguments),
      sides_in_use_(lookahead_.has_two_sides() ? kSides : 1),
      longest_step_(lookahead_.half_way_back()),
      waiting_(std::min(Patience::kLooks, transport_.looks_before_yield())) {
    engine_.divide_batches();
    engine_.reserve_batch_headers(sizeof(PacketHead) / 8);
}

void StaggeredProtocol::run_epoch(std::span<const Time> earliest, Time boundary) {
    engine_.start_clock();
    begin_epoch(earliest, boundary);
    engine_.share([this](std::size_t member) {
        try {
            work_until_end(member);
        } catch (...) {
            wake_at_end();
            throw;
        }
        wake_at_end();
    });
    engine_.end_steps(last_);
    engine_.account(TraceActivity::blocked);
}

/// As if each side had been through a step 0 and sent nothing.
void StaggeredProtocol::begin_epoch(std::span<const Time> earliest, Time boundary) {
    boundary_ = boundary;
    looked_at_ = 0;
    last_ = 0;
    is_over_.store(false);
    const Time first = *std::ranges::min_element(earliest);
    const Time mine = earliest[static_cast<std::size_t>(transport_.rank())];
    for (Progress& side : sides_) {
        side = {};
        side.horizons = all_at<kMostKinds>(first);
        side.steps[0].here.after = all_at<kSourceCount>(mine);
        side.steps[0].everywhere.after = all_at<kSourceCount>(first);
    }
    engine_.begin_steps();
    look_after(0);
}

void StaggeredProtocol::wake_at_end() {
    is_over_.store(true);
    ++opened_;
    opened_.notify_all();
}

void StaggeredProtocol::work_until_end(std::size_t member) {
    const bool may_look_after = member == 0 || transport_.takes_any_thread();
    bool waits = false;
    for (Patience patience; !is_over_.load(std::memory_order_acquire);) {
        const std::uint32_t seen = opened_.load(std::memory_order_acquire);
        const StepWork done = engine_.work_on_steps(member, waits);
        const bool has_news = done != StepWork::some || transport_.size() > 1;
        bool has_looked = false;
        if (has_news && may_look_after && looking_after_.try_lock()) {
            const std::lock_guard lock(looking_after_, std::adopt_lock);
            has_looked = look_after(member);
        }
        if (member == 0 && done == StepWork::none && !std::exchange(waits, true)) {
            engine_.account(TraceActivity::compute);
            waiting_.begin();
        }
        if (done != StepWork::none || has_looked) {
            waits = waits && done == StepWork::none;
            patience.begin();
        } else if (member == 0) {
            waiting_.after_a_look();
        } else if (!patience.after_a_look()) {
            opened_.wait(seen);
        }
    }
    if (member == 0 && !waits) { engine_.account(TraceActivity::compute); }
}

bool StaggeredProtocol::look_after(std::size_t member) {
    bool any = take_packets(member);
    for (unsigned side = 0; side < sides_in_use_; ++side) { any |= tell_complete_step(side); }
    for (unsigned side = 0; side < sides_in_use_; ++side) { count_known(side); }
    look_for_end();
    for (unsigned side = 0; side < sides_in_use_; ++side) {
        while (may_open(side)) {
            open(side);
            any = true;
        }
    }
    return any;
}

bool StaggeredProtocol::take_packets(std::size_t member) {
    bool any = false;
    for (std::size_t batch = 0; batch < routes_.batches(); ++batch) {
        std::span<const std::byte> packet;
        while (transport_.try_receive(routes_.from(batch), packet)) {
            PacketHead head;
            std::memcpy(&head, packet.data(), sizeof head);
            const auto side = static_cast<unsigned>(head.side);
            engine_.deliver_to_step(member, side, head.number, packet.subspan(sizeof head));
            Told& told = step(side, head.number);
            told.everywhere.join(head.bounds);
            told.here.join({.sent = head.bounds.sent});
            ++told.ranks;
            any = true;
        }
    }
    return any;
}

bool StaggeredProtocol::tell_complete_step(unsigned side) {
    Progress& mine = sides_[side];
    const std::uint64_t number = mine.told + 1;
    if (mine.told == mine.opened || !engine_.step_is_complete(side, number)) { return false; }
    Told& told = step(side, number);
    const PacketHead head{side, number, {engine_.after_step(side, number), engine_.sent_in_step(side, number)}};
    for (std::size_t batch = 0; batch < routes_.batches(); ++batch) {
        Batch& messages = engine_.batch_of_step(side, number, batch);
        std::memcpy(RankEngine::batch_header(messages), &head, sizeof head);
        const std::size_t bytes = messages.bytes.size();
        transport_.send(routes_.to(batch), messages.bytes);
        engine_.reset_batch(messages, bytes);
    }
    told.here.join(head.bounds);
    told.everywhere.join(head.bounds);
    ++told.ranks;
    mine.told = number;
    return true;
}

void StaggeredProtocol::count_known(unsigned side) {
    Progress& mine = sides_[side];
    while (mine.told > mine.known && step(side, mine.known + 1).ranks == transport_.size()) {
        ++mine.known;
        step(side, mine.known + kAhead) = {};
    }
}

/// Once nothing is left before the boundary all ranks end with the step after, in which there is nothing to do: some
/// may have opened it before they know.
void StaggeredProtocol::look_for_end() {
    const std::uint64_t known = std::ranges::min(sides(), {}, &Progress::known).known;
    for (; last_ == 0 && looked_at_ < known; ++looked_at_) {
        SourceTimes left = all_at<kSourceCount>(kTimeInfinity);
        for (unsigned side = 0; side < sides_in_use_; ++side) {
            lower_each(left, step(side, looked_at_ + 1).everywhere.all());
        }
        if (least_of(left) >= boundary_) { last_ = looked_at_ + 2; }
    }
    if (last_ > 0 && known == last_) { is_over_.store(true, std::memory_order_release); }
}

bool StaggeredProtocol::may_open(unsigned side) const {
    const std::uint64_t opened = sides_[side].opened;
    if (last_ > 0 && opened == last_) { return false; }
    const bool waits_for_all = side == 0 && LOOKAHEAD_RULE(who_speaks_to_another_waits_for_it);
    return sides_[0].known >= opened && (!waits_for_all || sides_in_use_ == 1 || sides_[1].known >= opened);
}

SourceTimes StaggeredProtocol::pending(std::uint64_t number, bool is_complete, Bounds Told::*of) {
    SourceTimes pending = (step(0, number).*of).all();
    if (sides_in_use_ == 1) { return pending; }
    if (is_complete) {
        lower_each(pending, (step(1, number).*of).all());
    } else {
        lower_each(pending, (step(1, number - 1).*of).after);
        lower_each(pending, (step(0, number - 1).*of).sent[1]);
    }
    return pending;
}

void StaggeredProtocol::open(unsigned side) {
    Progress& mine = sides_[side];
    const std::uint64_t before = mine.opened;
    const Time begin = engine_.of_most(mine.horizons);
    const SourceTimes here = pending(before, sides_[1].told >= before, &Told::here);
    const SourceTimes everywhere = pending(before, sides_[1].known >= before, &Told::everywhere);
    const KindTimes within = lookahead_.from_within(here), elsewhere = lookahead_.from_elsewhere(everywhere);
    const Time first = least_of(everywhere);
    for (std::size_t kind = 0; kind < kMostKinds; ++kind) {
        const Time end = std::min({boundary_, within[kind], elsewhere[kind]});
        const Time longest = saturating_add(std::max(first, mine.horizons[kind]), longest_step_);
        mine.horizons[kind] = std::max(mine.horizons[kind], std::min(end, side == 1 ? longest : end));
    }
    engine_.open_step(side, before + 1, mine.horizons);
    if (const Time gone = engine_.of_most(mine.horizons) - begin; gone > 0) { engine_.count_window(gone); }
    mine.opened = before + 1;
    ++opened_;
    opened_.notify_all();
}

}  // namespace lookahead
