#include "experiments/run/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "core/error/error.h"
#include "core/text/readable_name.h"

namespace lookahead {

namespace {

constexpr double kFemtosecondsPerMicrosecond = 1e9;

double seconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

/// Seconds left if `elapsed` seconds took the work from `from` to `fraction`.
double seconds_left(double elapsed, double from, double fraction) {
    return fraction > from ? elapsed * (1 - fraction) / (fraction - from) : -1;
}

}  // namespace

ProgressMode parse_progress(const std::string& name) {
    if (name == "none") { return ProgressMode::none; }
    if (name == "plain") { return ProgressMode::plain; }
    if (name == "bar") { return ProgressMode::bar; }
    throw ConfigurationError("unknown kind of progress '{}': give bar, plain or none", name);
}

std::string duration_text(double seconds) {
    if (!(seconds >= 0) || seconds > 1e7) { return "?"; }
    const long whole = std::lround(seconds);
    if (whole >= 3600) { return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60); }
    if (whole >= 60) { return fmt::format("{}m{:02}s", whole / 60, whole % 60); }
    return fmt::format("{}s", whole);
}

std::string place_text(const ProgressReport& report) {
    if (report.kernel.empty()) { return "between kernels"; }
    return fmt::format("kernel {}{} '{}' {:.1f} %", report.launch,
                       (report.launches == 0 ? "" : fmt::format(" of {}", report.launches)), short_name(report.kernel),
                       100 * report.kernel_fraction);
}

Progress::Progress(ProgressMode mode)
    : mode_(mode),
      interval_(mode == ProgressMode::bar ? std::chrono::milliseconds(200) : std::chrono::milliseconds(2000)),
      next_(Clock::now() + interval_),
      last_(Clock::now()),
      launch_begin_(last_),
      begin_(last_) {}

Progress::~Progress() {
    if (line_open_) { std::fputc('\n', stderr); }
}

bool Progress::due() {
    return mode_ != ProgressMode::none && Clock::now() >= next_;
}

void Progress::print(const ProgressReport& report) {
    const Clock::time_point now = Clock::now();
    if (report.launch != launch_) {
        launch_ = report.launch;
        launch_begin_ = last_;
        launch_begin_fraction_ = 0;
    }
    const double rate = static_cast<double>(report.warp_instructions - last_instructions_) / seconds(now - last_);
    const std::string where = place_text(report);
    double left = -1;
    if (!report.kernel.empty()) {
        left = seconds_left(seconds(now - launch_begin_), launch_begin_fraction_, report.kernel_fraction);
    }
    if (report.limit_fraction >= 0) {
        const double to_limit = seconds_left(seconds(now - begin_), 0, report.limit_fraction);
        left = left < 0 ? to_limit : std::min(left, to_limit);
    }
    print_line(fmt::format("{}  {:.1f} us simulated  {:.2f} M warp instructions  {:.2f} M/s  left {}", where,
                           static_cast<double>(report.time) / kFemtosecondsPerMicrosecond,
                           static_cast<double>(report.warp_instructions) / 1e6, rate / 1e6, duration_text(left)));
    last_instructions_ = report.warp_instructions;
}

void Progress::tell(const std::string& what) {
    if (due()) { print_line(what); }
}

void Progress::print_line(const std::string& line) {
    const bool is_bar = mode_ == ProgressMode::bar;
    fmt::print(stderr, "{}{}{}", is_bar ? "\r\033[K" : "", line, is_bar ? "" : "\n");
    line_open_ = is_bar;
    last_ = Clock::now();
    next_ = last_ + interval_;
}

}  // namespace lookahead
