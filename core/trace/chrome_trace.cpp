#include "core/trace/chrome_trace.h"

#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace lookahead {
namespace {

constexpr std::string_view kBegin = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";

double microseconds(TraceSink::Clock::duration span) {
    return std::chrono::duration<double, std::micro>(span).count();
}

}  // namespace

ChromeTrace::ChromeTrace(int rank, std::size_t most_spans)
    : rank_(rank), most_spans_(most_spans), start_(Clock::now()) {}

void ChromeTrace::span(TraceActivity activity, Clock::time_point begin, Clock::time_point end, Time until) {
    if (spans_.size() < most_spans_) {
        spans_.push_back({activity, microseconds(begin - start_), microseconds(end - begin), until});
    }
}

std::string ChromeTrace::events() const {
    std::string text;
    for (const Span& span : spans_) {
        text += fmt::format(
            "{}{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},"
            "\"args\":{{\"until_fs\":{}}}}}",
            text.empty() ? "" : ",\n", span.activity == TraceActivity::compute ? "compute" : "blocked", rank_,
            span.begin_us, span.length_us, span.until);
    }
    return text;
}

std::string ChromeTrace::document(const std::vector<std::string>& events_of_ranks) {
    std::string text = fmt::format(
        "{}{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{{\"name\":\"ranks, wall time\"}}}},\n", kBegin);
    for (std::size_t rank = 0; rank < events_of_ranks.size(); ++rank) {
        text += fmt::format(
            "{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":{},\"args\":{{\"name\":\"rank {}\"}}}}", rank,
            rank);
        if (!events_of_ranks[rank].empty()) { text += fmt::format(",\n{}", events_of_ranks[rank]); }
        text += rank + 1 < events_of_ranks.size() ? ",\n" : "\n";
    }
    return fmt::format("{}]}}\n", text);
}

bool ChromeTrace::is_one(const std::string& path) {
    std::string begin(kBegin.size(), ' ');
    return std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
           begin == kBegin;
}

}  // namespace lookahead
