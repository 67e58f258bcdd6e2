#include "experiments/sweep/crash_record.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "core/error/error.h"

namespace lookahead {

namespace {

struct Crash {
    int number;
    const char* name;
};

constexpr std::array<Crash, 5> kCrashes{
    {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}}};

// A handler may not allocate, so everything that it writes is prepared.
constexpr std::size_t kMostOfPath = 4096;
std::array<char, kMostOfPath> file_name{};
std::array<char, kMostOfPath> partial_name{};
std::array<std::array<char, 256>, kCrashes.size()> texts{};
std::array<int, kCrashes.size()> sizes{};
std::array<struct sigaction, kCrashes.size()> before{};
std::array<std::byte, 64 * 1024> stack{};  // the point's own stack may be exhausted
stack_t stack_before{};

void record(int number) {
    for (std::size_t i = 0; i < kCrashes.size(); ++i) {
        if (kCrashes[i].number == number) {
            const int file = ::open(partial_name.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
            const auto bytes = static_cast<std::size_t>(sizes[i]);
            if (file >= 0 && ::write(file, texts[i].data(), bytes) == static_cast<ssize_t>(bytes) &&
                ::fsync(file) == 0) {
                ::rename(partial_name.data(), file_name.data());
            }
        }
    }
    ::signal(number, SIG_DFL);
    ::raise(number);  // delivered when this handler returns
}

}  // namespace

CrashRecord::CrashRecord(const std::string& file, int rank) {
    const std::string partial = fmt::format("{}.partial.crash-{}-{}", file, ::getpid(), rank);
    LOOKAHEAD_ASSERT(partial.size() < kMostOfPath, "the path of a sweep's folder is too long");
    std::snprintf(file_name.data(), file_name.size(), "%s", file.c_str());
    std::snprintf(partial_name.data(), partial_name.size(), "%s", partial.c_str());
    stack_t here{};
    here.ss_sp = stack.data();
    here.ss_size = stack.size();
    ::sigaltstack(&here, &stack_before);
    for (std::size_t i = 0; i < kCrashes.size(); ++i) {
        const auto& [number, name] = kCrashes[i];
        sizes[i] =
            std::snprintf(texts[i].data(), texts[i].size(),
                          "{\"exit_code\": %d, \"message\": \"rank %d of the point crashed (%s), which ended the "
                          "whole job\", \"wall_s\": 0}\n",
                          128 + number, rank, name);
        struct sigaction action {};
        action.sa_handler = record;
        action.sa_flags = SA_ONSTACK;
        ::sigaction(number, &action, &before[i]);
    }
}

CrashRecord::~CrashRecord() {
    for (std::size_t i = 0; i < kCrashes.size(); ++i) { ::sigaction(kCrashes[i].number, &before[i], nullptr); }
    ::sigaltstack(&stack_before, nullptr);
}

}  // namespace lookahead
