#include "experiments/run/stop_signal.h"

#include <signal.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace lookahead {

namespace {

constexpr int kSignals[] = {SIGUSR1, SIGTERM, SIGINT, SIGHUP};
constexpr std::int64_t kTwiceAfterMs = 250;
constexpr std::int64_t kNever = -1;

std::atomic<bool> signalled = false;
std::atomic<std::int64_t> first_ms = kNever;  ///< when the first of those came of which a second one ends the process
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "used in a signal handler");

std::int64_t now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

void note(int number) {
    signalled = true;
    if (number == SIGUSR1) {
        return;
    }
    std::int64_t first = kNever;
    const std::int64_t now = now_ms();
    if (!first_ms.compare_exchange_strong(first, now) && now - first >= kTwiceAfterMs) {
        signal(number, SIG_DFL);
        raise(number);  // comes when this handler returns
    }
}

}  // namespace

void StopSignal::note_from_now() {
    for (const int number : kSignals) {
        struct sigaction before {};
        sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) {
            struct sigaction action {};
            action.sa_handler = note;
            action.sa_flags = SA_RESTART;
            sigaction(number, &action, nullptr);
        }
    }
}

void StopSignal::end_process_from_now() {
    for (const int number : kSignals) {
        struct sigaction before {};
        sigaction(number, nullptr, &before);
        if (before.sa_handler == note) {
            signal(number, SIG_DFL);
        }
    }
    if (signalled) {
        raise(SIGTERM);
    }
}

bool StopSignal::came() {
    return signalled;
}

void StopSignal::forget() {
    signalled = false;
}

}  // namespace lookahead
