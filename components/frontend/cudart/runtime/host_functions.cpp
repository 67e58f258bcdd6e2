#include "components/frontend/cudart/runtime/host_functions.h"

#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

namespace lookahead::cudart {

namespace {
constexpr std::chrono::seconds kLong{10};  // an estimate: such functions signal, and compute little
thread_local bool runs_here = false;
}  // namespace

HostFunctions& HostFunctions::get() {
    static auto* const functions = new HostFunctions;  // programs call CUDA until their very end
    return *functions;
}

void HostFunctions::start(std::function<void()> function) {
    wait();
    const std::lock_guard lock(mutex_);
    ++running_;
    std::thread([this, function = std::move(function)] {
        runs_here = true;
        function();
        const std::lock_guard finished(mutex_);
        --running_;
        done_.notify_all();
    }).detach();
}

void HostFunctions::wait() {
    std::unique_lock lock(mutex_);
    const auto done = [this] { return running_ == 0; };
    if (done_.wait_for(lock, kLong, done)) { return; }
    std::fprintf(stderr,
                 "lookahead: a host function in a stream has run for %lld s; a host function that waits for work "
                 "submitted after it waits for ever here\n",
                 static_cast<long long>(kLong.count()));
    done_.wait(lock, done);
}

bool HostFunctions::is_running_here() const {
    return runs_here;
}

}  // namespace lookahead::cudart
