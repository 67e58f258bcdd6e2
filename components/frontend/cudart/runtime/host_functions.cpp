#include "components/frontend/cudart/runtime/host_functions.h"

#include <thread>
#include <utility>

namespace lookahead::cudart {

namespace {
thread_local bool runs_here = false;
}

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
    done_.wait(lock, [this] { return running_ == 0; });
}

bool HostFunctions::is_running_here() const {
    return runs_here;
}

}  // namespace lookahead::cudart
