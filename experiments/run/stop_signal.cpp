#include "experiments/run/stop_signal.h"

#include <csignal>

namespace lookahead {

namespace {

volatile std::sig_atomic_t signalled = 0;

void note(int) {
    signalled = 1;
}

}  // namespace

StopSignal::StopSignal() {
    signalled = 0;
    std::signal(SIGUSR1, note);
}

StopSignal::~StopSignal() {
    std::signal(SIGUSR1, SIG_DFL);
}

bool StopSignal::came() {
    return signalled != 0;
}

void StopSignal::forget() {
    signalled = 0;
}

}  // namespace lookahead
