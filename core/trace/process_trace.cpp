#include "core/trace/process_trace.h"

#include <cstdio>

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
    char text[40];
    std::snprintf(text, sizeof text, "%.6f", static_cast<double>(time) / kFemtosecondsPerMicrosecond);
    return text;
}

std::string metadata(const char* what, int pid, int tid, std::string_view name) {
    return std::string("{\"name\":\"") + what + "\",\"ph\":\"M\",\"pid\":" + std::to_string(pid) +
           ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"name\":" + text_of(name) + "}}";
}

}  // namespace

int ProcessTrace::viewer_process(std::string_view process) {
    const auto found = processes_.find(process);
    if (found != processes_.end()) { return found->second; }
    const int pid = 1 + rank_ * kProcessesPerRank + static_cast<int>(processes_.size());
    processes_.emplace(process, pid);
    append(metadata("process_name", pid, 0, std::string(process) + ", simulated time"));
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
    append("{\"name\":" + text_of(state) + ",\"ph\":\"X\",\"pid\":" + std::to_string(viewer_process(process)) +
           ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + microseconds(begin) +
           ",\"dur\":" + microseconds(end - begin) + "}");
}

void ProcessTrace::value(std::string_view process, std::string_view quantity, Time at, std::uint64_t value) {
    append("{\"name\":" + text_of(quantity) + ",\"ph\":\"C\",\"pid\":" + std::to_string(viewer_process(process)) +
           ",\"ts\":" + microseconds(at) + ",\"args\":{\"value\":" + std::to_string(value) + "}}");
}

}  // namespace lookahead
