#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace lookahead::cudart {

/// Host functions that streams run: on their own thread, one after the other, and finished before the program's next
/// call on its device. So a function may wait for the program's actions other than such calls, and use its locks.
class HostFunctions {
  public:
    static HostFunctions& get();

    void start(std::function<void()> function);
    /// Waits for the last started function.
    void wait();
    /// Whether the calling thread runs a host function; CUDA permits no calls there.
    bool is_running_here() const;

  private:
    std::mutex mutex_;
    std::condition_variable done_;
    unsigned running_ = 0;
};

}  // namespace lookahead::cudart
