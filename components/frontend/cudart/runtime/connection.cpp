#include "components/frontend/cudart/runtime/connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "components/frontend/cudart/runtime/host_functions.h"

namespace lookahead::cudart {

namespace {

std::recursive_mutex connection_mutex;
thread_local std::int32_t kept_error = kSuccess;

int descriptor(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? -1 : std::atoi(text);
}

/// Whether the text of kernels' printf appears before the operation (CUDA C++ Programming Guide, "Formatted Output",
/// "Limitations").
bool prints_before(Operation operation) {
    return operation == Operation::launch || operation == Operation::synchronise || operation == Operation::release ||
           operation == Operation::copy_to_device || operation == Operation::copy_from_device ||
           operation == Operation::reset || operation == Operation::load_module;
}

/// A lock on the device's memory. A process's lock does not pass to its children, and ends with the process.
struct flock device_lock() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    return lock;
}

/// Prints a sentence from a process without the device, because `lookahead capture` talks with another one.
void say_unheard(const std::string& sentence) {
    std::fprintf(stderr, "lookahead: %s\n", sentence.c_str());
}

/// Flushes the program's own output first. Does not run its exit handlers, because they may call CUDA again.
[[noreturn]] void end_program() {
    std::fflush(nullptr);
    _exit(3);
}

/// A copy's host address is outside the program's memory.
[[noreturn]] void end_by_fault() {
    say_unheard("a copy's address on the host is not in the program's memory");
    std::fflush(nullptr);
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
    std::abort();
}

/// Calls `move` (recv or send) on part after part of the bytes.
template <class Byte, class Move>
void move_all(int socket, std::span<Byte> bytes, Move move, int flags) {
    while (!bytes.empty()) {
        const ssize_t moved = move(socket, bytes.data(), bytes.size(), flags);
        if (moved < 0 && errno == EINTR) { continue; }
        if (moved < 0 && errno == EFAULT) { end_by_fault(); }
        if (moved <= 0) { end_program(); }
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
    }
}

}  // namespace

Connection& Connection::get() {
    static Connection* const connection = new Connection;  // programs call CUDA until their very end
    return *connection;
}

Connection::Connection() : socket_(descriptor(kSocketVariable)), memory_(descriptor(kMemoryVariable)) {
    if (socket_ >= 0 && memory_ >= 0) { return; }
    std::fprintf(stderr,
                 "lookahead: this libcudart.so works only under 'lookahead run -- PROGRAM' and 'lookahead capture -- "
                 "PROGRAM'\n");
    end_program();
}

void Connection::send(std::span<const std::byte> bytes) const {
    move_all(socket_, bytes, ::send, MSG_NOSIGNAL);
}

void Connection::receive(std::span<std::byte> bytes) const {
    move_all(socket_, bytes, ::recv, 0);
}

Reply Connection::exchange(const Request& request, std::span<const std::byte> payload) {
    if (prints_before(request.operation)) { print_kernels_text(); }
    Request complete = request;
    complete.payload_bytes = payload.size();
    complete.process = getpid();
    send(std::as_bytes(std::span(&complete, 1)));
    send(payload);
    Reply reply;
    receive(std::as_writable_bytes(std::span(&reply, 1)));
    if (reply.fatal != 0) { end_program(); }
    return reply;
}

bool Connection::is_claimed_by_other() const {
    struct flock lock = device_lock();
    return fcntl(memory_, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

CudaError Connection::claim() {
    if (HostFunctions::get().is_running_here()) { return kNotPermitted; }
    HostFunctions::get().wait();
    const pid_t process = getpid();
    const pid_t owner = owner_;
    if (owner == process) { return kSuccess; }
    if (owner != 0) { return kInitializationError; }
    struct flock lock = device_lock();
    if (fcntl(memory_, F_SETLK, &lock) != 0) {
        static std::once_flag said;
        std::call_once(said, say_unheard,
                       "a second process uses CUDA while the first is running; a capture holds one at a time");
        return kDevicesUnavailable;
    }
    owner_ = process;
    return kSuccess;
}

template <class PlaceFor>
Reply Connection::ask(const Request& request, std::span<const std::byte> payload, PlaceFor place_for) {
    const CudaError claimed = request.operation == Operation::load_module
                                  ? (is_claimed_by_other() ? kDevicesUnavailable : kSuccess)
                                  : claim();
    if (claimed != kSuccess) { return {.error = remember(claimed)}; }
    const std::lock_guard lock(connection_mutex);
    Reply reply = exchange(request, payload);
    receive(place_for(reply.payload_bytes));
    if (request.operation == Operation::launch && loses_device(reply.error)) { reply.error = kSuccess; }
    remember(reply.error);
    return reply;
}

Reply Connection::call(const Request& request, std::span<const std::byte> payload, std::span<std::byte> answer) {
    return ask(request, payload, [&](std::uint64_t bytes) { return answer.first(bytes); });
}

Reply Connection::call(const Request& request, std::span<const std::byte> payload, std::vector<std::byte>& answer) {
    return ask(request, payload, [&](std::uint64_t bytes) {
        answer.resize(bytes);
        return std::span(answer);
    });
}

Reply Connection::launch(const Request& request, std::span<const std::byte> payload) {
    return ask(request, payload, [&](std::uint64_t bytes) {
        kernels_text_.resize(bytes);
        return std::as_writable_bytes(std::span(kernels_text_));
    });
}

void Connection::print_kernels_text() {
    std::fwrite(kernels_text_.data(), 1, kernels_text_.size(), stdout);
    kernels_text_.clear();
}

void Connection::note(const std::string& sentence) {
    const std::lock_guard lock(connection_mutex);
    if (std::ranges::find(noted_, sentence) != noted_.end()) { return; }
    noted_.push_back(sentence);
    if (is_claimed_by_other()) { return say_unheard(sentence); }
    exchange({.operation = Operation::note}, std::as_bytes(std::span(sentence)));
}

void Connection::refuse(const std::string& sentence) {
    const std::lock_guard lock(connection_mutex);
    if (is_claimed_by_other()) {
        say_unheard(sentence);
        end_program();
    }
    exchange({.operation = Operation::refuse}, std::as_bytes(std::span(sentence)));
    end_program();
}

CudaError remember(std::int32_t error) {
    if (error != kSuccess && !loses_device(kept_error)) { kept_error = error; }
    return static_cast<CudaError>(error);
}

CudaError last_error(bool clear) {
    const auto error = static_cast<CudaError>(kept_error);
    if (clear && !loses_device(kept_error)) { kept_error = kSuccess; }
    return error;
}

const DeviceInformation& device_information() {
    static const DeviceInformation information = [] {
        DeviceInformation answer;
        Connection::get().call({.operation = Operation::describe_device}, {},
                               std::as_writable_bytes(std::span(&answer, 1)));
        return answer;
    }();
    return information;
}

}  // namespace lookahead::cudart
