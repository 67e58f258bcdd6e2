#include "core/trace/process_trace.h"

#include <fmt/format.h>

namespace lookahead {

namespace {

constexpr double kFemtosecondsPerMicrosecond = 1e9;
/// The viewer's process 0 has the ranks (ChromeTrace).
constexpr int kProcessesPerRank = 100'000;

std::string text_of(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') { quoted += '\\'; }
        quoted += c;
    }
    return quoted + '"';
}

/// Converts femtoseconds to microseconds, to a millionth.
std::string microseconds(Time time) {
    return fmt::format("{:.6f}", static_cast<double>(time) / kFemtosecondsPerMicrosecond);
}

std::string metadata(const char* what, int pid, int tid, std::string_view name) {
    return fmt::format("{}{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}",
                       std::string("{\"name\":\""), what, pid, tid, text_of(name));
}

}  // namespace

int ProcessTrace::viewer_process(std::string_view process) {
    const auto found = processes_.find(process);
    if (found != processes_.end()) { return found->second; }
    const int pid = 1 + rank_ * kProcessesPerRank + static_cast<int>(processes_.size());
    processes_.emplace(process, pid);
    append(metadata("process_name", pid, 0, fmt::format("{}, simulated time", process)));
    return pid;
}

int ProcessTrace::viewer_thread(std::string_view process, std::string_view track) {
    const int pid = viewer_process(process);
    const auto [place, is_new] =
        threads_.try_emplace({std::string(process), std::string(track)}, static_cast<int>(threads_.size()));
    if (is_new) { append(metadata("thread_name", pid, place->second, track)); }
    return place->second;
}

void ProcessTrace::span(std::string_view process, std::string_view track, std::string_view state, Time begin,
                        Time end) {
    const int tid = viewer_thread(process, track);
    append(fmt::format("{{\"name\":{},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}}}", text_of(state),
                       viewer_process(process), tid, microseconds(begin), microseconds(end - begin)));
}

void ProcessTrace::value(std::string_view process, std::string_view quantity, Time at, std::uint64_t value) {
    append(fmt::format("{{\"name\":{},\"ph\":\"C\",\"pid\":{},\"ts\":{},\"args\":{{\"value\":{}}}}}", text_of(quantity),
                       viewer_process(process), microseconds(at), value));
}

}  // namespace lookahead
