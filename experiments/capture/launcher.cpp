#include "experiments/capture/launcher.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/error/error.h"
#include "core/files/program_file.h"

namespace lookahead {

namespace {

constexpr const char* kLibraries[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    int number() const { return number_; }
    int release() { return std::exchange(number_, -1); }
    void close() {
        if (number_ >= 0) { ::close(number_); }
        number_ = -1;
    }

  private:
    int number_;
};

/// Calls `move` (recv or send) on part after part of the bytes; false at the end of the stream.
template <class Byte, class Move>
bool move_all(int socket, std::span<Byte> bytes, Move move, int flags) {
    while (!bytes.empty()) {
        const ssize_t moved = move(socket, bytes.data(), bytes.size(), flags);
        if (moved < 0 && errno == EINTR) { continue; }
        if (moved <= 0) { return false; }
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
    }
    return true;
}

bool receive(int socket, std::span<std::byte> bytes) {
    return move_all(socket, bytes, ::recv, 0);
}

bool send(int socket, std::span<const std::byte> bytes) {
    return move_all(socket, bytes, ::send, MSG_NOSIGNAL);
}

void set_environment(const std::string& library_folder, int socket, int memory) {
    setenv(cudart::kSocketVariable, std::to_string(socket).c_str(), 1);
    setenv(cudart::kMemoryVariable, std::to_string(memory).c_str(), 1);
    // Programs with their own run path find the library by its preloaded name, others by the search path.
    std::string preloaded;
    for (const char* library : kLibraries) { preloaded += fmt::format("{}/{} ", library_folder, library); }
    setenv("LD_PRELOAD", preloaded.c_str(), 1);
    const char* const others = std::getenv("LD_LIBRARY_PATH");
    setenv("LD_LIBRARY_PATH",
           others == nullptr ? library_folder.c_str() : (fmt::format("{}:{}", library_folder, others)).c_str(), 1);
}

/// Replaces this process by the program. `report` closes when the program starts; if it cannot, errno is written there.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& library_folder, int socket,
                         int memory, int report, ProgramOutput output) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (output == ProgramOutput::to_stderr) { dup2(STDERR_FILENO, STDOUT_FILENO); }
    set_environment(library_folder, socket, memory);
    std::vector<char*> arguments;
    for (const std::string& word : command) { arguments.push_back(const_cast<char*>(word.c_str())); }
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    const int reason = errno;
    _exit(::write(report, &reason, sizeof reason) == sizeof reason ? 1 : 2);
}

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

}  // namespace

class CapturedProgram::Process {
  public:
    Process(std::string name, pid_t id, int socket)
        : name_(std::move(name)), id_(id), socket_(socket), end_(static_cast<int>(syscall(SYS_pidfd_open, id, 0))) {}
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        if (has_ended_) { return; }
        kill(id_, SIGKILL);
        wait_for(id_);
    }

    int socket() const { return socket_.number(); }

    /// The program may end before processes that it started and left, which share its sockets.
    bool has_request() const {
        pollfd events[] = {{socket_.number(), POLLIN, 0}, {end_.number(), POLLIN, 0}};
        while (poll(events, 2, -1) < 0) {
            if (errno != EINTR) { return false; }
        }
        return events[0].revents != 0;
    }

    /// Returns the status as waitpid() does.
    int end() {
        socket_.close();
        has_ended_ = true;
        return wait_for(id_);
    }
    const std::string& name() const { return name_; }

  private:
    std::string name_;
    pid_t id_;
    Descriptor socket_;
    Descriptor end_;
    bool has_ended_ = false;
};

CapturedProgram::CapturedProgram(const std::vector<std::string>& command, const std::string& library_folder, int memory,
                                 ProgramOutput output) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        throw InputError("no sockets for the program: {}", std::strerror(errno));
    }
    Descriptor mine(ends[0]);
    Descriptor theirs(ends[1]);
    fcntl(mine.number(), F_SETFD, FD_CLOEXEC);

    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) { throw InputError("no pipe for the program: {}", std::strerror(errno)); }
    Descriptor reported(report[0]);
    Descriptor reporter(report[1]);

    const pid_t process = fork();
    if (process < 0) { throw InputError("the program cannot be started: {}", std::strerror(errno)); }
    if (process == 0) { become(command, library_folder, theirs.number(), memory, reporter.number(), output); }
    process_ = std::make_unique<Process>(command.front(), process, mine.release());
    reporter.close();
    int reason = 0;
    if (::read(reported.number(), &reason, sizeof reason) == sizeof reason) {
        throw InputError("{} cannot be started: {}", command.front(), std::strerror(reason));
    }
}

CapturedProgram::~CapturedProgram() = default;

bool CapturedProgram::next(cudart::Request& request, std::vector<std::byte>& payload) {
    if (!process_->has_request() || !receive(process_->socket(), std::as_writable_bytes(std::span(&request, 1)))) {
        return false;
    }
    payload.resize(request.payload_bytes);
    return receive(process_->socket(), payload);
}

bool CapturedProgram::answer(const cudart::Reply& reply, std::span<const std::byte> payload) {
    return send(process_->socket(), std::as_bytes(std::span(&reply, 1))) && send(process_->socket(), payload);
}

void CapturedProgram::end() {
    process_->end();
}

int CapturedProgram::wait() {
    const int status = process_->end();
    if (WIFSIGNALED(status)) {
        throw ProgramError("{} was ended by signal {} ({})", process_->name(), WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    }
    return WEXITSTATUS(status);
}

std::string cudart_folder() {
    const auto folder = program_file("cudart");
    if (!std::filesystem::exists(folder / kLibraries[0])) {
        throw ConfigurationError("{} has no {}: build the target cudart_replacement", folder.string(), kLibraries[0]);
    }
    return folder.string();
}

bool serve(CapturedProgram& program, CaptureServer& server, const cudart::Request& request,
           std::span<const std::byte> payload) {
    std::vector<std::byte> answer;
    cudart::Reply reply;
    try {
        reply = server.serve(request, payload, answer);
    } catch (const InputError&) {
        reply.fatal = 1;
        program.answer(reply, {});
        program.end();
        throw;
    }
    return program.answer(reply, answer);
}

int run_captured(const std::vector<std::string>& command, const std::string& library_folder, CaptureServer& server) {
    CapturedProgram program(command, library_folder, server.memory_file());
    cudart::Request request;
    std::vector<std::byte> payload;
    while (program.next(request, payload) && serve(program, server, request, payload)) {}
    return program.wait();
}

}  // namespace lookahead
