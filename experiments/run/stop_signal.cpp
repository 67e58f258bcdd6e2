#include "experiments/run/stop_signal.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "core/error/error.h"

namespace lookahead {

namespace {

constexpr int kSignals[] = {SIGUSR1, SIGTERM, SIGINT, SIGHUP};
constexpr std::int64_t kTwiceAfterMs = 250;
constexpr std::int64_t kNever = -1;

std::atomic<bool> signalled = false;
std::atomic<std::int64_t> first_ms = kNever;  ///< time of the first of the signals whose second one ends the process
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "used in a signal handler");

std::int64_t now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

void note(int number) {
    signalled = true;
    if (number == SIGUSR1) { return; }
    std::int64_t first = kNever;
    const std::int64_t now = now_ms();
    if (!first_ms.compare_exchange_strong(first, now) && now - first >= kTwiceAfterMs) {
        signal(number, SIG_DFL);
        raise(number);  // delivered when this handler returns
    }
}

void end_start(int) {
    constexpr std::string_view kSentence =
        "lookahead: stopped on request before the simulation began; the same command starts anew\n";
    // If stderr is closed, the sentence is lost.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kSentence.data(), kSentence.size());
    _exit(static_cast<int>(ExitCode::stopped_at_checkpoint));
}

void handle_with(void (*handler)(int number)) {
    for (const int number : kSignals) {
        struct sigaction before {};
        sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) {
            struct sigaction action {};
            action.sa_handler = handler;
            action.sa_flags = SA_RESTART;
            sigaction(number, &action, nullptr);
        }
    }
}

}  // namespace

void StopSignal::end_start_from_now() {
    handle_with(end_start);
}

void StopSignal::note_from_now() {
    handle_with(note);
}

void StopSignal::end_process_from_now() {
    for (const int number : kSignals) {
        struct sigaction before {};
        sigaction(number, nullptr, &before);
        if (before.sa_handler == note || before.sa_handler == end_start) { signal(number, SIG_DFL); }
    }
    if (signalled) { raise(SIGTERM); }
}

bool StopSignal::came() {
    return signalled;
}

void StopSignal::forget() {
    signalled = false;
}

}  // namespace lookahead
