#include "core/sync/window_team.h"

#include <immintrin.h>

namespace lookahead {

WindowTeam::WindowTeam(std::size_t most, std::size_t tasks)
    : most_(most), claimed_(std::make_unique<std::atomic<std::uint8_t>[]>(tasks)) {}

void WindowTeam::open(std::span<const std::size_t> begins) {
    begins_ = begins;
    for (std::size_t task = 0; task < begins.back(); ++task) { claimed_[task].store(0, std::memory_order_relaxed); }
    ++window_;
    window_.notify_all();
}

void WindowTeam::close() {
    // A member is inside before it looks whether the window is still open: one of the two sees the other.
    const std::uint32_t next = window_.load(std::memory_order_relaxed) + 1;
    window_.store(next == kDismissed ? 0 : next);
    wait_until_empty();
}

void WindowTeam::dismiss() {
    const std::lock_guard lock(joining_);
    window_.store(kDismissed);
    window_.notify_all();
    wait_until_empty();
}

void WindowTeam::wait_until_empty() {
    for (waiting_.begin(); inside_.load() != 0; waiting_.after_a_look()) { _mm_pause(); }
}

std::optional<std::size_t> WindowTeam::join() {
    const std::lock_guard lock(joining_);
    const std::size_t number = members_.load(std::memory_order_relaxed);
    if (number >= most_ || window_.load() == kDismissed) { return std::nullopt; }
    members_.store(number + 1, std::memory_order_relaxed);
    return number;
}

bool WindowTeam::next_window(std::uint32_t& last) {
    for (Patience patience;;) {
        const std::uint32_t window = window_.load();
        if (window == kDismissed) { return false; }
        if (is_open(window) && window != last) {
            ++inside_;
            if (window_.load() == window) {
                last = window;
                return true;
            }
            --inside_;
        } else if (!patience.after_a_look()) {
            window_.wait(window);
        }
    }
}

}  // namespace lookahead
