#include "experiments/capture/live_program.h"

#include <fmt/core.h>

#include <filesystem>

#include "core/error/error.h"

namespace lookahead {

LiveProgram::LiveProgram(const std::vector<std::string>& command, const CaptureMachine& machine, ProgramOutput output)
    : name_(std::filesystem::path(command.front()).filename().string()),
      server_(name_, machine),
      program_(command, cudart_folder(), server_.memory_file(), output) {
    bool is_there = program_.next(request_, payload_);
    while (is_there && !CaptureServer::needs_device(request_)) {
        is_there = serve(program_, server_, request_, payload_) && program_.next(request_, payload_);
    }
    if (!is_there) {
        const int status = program_.wait();
        throw InputError(
            server_.was_asked()
                ? fmt::format("{} did not use its device, and ended with exit status {}", name_, status)
                : fmt::format("{} made no device call through libcudart.so: build it with nvcc --cudart shared",
                              name_));
    }
    ptx_ = server_.capture().ptx();
}

void LiveProgram::run(Device& device) {
    server_.perform_on(device);
    while (serve(program_, server_, request_, payload_) && program_.next(request_, payload_)) {}
    status_ = program_.wait();
}

CheckReport LiveProgram::check() const {
    return {status_ == 0 ? Outputs::match : Outputs::mismatch,
            fmt::format("{} ended with exit status {}", name_, status_.value_or(-1))};
}

}  // namespace lookahead
