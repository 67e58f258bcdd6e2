#include "experiments/capture/launcher.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "core/error/error.h"

namespace lookahead {

namespace {

constexpr const char* kLibraries[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};

/// A file descriptor that closes itself.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    int number() const { return number_; }
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

  private:
    int number_;
};

/// False at the end of the stream.
bool receive(int socket, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

bool send(int socket, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

void set_environment(const std::string& library_folder, int socket, int memory) {
    setenv(cudart::kSocketVariable, std::to_string(socket).c_str(), 1);
    setenv(cudart::kMemoryVariable, std::to_string(memory).c_str(), 1);
    // Programs with a run path of their own find the library by its preloaded name, others by the search path.
    std::string preloaded;
    for (const char* library : kLibraries) preloaded += library_folder + "/" + library + " ";
    setenv("LD_PRELOAD", preloaded.c_str(), 1);
    const char* const others = std::getenv("LD_LIBRARY_PATH");
    setenv("LD_LIBRARY_PATH", others == nullptr ? library_folder.c_str() : (library_folder + ":" + others).c_str(), 1);
}

/// `report` closes when the program starts; if it cannot, errno goes there.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& library_folder, int socket,
                         int memory, int report) {
    set_environment(library_folder, socket, memory);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    const int reason = errno;
    _exit(::write(report, &reason, sizeof reason) == sizeof reason ? 1 : 2);
}

/// The program's end may come before that of what it started and left behind, which has its sockets, too.
bool next_request(int socket, int process) {
    pollfd events[] = {{socket, POLLIN, 0}, {process, POLLIN, 0}};
    while (poll(events, 2, -1) < 0)
        if (errno != EINTR) return false;
    return events[0].revents != 0;
}

/// Serves until the program ends or closes its end; what made it end, if that is not supported.
std::optional<InputError> serve(int socket, int process, CaptureServer& server) {
    cudart::Request request;
    std::vector<std::byte> payload;
    std::vector<std::byte> answer;
    while (next_request(socket, process) && receive(socket, std::as_writable_bytes(std::span(&request, 1)))) {
        payload.resize(request.payload_bytes);
        if (!receive(socket, payload)) break;
        cudart::Reply reply;
        try {
            reply = server.serve(request, payload, answer);
        } catch (const InputError& error) {
            reply.fatal = 1;
            send(socket, std::as_bytes(std::span(&reply, 1)));
            return error;
        }
        if (!send(socket, std::as_bytes(std::span(&reply, 1))) || !send(socket, answer)) break;
    }
    return std::nullopt;
}

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

int run_captured(const std::vector<std::string>& command, const std::string& library_folder, CaptureServer& server) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        throw InputError(fmt::format("no sockets for the program: {}", std::strerror(errno)));
    Descriptor mine(ends[0]);
    Descriptor theirs(ends[1]);
    fcntl(mine.number(), F_SETFD, FD_CLOEXEC);

    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        throw InputError(fmt::format("no pipe for the program: {}", std::strerror(errno)));
    Descriptor reported(report[0]);
    Descriptor reporter(report[1]);

    const pid_t process = fork();
    if (process < 0) throw InputError(fmt::format("the program cannot be started: {}", std::strerror(errno)));
    if (process == 0) become(command, library_folder, theirs.number(), server.memory_file(), reporter.number());
    theirs.close();
    reporter.close();
    int reason = 0;
    if (::read(reported.number(), &reason, sizeof reason) == sizeof reason) {
        wait_for(process);
        throw InputError(fmt::format("{} cannot be started: {}", command.front(), std::strerror(reason)));
    }

    const Descriptor watched(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    const auto refusal = serve(mine.number(), watched.number(), server);
    mine.close();
    const int status = wait_for(process);
    if (refusal) throw *refusal;
    if (WIFSIGNALED(status))
        throw ProgramError(fmt::format("{} was ended by signal {} ({})", command.front(), WTERMSIG(status),
                                       strsignal(WTERMSIG(status))));
    return WEXITSTATUS(status);
}

}  // namespace lookahead
