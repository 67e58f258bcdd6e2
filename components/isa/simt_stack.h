#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/isa/lane_mask.h"
#include "components/isa/operand.h"
#include "core/state/state_archive.h"

namespace lookahead::isa {

/// Which lanes of a warp run, and where: a stack that reconverges at immediate post-dominators (Fung et al., MICRO
/// 2007). After a divergent branch the lanes that fall through run first. Program counters are instruction indices.
///
/// The top entry runs. The pc of every entry differs from its reconvergence point: an entry that reaches that point is
/// popped, and its lanes go on in the entry below, which waits there with all of them.
class SimtStack {
  public:
    /// One path: lanes `mask` at `pc`, which merge with others at `reconvergence` (kNoTarget: at their exit only).
    struct Entry {
        std::uint32_t pc = 0;
        std::uint32_t reconvergence = kNoTarget;
        LaneMask mask = 0;
        bool operator==(const Entry&) const = default;
        void fields(StateArchive& archive) { archive& pc& reconvergence& mask; }
    };

    SimtStack() = default;
    SimtStack(std::uint32_t pc, LaneMask mask) : top_{pc, kNoTarget, mask} {}

    std::uint32_t pc() const { return top_.pc; }
    LaneMask active() const { return top_.mask; }
    /// Whether all lanes have exited.
    bool done() const { return top_.mask == 0; }
    /// Lanes that have not exited, on all paths.
    LaneMask alive() const {
        LaneMask lanes = top_.mask;
        for (std::uint32_t i = 0; i < waiting_; ++i) { lanes |= at(i).mask; }
        return lanes;
    }
    bool diverged() const { return alive() != top_.mask; }
    /// Paths, the running one included.
    std::size_t depth() const { return done() ? 0 : waiting_ + 1; }
    /// Calls visit(pc, lanes) for the lanes of each other path: they go on at `pc` when it is their turn.
    void for_each_later(auto visit) const {
        LaneMask above = top_.mask;
        for (std::uint32_t i = waiting_; i-- > 0; above |= at(i).mask) {
            if ((at(i).mask & ~above) != 0) { visit(at(i).pc, at(i).mask & ~above); }
        }
    }

    /// Advances to the next instruction.
    void advance() {
        ++top_.pc;
        merge();
    }

    /// Lanes of `taken` (within active()) go to `target`, the other active ones to `fallthrough`.
    void branch(LaneMask taken, std::uint32_t target, std::uint32_t fallthrough, std::uint32_t reconvergence) {
        const LaneMask falling = top_.mask & ~taken;
        if (taken == 0 || falling == 0 || target == fallthrough) {
            top_.pc = taken != 0 ? target : fallthrough;
            merge();
            return;
        }
        diverge(taken, target, falling, fallthrough, reconvergence);
    }

    /// Lanes of `mask` (within active()) end; the other active ones go on to the next instruction.
    void exit(LaneMask mask) {
        for (std::uint32_t i = 0; i < waiting_; ++i) { at(i).mask &= ~mask; }
        drop_empty_waiting();
        top_.mask &= ~mask;
        if (top_.mask != 0) {
            advance();
        } else if (waiting_ != 0) {
            pop();
        }
    }

    void fields(StateArchive& archive) {
        archive& waiting_;
        if (waiting_ > kInline && overflow_.size() < waiting_ - kInline) { overflow_.resize(waiting_ - kInline); }
        archive& top_;
        for (std::uint32_t i = 0; i < waiting_; ++i) { archive& at(i); }
    }

    bool operator==(const SimtStack& other) const {
        if (waiting_ != other.waiting_ || top_ != other.top_) { return false; }
        for (std::uint32_t i = 0; i < waiting_; ++i) {
            if (at(i) != other.at(i)) { return false; }
        }
        return true;
    }

  protected:
    static constexpr std::uint32_t kInline = 6;

    Entry& at(std::uint32_t i) { return i < kInline ? inline_[i] : overflow_[i - kInline]; }
    const Entry& at(std::uint32_t i) const { return i < kInline ? inline_[i] : overflow_[i - kInline]; }

    void push(const Entry& entry) {
        if (waiting_ >= kInline && overflow_.size() == waiting_ - kInline) { overflow_.emplace_back(); }
        at(waiting_++) = entry;
    }
    void pop() { top_ = at(--waiting_); }

    void merge() {
        while (top_.pc == top_.reconvergence) { pop(); }
    }

    void diverge(LaneMask taken, std::uint32_t target, LaneMask falling, std::uint32_t fallthrough,
                 std::uint32_t reconvergence) {
        // Without their own reconvergence point the paths end where the enclosing path does.
        if (reconvergence == kNoTarget) { reconvergence = top_.reconvergence; }
        // If the enclosing path ends there too, the entry that waits for it is below already.
        if (reconvergence != top_.reconvergence) { push({reconvergence, top_.reconvergence, top_.mask}); }
        const Entry taken_path{target, reconvergence, taken};
        const Entry falling_path{fallthrough, reconvergence, falling};
        if (fallthrough == reconvergence) {
            top_ = taken_path;
        } else {
            if (target != reconvergence) { push(taken_path); }
            top_ = falling_path;
        }
    }

    void drop_empty_waiting() {
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < waiting_; ++i) {
            if (at(i).mask != 0) { at(kept++) = at(i); }
        }
        waiting_ = kept;
    }

    Entry top_;
    std::uint32_t waiting_ = 0;
    std::array<Entry, kInline> inline_{};
    std::vector<Entry> overflow_;
};

}  // namespace lookahead::isa
