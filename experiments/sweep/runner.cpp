#include "experiments/sweep/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "experiments/sweep/elapsed.h"
#include "experiments/sweep/point_identity.h"
#include "experiments/sweep/point_limits.h"

extern char** environ;

namespace lookahead {

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(5);

/// Names this program even if another one has its path now: that one would put its results under this one's keys.
constexpr const char* kThisProgram = "/proc/self/exe";

std::atomic<int> interrupted = 0;

void note_interrupt(int signal) {
    interrupted = signal;
}

/// What ends a sweep. A terminal and Slurm signal the points too.
constexpr std::array kStops{SIGINT, SIGTERM, SIGUSR1, SIGHUP};

/// Interrupts are noted while it lives.
class InterruptGuard {
  public:
    InterruptGuard() {
        interrupted = 0;
        struct sigaction action {};
        action.sa_handler = note_interrupt;
        for (std::size_t i = 0; i < kStops.size(); ++i) {
            sigaction(kStops[i], nullptr, &old_[i]);
            if (kStops[i] != SIGHUP || old_[i].sa_handler != SIG_IGN) {  // as under nohup
                sigaction(kStops[i], &action, nullptr);
            }
        }
    }
    ~InterruptGuard() {
        for (std::size_t i = 0; i < kStops.size(); ++i) { sigaction(kStops[i], &old_[i], nullptr); }
    }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

  private:
    std::array<struct sigaction, kStops.size()> old_{};
};

/// The last line that a process wrote to its stderr.
std::string last_line(const std::string& file) {
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);) { last = line.empty() ? last : line; }
    return last;
}

/// A point that runs.
struct Process {
    pid_t id;
    const SweepPoint* point;
    std::string result;  ///< file of its own, renamed when it is complete
    std::string errors;  ///< file with its stderr
    Clock::time_point begin;
    SweepFolder::Claim claim;
    std::string overrun;  ///< the sentence, if it was ended for that
};

/// Makes the point's own process of one that has just been forked off. It comes back if it cannot, with the reason in
/// errno.
void become(const Process& process, pid_t sweep, char** arguments) {
    // No point outlives a sweep that is killed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != sweep) { ::_exit(0); }
    // With these signals points would stop at checkpoints that are never continued: the sweep ends them by SIGKILL.
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int number : kStops) { sigaddset(&blocked, number); }
    ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const int errors = ::open(process.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    // The claim is held until the point has ended too, so that it is not run twice.
    if (nothing >= 0 && errors >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(nothing, STDOUT_FILENO) >= 0 &&
        ::dup2(errors, STDERR_FILENO) >= 0 && ::fcntl(process.claim.descriptor(), F_SETFD, 0) == 0) {
        ::execve(kThisProgram, arguments, environ);
    }
}

/// Starts the point's process; why it cannot be, as an errno.
int spawn(Process& process, char** arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) { return errno; }
    const pid_t sweep = ::getpid();
    process.id = ::fork();
    if (process.id == 0) {
        become(process, sweep, arguments);
        const int reason = errno;
        ::_exit(::write(ends[1], &reason, sizeof reason) < 0);
    }
    int reason = process.id < 0 ? errno : 0;
    ::close(ends[1]);
    // The pipe closes when the process becomes another program.
    while (process.id > 0 && ::read(ends[0], &reason, sizeof reason) < 0 && errno == EINTR) {}
    ::close(ends[0]);
    if (process.id > 0 && reason != 0) { ::waitpid(process.id, nullptr, 0); }
    return reason;
}

class Runner {
  public:
    Runner(const SweepFolder& folder, const SweepRunOptions& options)
        : folder_(folder), options_(options), program_hash_(program_hash()) {}

    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    /// Nothing runs on, whatever was thrown.
    ~Runner() { give_up(); }

    SweepRunResult run(std::span<const SweepPoint> points) {
        for (const std::size_t i : missing_points(points, folder_, options_, result_)) {
            waiting_.push_back(&points[i]);
        }
        planned_ = waiting_.size();
        const InterruptGuard guard;
        while (!(waiting_.empty() && elsewhere_.empty() && running_.empty())) {
            look_elsewhere();
            while (interrupted == 0 && !waiting_.empty() && running_.size() < static_cast<std::size_t>(options_.jobs)) {
                take(*waiting_.front());
                waiting_.pop_front();
            }
            if (interrupted != 0) {
                result_.interrupted = true;
                give_up();
            }
            reap();
            report(false);
            std::this_thread::sleep_for(kPollInterval);
        }
        report(true);
        return result_;
    }

  private:
    /// Runs a point, unless another program does or has done so.
    void take(const SweepPoint& point) {
        auto claim = folder_.claim(point);
        if (!claim) {
            elsewhere_.push_back(&point);
        } else if (!count_ended(point)) {
            start(point, *std::move(claim));
        }
    }

    /// Whether another program has ended the point since this one looked.
    bool count_ended(const SweepPoint& point) {
        const PointStatus status = folder_.state(point).status;
        result_.complete += status == PointStatus::complete;
        result_.failed += status == PointStatus::failed;
        done_ += status != PointStatus::missing;
        return status != PointStatus::missing;
    }

    /// Points that other programs run belong to them until they end the points, or end themselves.
    void look_elsewhere() {
        constexpr auto kLook = std::chrono::milliseconds(200);
        if (!options_.waits && waiting_.empty()) { result_.elsewhere += std::exchange(elsewhere_, {}).size(); }
        if (elsewhere_.empty() || Clock::now() < next_look_) { return; }
        next_look_ = Clock::now() + kLook;
        waiting_.insert(waiting_.end(), elsewhere_.begin(), elsewhere_.end());
        elsewhere_.clear();
    }

    void start(const SweepPoint& point, SweepFolder::Claim claim) {
        const std::string result = folder_.temporary_file(point);
        std::vector<std::string> texts{"lookahead", "run"};
        texts.insert(texts.end(), point.arguments.begin(), point.arguments.end());
        // Cores are for --jobs: points at once use them better than threads of one.
        texts.insert(texts.end(), {"--out", result, "--json", "--progress", "none", "--threads", "1"});
        std::vector<char*> arguments;
        for (std::string& text : texts) { arguments.push_back(text.data()); }
        arguments.push_back(nullptr);
        Process process{0, &point, result, result + ".stderr", Clock::now(), std::move(claim), {}};
        const int error = spawn(process, arguments.data());
        if (error != 0) { throw InputError(std::string("a point cannot be started: ") + std::strerror(error)); }
        running_.push_back(std::move(process));
        ++result_.executed;
    }

    void reap() {
        for (std::size_t i = 0; i < running_.size();) {
            int status = 0;
            Process& process = running_[i];
            if (::waitpid(process.id, &status, WNOHANG) == process.id) {
                const Process ended = std::move(process);
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
                finish(ended, status);
                continue;
            }
            if (process.overrun.empty()) {
                process.overrun = overrun_of(process);
                if (!process.overrun.empty()) { ::kill(process.id, SIGKILL); }
            }
            ++i;
        }
    }

    std::string overrun_of(const Process& process) const {
        if (options_.timeout_s > 0 && seconds_since(process.begin) > options_.timeout_s) {
            return time_overrun(options_.timeout_s);
        }
        return options_.memory_bytes != 0 && resident_bytes(process.id) > options_.memory_bytes
                   ? memory_overrun(options_.memory_bytes)
                   : std::string();
    }

    void finish(const Process& process, int status) {
        PointState state;
        state.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        state.message = !process.overrun.empty() ? process.overrun : last_line(process.errors);
        if (state.exit_code == 0) {
            state.message = fault_of_result(*process.point, process.result, program_hash_);
            state.exit_code = static_cast<int>(state.message.empty() ? ExitCode::done : ExitCode::bad_input);
        }
        if (state.exit_code == 0) {
            const std::string file = folder_.result_file(*process.point);
            std::error_code error;
            std::filesystem::rename(process.result, file, error);
            if (error) {
                remove_files(process);
                throw InputError(file + ": the result of a point cannot get its name: " + error.message());
            }
            ++result_.complete;
        } else {
            state.status = PointStatus::failed;
            state.wall_s = seconds_since(process.begin);
            folder_.require_room();
            folder_.record_failure(*process.point, state);
            ++result_.failed;
        }
        ++done_;
        remove_files(process);
    }

    static void remove_files(const Process& process) {
        for (const std::string& file : {process.errors, process.result, process.result + ".partial"}) {
            std::error_code ignored;  // it may not be there
            std::filesystem::remove(file, ignored);
        }
    }

    void give_up() {
        waiting_.clear();
        elsewhere_.clear();
        for (const Process& process : running_) {
            ::kill(process.id, SIGKILL);
            ::waitpid(process.id, nullptr, 0);
            remove_files(process);
            --result_.executed;
        }
        running_.clear();
    }

    void report(bool last) {
        constexpr auto kInterval = std::chrono::seconds(2);
        if (options_.progress == ProgressMode::none || planned_ == 0 || (!last && Clock::now() < next_report_)) {
            return;
        }
        next_report_ = Clock::now() + kInterval;
        const double elapsed = seconds_since(begin_);
        const double rate = static_cast<double>(done_) / std::max(elapsed, 1e-3);
        const double left = done_ == 0 ? -1 : static_cast<double>(planned_ - done_) / rate;
        std::fprintf(stderr, "%zu of %zu points, %zu failed, %.2f points/s, %s left\n", done_, planned_, result_.failed,
                     rate, duration_text(left).c_str());
    }

    const SweepFolder& folder_;
    const SweepRunOptions& options_;
    std::string program_hash_;
    std::deque<const SweepPoint*> waiting_;
    std::vector<const SweepPoint*> elsewhere_;  ///< that other programs run
    std::vector<Process> running_;
    SweepRunResult result_;
    std::size_t planned_ = 0;
    std::size_t done_ = 0;  ///< of them, by this or another program
    Clock::time_point begin_ = Clock::now();
    Clock::time_point next_look_ = begin_;
    Clock::time_point next_report_ = begin_ + std::chrono::seconds(2);
};

}  // namespace

std::vector<std::size_t> missing_points(std::span<const SweepPoint> points, const SweepFolder& folder,
                                        const SweepRunOptions& options, SweepRunResult& ended) {
    std::vector<std::size_t> missing;
    std::set<std::string> keys;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SweepPoint& point = points[i];
        if (i % static_cast<std::size_t>(options.shards) != static_cast<std::size_t>(options.shard) ||
            !keys.insert(point.key).second) {
            continue;
        }
        PointStatus status = folder.state(point).status;
        if (status == PointStatus::failed && options.retry_failed) {
            folder.forget_failure(point);
            folder.forget_begun(point);
            status = PointStatus::missing;
        }
        ended.complete += status == PointStatus::complete;
        ended.failed += status == PointStatus::failed;
        if (status == PointStatus::missing) { missing.push_back(i); }
    }
    return missing;
}

SweepRunResult run_sweep(std::span<const SweepPoint> points, const SweepFolder& folder,
                         const SweepRunOptions& options) {
    return Runner(folder, options).run(points);
}

}  // namespace lookahead
