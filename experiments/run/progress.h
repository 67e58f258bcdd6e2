#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/time/time.h"

namespace lookahead {

enum class ProgressMode { none, plain, bar };

/// "bar", "plain" or "none"; anything else is a ConfigurationError.
ProgressMode parse_progress(const std::string& name);

/// The contents of a progress line.
struct ProgressReport {
    std::string kernel;          ///< empty: between kernels
    std::uint64_t launch = 0;    ///< number of the running launch, from 1
    std::uint64_t launches = 0;  ///< of the whole run; 0: not known
    double kernel_fraction = 0;  ///< of the kernel's CTAs that have completed
    double limit_fraction = -1;  ///< of --max-cycles or --max-instructions, whichever is nearer; < 0: no limit
    Time time = 0;               ///< simulated
    std::uint64_t warp_instructions = 0;
};

/// Prints lines on stderr, at most one in 2 s (plain) or in 0.2 s (bar): simulated time, warp instructions, their rate,
/// and the time left for the kernel or up to the limit.
class Progress {
  public:
    explicit Progress(ProgressMode mode);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Whether it is time for a line; cheap.
    bool due();
    void print(const ProgressReport& report);
    /// Prints what the program does before the simulation begins, if it is time for a line.
    void tell(const std::string& what);

  private:
    using Clock = std::chrono::steady_clock;

    void print_line(const std::string& line);

    ProgressMode mode_;
    Clock::duration interval_;
    Clock::time_point next_;
    Clock::time_point last_;
    std::uint64_t last_instructions_ = 0;
    std::uint64_t launch_ = 0;  ///< the launch that began at launch_begin_
    Clock::time_point launch_begin_;
    double launch_begin_fraction_ = 0;
    Clock::time_point begin_;
    bool line_open_ = false;
};

/// The place of the run: "kernel 3 of 10 'scale(float*, int)' 25.0 %", or "between kernels".
std::string place_text(const ProgressReport& report);

/// "1h02m", "3m05s", "12s"; "?" for a negative or unknown number of seconds.
std::string duration_text(double seconds);

}  // namespace lookahead
