#include "experiments/sweep/point_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error/error.h"
#include "experiments/run/stop_signal.h"
#include "experiments/sweep/point_limits.h"

namespace lookahead {

namespace {

constexpr std::size_t kMostBytes = 128 * 1024;  // in a message, which a socket takes whole
constexpr std::size_t kMostOfSentence = 8 * 1024;
constexpr int kMemoryLookMs = 20;

/// The server's answer, before the message's text.
struct Answer {
    std::int32_t status;  ///< as by waitpid
    PointEnd::Overrun overrun;
    double wall_s;
};

/// A kind, the limits and the arguments, separated by zeros.
std::string order_text(const PointOrder& order) {
    std::string text = "run";
    const auto add = [&](const std::string& part) { text.append(1, '\0').append(part); };
    add(std::to_string(order.limits.timeout_s));
    add(std::to_string(order.limits.memory_bytes));
    for (const std::string& argument : order.arguments) { add(argument); }
    return text;
}

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\0', at), text.size());
        parts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

/// The last non-empty line at the end of a file.
std::string last_line(int file) {
    const off_t size = ::lseek(file, 0, SEEK_END);
    const off_t from = std::max<off_t>(0, size - static_cast<off_t>(kMostOfSentence));
    std::string text(static_cast<std::size_t>(size - from), '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(file, text.data(), text.size(), from))));
    while (!text.empty() && text.back() == '\n') { text.pop_back(); }
    return text.substr(text.rfind('\n') + 1);
}

/// Makes this process, a child of `parent`, end with it.
void end_with(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) { std::_Exit(0); }
}

class Server {
  public:
    Server(int socket, const PointServer::Command& command) : socket_(socket), command_(command) {}

    [[noreturn]] void serve() {
        std::vector<char> buffer(kMostBytes);
        while (true) {
            std::array<pollfd, 2> files{pollfd{socket_, POLLIN, 0}, pollfd{child_ > 0 ? end_ : -1, POLLIN, 0}};
            ::poll(files.data(), files.size(), patience());
            if (files[0].revents != 0) {
                const ssize_t bytes = ::recv(socket_, buffer.data(), buffer.size(), 0);
                if (bytes == 0 || (bytes < 0 && errno != EINTR)) { leave(); }
                if (bytes > 0) { obey(parts_of({buffer.data(), static_cast<std::size_t>(bytes)})); }
            }
            watch();
            if (files[1].revents != 0) { reap(); }
        }
    }

  private:
    int patience() const {
        if (child_ <= 0) { return -1; }
        const int memory = limits_.memory_bytes != 0 ? kMemoryLookMs : -1;
        if (limits_.timeout_s <= 0) { return memory; }
        const double left = std::max(0.0, limits_.timeout_s - seconds_since(begin_)) * 1000 + 1;
        const int time = overrun_ != PointEnd::Overrun::none ? -1 : static_cast<int>(std::min(left, 1e6));
        return memory < 0 ? time : time < 0 ? memory : std::min(time, memory);
    }

    void watch() {
        if (child_ <= 0 || overrun_ != PointEnd::Overrun::none) { return; }
        if (limits_.timeout_s > 0 && seconds_since(begin_) > limits_.timeout_s) {
            overrun_ = PointEnd::Overrun::time;
        } else if (limits_.memory_bytes != 0 && resident_bytes(child_) > limits_.memory_bytes) {
            overrun_ = PointEnd::Overrun::memory;
        } else {
            return;
        }
        ::kill(child_, SIGKILL);
    }

    void obey(const std::vector<std::string>& parts) {
        if (parts.front() == "signal") {
            if (child_ > 0) { ::kill(child_, std::atoi(parts.at(1).c_str())); }
            return;
        }
        limits_.timeout_s = std::atof(parts.at(1).c_str());
        limits_.memory_bytes = std::strtoull(parts.at(2).c_str(), nullptr, 10);
        overrun_ = PointEnd::Overrun::none;
        begin_ = Clock::now();
        run({parts.begin() + 3, parts.end()});
    }

    void run(const std::vector<std::string>& arguments) {
        errors_ = ::memfd_create("stderr", MFD_CLOEXEC);
        int ends[2];
        if (errors_ < 0 || ::pipe2(ends, O_CLOEXEC) != 0) { leave_without_start(); }
        const pid_t server = ::getpid();
        child_ = ::fork();
        if (child_ < 0) { leave_without_start(); }
        if (child_ == 0) {
            ::close(ends[0]);
            ::close(socket_);
            live(arguments, server);
        }
        ::close(ends[1]);  // the child holds the other end until it ends
        end_ = ends[0];
    }

    [[noreturn]] void live(const std::vector<std::string>& arguments, pid_t server) {
        end_with(server);
        const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ::dup2(nothing, STDIN_FILENO);
        ::dup2(nothing, STDOUT_FILENO);
        ::dup2(errors_, STDERR_FILENO);
        StopSignal::note_from_now();
        sigset_t stop;  // a point stops at a checkpoint on these
        ::sigemptyset(&stop);
        ::sigaddset(&stop, SIGUSR1);
        ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
        const int code = command_(arguments);
        std::fflush(nullptr);
        std::_Exit(code);
    }

    void reap() {
        Answer answer{0, overrun_, 0};
        ::waitpid(child_, &answer.status, 0);
        answer.wall_s = seconds_since(begin_);
        std::string text(reinterpret_cast<const char*>(&answer), sizeof answer);
        if (answer.status != 0) { text += last_line(errors_); }
        child_ = 0;
        ::close(end_);
        ::close(errors_);
        ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    }

    [[noreturn]] void leave_without_start() {
        std::fprintf(stderr, "lookahead: a point cannot be started: %s\n", std::strerror(errno));
        leave();
    }

    [[noreturn]] void leave() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        std::_Exit(0);
    }

    int socket_;
    const PointServer::Command& command_;
    pid_t child_ = 0;
    int end_ = -1;     ///< readable when the child has ended
    int errors_ = -1;  ///< in memory, with the child's stderr
    PointLimits limits_;
    PointEnd::Overrun overrun_ = PointEnd::Overrun::none;
    Clock::time_point begin_;
};

}  // namespace

PointServer::PointServer(const Command& command) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        throw InternalError(std::string("no socket for the process that starts points: ") + std::strerror(errno));
    }
    const pid_t owner = ::getpid();
    server_ = ::fork();
    if (server_ < 0) { throw InternalError(std::string("no process that starts points: ") + std::strerror(errno)); }
    if (server_ == 0) {
        ::close(ends[0]);
        end_with(owner);
        // Launchers signal a rank's whole group, but the rank decides about its point.
        sigset_t blocked;
        ::sigemptyset(&blocked);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) { ::sigaddset(&blocked, number); }
        ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
        Server(ends[1], command).serve();
    }
    ::close(ends[1]);
    socket_ = ends[0];
}

PointServer::~PointServer() {
    ::shutdown(socket_, SHUT_RDWR);  // servers made later share this end of the socket
    ::close(socket_);
    ::waitpid(server_, nullptr, 0);
}

void PointServer::send(const std::string& message) {
    if (message.size() > kMostBytes || ::send(socket_, message.data(), message.size(), MSG_NOSIGNAL) < 0) {
        throw InternalError("the process that starts points is gone");
    }
}

void PointServer::begin(const PointOrder& order) {
    send(order_text(order));
}

void PointServer::signal(int number) {
    send(std::string("signal").append(1, '\0').append(std::to_string(number)));
}

void PointServer::wait_for_any(std::span<PointServer* const> servers, std::chrono::milliseconds patience) {
    std::vector<pollfd> files;
    for (const PointServer* server : servers) { files.push_back({server->socket_, POLLIN, 0}); }
    ::poll(files.data(), files.size(), static_cast<int>(patience.count()));
}

std::optional<PointEnd> PointServer::wait(std::chrono::milliseconds patience) {
    pollfd file{socket_, POLLIN, 0};
    if (::poll(&file, 1, static_cast<int>(patience.count())) <= 0) { return std::nullopt; }
    std::string text(kMostBytes, '\0');
    const ssize_t bytes = ::recv(socket_, text.data(), text.size(), 0);
    if (bytes < static_cast<ssize_t>(sizeof(Answer))) { throw InternalError("the process that starts points is gone"); }
    Answer answer;
    std::memcpy(&answer, text.data(), sizeof answer);
    PointEnd end;
    end.exit_code = WIFEXITED(answer.status) ? WEXITSTATUS(answer.status) : 128 + WTERMSIG(answer.status);
    end.message = text.substr(sizeof answer, static_cast<std::size_t>(bytes) - sizeof answer);
    end.overrun = answer.overrun;
    end.wall_s = answer.wall_s;
    return end;
}

}  // namespace lookahead
