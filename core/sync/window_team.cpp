#include "core/sync/window_team.h"

#include <immintrin.h>

#include <utility>

namespace lookahead {

WindowTeam::WindowTeam(std::size_t most, std::size_t tasks)
    : most_(most), claimed_(std::make_unique<std::atomic<std::uint8_t>[]>(tasks)) {}

void WindowTeam::share(std::span<const std::size_t> begins, const std::function<void(std::size_t member)>& work) {
    begins_ = begins;
    work_ = &work;
    for (std::size_t task = 0; task < begins.back(); ++task) { claimed_[task].store(0, std::memory_order_relaxed); }
    ++window_;
    window_.notify_all();
    run(0);
    // A member counts itself inside before it checks that the window is open, so one of the two sees the other.
    const std::uint32_t next = window_.load(std::memory_order_relaxed) + 1;
    window_.store(next == kDismissed ? 0 : next);
    wait_until_empty();
    if (thrown_) { std::rethrow_exception(std::exchange(thrown_, nullptr)); }
}

void WindowTeam::help() {
    const std::optional<std::size_t> member = join();
    for (std::uint32_t last = 0; member && next_window(last); --inside_) { run(*member); }
}

/// Keeps the first exception for the leader.
void WindowTeam::run(std::size_t member) {
    try {
        (*work_)(member);
    } catch (...) {
        const std::lock_guard lock(failing_);
        if (!thrown_) { thrown_ = std::current_exception(); }
    }
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

/// The member's number, from 1 on; none if the team is full or dismissed.
std::optional<std::size_t> WindowTeam::join() {
    const std::lock_guard lock(joining_);
    const std::size_t number = members_.load(std::memory_order_relaxed);
    if (number >= most_ || window_.load() == kDismissed) { return std::nullopt; }
    members_.store(number + 1, std::memory_order_relaxed);
    return number;
}

/// Waits for a window after those in which the member took part, and enters it. False if there will be none.
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
