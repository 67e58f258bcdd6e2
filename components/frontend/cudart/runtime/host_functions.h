#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace lookahead::cudart {

/// Functions of the host that streams run: on a thread of their own, one after the other, and done before the program's
/// next call on its device. So one may wait for what the program does without such a call, and takes part in its locks.
class HostFunctions {
  public:
    static HostFunctions& get();

    void start(std::function<void()> function);
    /// For the last function that was started.
    void wait();
    /// Whether the calling thread is in one; CUDA permits no calls there.
    bool is_running_here() const;

  private:
    std::mutex mutex_;
    std::condition_variable done_;
    unsigned running_ = 0;
};

}  // namespace lookahead::cudart
