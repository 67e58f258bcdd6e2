#include "components/isa/simt_state.h"

#include <algorithm>

namespace lookahead::isa {

void SimtState::start(SimtModel model, std::uint32_t pc, LaneMask mask) {
    model_ = model;
    top_ = {pc, kNoTarget, mask};
    waiting_ = 0;
    resumed_ = false;
    top_barrier_ = kNoBarrier;
    credit_ = kPatience;
    spins_ = spin_pc_ = spin_lanes_ = 0;
    others_.clear();
    barriers_.clear();
    meetings_.clear();
}

std::uint16_t SimtState::open_barrier(std::uint32_t pc, LaneMask members) {
    const auto free = std::ranges::find(barriers_, LaneMask{0}, &Barrier::members);
    const auto number = static_cast<std::uint16_t>(free - barriers_.begin());
    if (free == barriers_.end()) { barriers_.emplace_back(); }
    barriers_[number] = {pc, members, top_barrier_};
    return number;
}

void SimtState::open(std::uint32_t pc, std::uint8_t number) {
    if (model_ == SimtModel::stack) { return; }
    if (pc != top_.reconvergence) {
        top_barrier_ = open_barrier(pc, top_.mask);
        top_.reconvergence = pc;
    }
    barriers_[top_barrier_].number = number;
}

void SimtState::leave(LaneMask lanes, std::uint8_t number) {
    if (model_ == SimtModel::stack) { return; }
    std::uint16_t barrier = top_barrier_;
    while (barrier != kNoBarrier && barriers_[barrier].number != number) { barrier = barriers_[barrier].parent; }
    if (barrier == kNoBarrier) { return; }
    barriers_[barrier].members &= ~lanes;
    if (barriers_[barrier].members == 0) {
        take_out(barrier);
    } else {
        complete(barrier);
    }
    top_barrier_ = with_members(top_barrier_, top_.mask);
    top_.reconvergence = pc_of(top_barrier_);
}

/// The barrier if some of the lanes are its members, else the innermost enclosing barrier of which some are.
std::uint16_t SimtState::with_members(std::uint16_t barrier, LaneMask lanes) const {
    while (barrier != kNoBarrier && (barriers_[barrier].members & lanes) == 0) { barrier = barriers_[barrier].parent; }
    return barrier;
}

/// Takes the barrier out of all chains: its lanes have left it, and its place is free.
void SimtState::take_out(std::uint16_t barrier) {
    const std::uint16_t parent = barriers_[barrier].parent;
    if (top_barrier_ == barrier) { top_barrier_ = parent; }
    for (Path& path : others_) {
        if (path.barrier == barrier) { path.barrier = parent; }
    }
    for (Barrier& each : barriers_) {
        if (each.parent == barrier) { each.parent = parent; }
    }
}

/// Lanes that fall through run first, as on the stack.
void SimtState::split(LaneMask taken, std::uint32_t target, std::uint32_t fallthrough, std::uint32_t reconvergence) {
    if (reconvergence != kNoTarget && reconvergence != top_.reconvergence) {
        top_barrier_ = open_barrier(reconvergence, top_.mask);
        top_.reconvergence = reconvergence;
    }
    Path other{target, taken, with_members(top_barrier_, taken)};
    top_.mask &= ~taken;
    top_barrier_ = with_members(top_barrier_, top_.mask);
    top_.reconvergence = pc_of(top_barrier_);
    top_.pc = fallthrough;
    if (fallthrough == top_.reconvergence) {
        std::swap(other.pc, top_.pc);
        std::swap(other.mask, top_.mask);
        std::swap(other.barrier, top_barrier_);
        top_.reconvergence = pc_of(top_barrier_);
    }
    if (other.pc == pc_of(other.barrier)) { other.wait = Wait::convergence; }
    others_.push_back(other);
}

LaneMask SimtState::waiting_at(std::uint16_t barrier) const {
    LaneMask lanes = 0;
    for (const Path& path : others_) { lanes |= path.waits_at(barrier) ? path.mask : 0; }
    return lanes;
}

/// The running path is at its convergence barrier.
void SimtState::arrive() {
    while (top_.pc == top_.reconvergence) {
        const std::uint16_t barrier = top_barrier_;
        barriers_[barrier].members |= top_.mask;
        const LaneMask arrived = top_.mask | waiting_at(barrier);
        if (arrived != barriers_[barrier].members) {
            put_aside(Wait::convergence);
            return run_next();
        }
        std::erase_if(others_, [=](const Path& path) { return path.waits_at(barrier); });
        top_.mask = arrived;
        top_barrier_ = with_members(barriers_[barrier].parent, arrived);
        top_.reconvergence = pc_of(top_barrier_);
        barriers_[barrier].members = 0;
    }
}

/// Lanes have ended or left the barrier: the waiting ones may be the only ones left.
void SimtState::complete(std::uint16_t barrier) {
    Barrier& at = barriers_[barrier];
    const LaneMask arrived = waiting_at(barrier);
    if (at.members == 0 || arrived != at.members) { return; }
    std::erase_if(others_, [=](const Path& path) { return path.waits_at(barrier); });
    // The other paths go first: they have waited longer.
    others_.insert(others_.begin(), Path{at.pc, arrived, at.parent});
    at.members = 0;
}

/// `path` no longer waits at its convergence barrier.
void SimtState::leave(Path& path) {
    const std::uint16_t barrier = path.barrier;
    path.wait = Wait::none;
    path.old = false;
    path.barrier = barriers_[barrier].parent;
    barriers_[barrier].members &= ~path.mask;
}

void SimtState::put_aside(Wait wait) {
    others_.push_back({top_.pc, top_.mask, top_barrier_, wait});
    top_ = {kNoTarget - 1, kNoTarget, 0};
    top_barrier_ = kNoBarrier;
}

void SimtState::run(const Path& path) {
    top_ = {path.pc, pc_of(path.barrier), path.mask};
    top_barrier_ = path.barrier;
    resumed_ = path.wait == Wait::resumed;
}

/// No path runs: takes the last one that can, or releases the one that has waited longest at a convergence barrier.
void SimtState::run_next() {
    for (;;) {
        auto next = std::find_if(others_.rbegin(), others_.rend(), can_run);
        if (next == others_.rend()) {
            const auto waiting = std::ranges::find(others_, Wait::convergence, &Path::wait);
            if (waiting == others_.end()) {
                top_ = {kNoTarget - 1, kNoTarget, 0};
                top_barrier_ = kNoBarrier;
                resumed_ = false;
                return;
            }
            const std::uint16_t barrier = waiting->barrier;
            leave(*waiting);
            complete(barrier);
            continue;
        }
        const Path path = *next;
        others_.erase(std::next(next).base());
        run(path);
        if (top_.pc != top_.reconvergence || resumed_) { return; }
        return arrive();
    }
}

void SimtState::branched_back(bool yields) {
    if (!runs()) { return; }
    if (model_ == SimtModel::stack) {
        if (!yields || !SimtStack::diverged()) { return; }
        const bool again = spin_pc_ == top_.pc && spin_lanes_ == top_.mask;
        spins_ = again ? spins_ + 1 : 1;
        spin_pc_ = top_.pc;
        spin_lanes_ = top_.mask;
        return;
    }
    credit_ -= yields ? kYieldCost : 1;
    const bool out_of_patience = credit_ <= 0;
    if (out_of_patience) {
        credit_ = kPatience;
        for (Path& path : others_) {
            if (path.wait != Wait::convergence) { continue; }
            if (path.old) {
                leave(path);
            } else {
                path.old = true;
            }
        }
        for (std::uint16_t barrier = 0; barrier < barriers_.size(); ++barrier) { complete(barrier); }
    }
    if ((yields || out_of_patience) && std::ranges::any_of(others_, can_run)) {
        others_.insert(others_.begin(), {top_.pc, top_.mask, top_barrier_});
        run_next();
    }
}

void SimtState::remove_from_barriers(LaneMask lanes) {
    for (std::uint16_t barrier = 0; barrier < barriers_.size(); ++barrier) {
        if ((barriers_[barrier].members & lanes) == 0) { continue; }
        barriers_[barrier].members &= ~lanes;
        complete(barrier);
    }
}

void SimtState::exit(LaneMask mask) {
    if (model_ == SimtModel::stack) { return SimtStack::exit(mask); }
    top_.mask &= ~mask;
    if (!barriers_.empty()) { remove_from_barriers(mask); }
    // Meetings wait only for lanes that have not ended. A meeting that is complete may leave fewer paths.
    for (std::size_t i = 0; i < others_.size();) {
        i = others_[i].wait == Wait::meeting && join(others_[i].key, others_[i].members) ? 0 : i + 1;
    }
    if (top_.mask != 0) {
        advance();
    } else {
        run_next();
    }
}

SimtState::Arrival SimtState::meet(LaneMask lanes, LaneMask members, std::uint64_t key, LaneMask later, bool hold) {
    if (resumed_) {
        resumed_ = false;
        return Arrival::resumed;
    }
    if ((members & alive() & ~lanes) == 0) { return Arrival::alone; }
    if (later != 0) { others_.push_back({top_.pc, later, top_barrier_}); }
    others_.push_back({top_.pc, lanes, top_barrier_, Wait::meeting, false, hold, members, key});
    top_.mask &= ~(lanes | later);
    join(key, members);
    if (top_.mask != 0) {
        advance();
    } else {
        run_next();
    }
    return Arrival::apart;
}

/// If all living lanes of `members` wait for one another, they can run, or are held.
bool SimtState::join(std::uint64_t key, LaneMask members) {
    const auto waits = [&](const Path& path) {
        return path.wait == Wait::meeting && path.key == key && path.members == members;
    };
    LaneMask met = 0;
    std::uint32_t pc = 0;
    bool hold = false;
    for (const Path& path : others_) {
        if (!waits(path)) { continue; }
        met |= path.mask;
        pc = path.pc;
        hold = path.hold;
    }
    if ((members & alive() & ~met) != 0) { return false; }
    for (Path& path : others_) {
        if (waits(path)) { path.wait = hold ? Wait::held : Wait::resumed; }
    }
    meetings_.push_back({pc, met, hold});
    merge_equal_paths();
    return true;
}

/// Merges paths that have met at one place in the same convergence barriers.
void SimtState::merge_equal_paths() {
    for (std::size_t i = 0; i < others_.size(); ++i) {
        for (std::size_t k = others_.size(); --k > i;) {
            const Path& a = others_[i];
            const Path& b = others_[k];
            const bool met = a.wait == Wait::resumed || a.wait == Wait::held;
            if (!met || b.wait != a.wait || a.pc != b.pc || a.barrier != b.barrier) { continue; }
            others_[i].mask |= b.mask;
            others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
}

bool SimtState::holds() const {
    return std::ranges::any_of(others_, [](const Path& path) { return path.wait == Wait::held; });
}

void SimtState::release() {
    for (Path& path : others_) {
        if (path.wait == Wait::held) { path.wait = Wait::resumed; }
    }
    if (!runs()) { run_next(); }
}

}  // namespace lookahead::isa
