#pragma once

namespace lookahead {

/// While it lives, SIGUSR1 asks the run to stop at a checkpoint instead of ending the process. One at a time.
class StopSignal {
  public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    /// Whether it came to this process.
    static bool came();
    /// As if it had not come: it was answered otherwise.
    static void forget();
};

}  // namespace lookahead
