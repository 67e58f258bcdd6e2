#include "components/frontend/cudart/runtime/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace lookahead::cudart {

namespace {

std::recursive_mutex mutex;
std::int32_t kept_error = kSuccess;

/// After these a CUDA context is lost: every later call gives the same error.
bool is_sticky(std::int32_t error) {
    return error >= kIllegalAddress;
}

/// The program's own output comes out first; its handlers of exit may call CUDA again, so they do not run.
[[noreturn]] void end_program() {
    std::fflush(nullptr);
    _exit(3);
}

}  // namespace

Connection& Connection::get() {
    static Connection* const connection = new Connection;  // programs call CUDA until their very end
    return *connection;
}

Connection::Connection() {
    const char* const text = std::getenv(kSocketVariable);
    if (text == nullptr) {
        std::fprintf(stderr, "lookahead: this libcudart.so works under 'lookahead capture -o FILE -- PROGRAM' only\n");
        end_program();
    }
    socket_ = std::atoi(text);
}

void Connection::send(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) end_program();
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
}

void Connection::receive(std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) end_program();
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

Reply Connection::exchange(const Request& request, std::span<const std::byte> payload) {
    Request complete = request;
    complete.payload_bytes = payload.size();
    send(std::as_bytes(std::span(&complete, 1)));
    send(payload);
    Reply reply;
    receive(std::as_writable_bytes(std::span(&reply, 1)));
    if (reply.fatal != 0) end_program();
    return reply;
}

Reply Connection::call(Request request, std::span<const std::byte> payload, std::span<std::byte> answer) {
    const std::lock_guard lock(mutex);
    const Reply reply = exchange(request, payload);
    receive(answer.first(reply.payload_bytes));
    remember(reply.error);
    return reply;
}

Reply Connection::call(Request request, std::span<const std::byte> payload, std::vector<std::byte>& answer) {
    const std::lock_guard lock(mutex);
    const Reply reply = exchange(request, payload);
    answer.resize(reply.payload_bytes);
    receive(answer);
    remember(reply.error);
    return reply;
}

void Connection::refuse(const std::string& sentence) {
    const std::lock_guard lock(mutex);
    exchange({.operation = Operation::refuse}, std::as_bytes(std::span(sentence)));
    end_program();
}

CudaError remember(std::int32_t error) {
    const std::lock_guard lock(mutex);
    if (error != kSuccess && !is_sticky(kept_error)) kept_error = error;
    return static_cast<CudaError>(error);
}

CudaError last_error(bool clear) {
    const std::lock_guard lock(mutex);
    const auto error = static_cast<CudaError>(kept_error);
    if (clear && !is_sticky(kept_error)) kept_error = kSuccess;
    return error;
}

}  // namespace lookahead::cudart
