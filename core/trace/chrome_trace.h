#pragma once

#include <string>
#include <vector>

#include "core/trace/trace_sink.h"

namespace lookahead {

/// Records the spans of one rank, as the JSON that Perfetto and chrome://tracing read.
class ChromeTrace final : public TraceSink {
  public:
    /// Ranks make their traces right after a barrier, so that their clocks begin together. At most `most_spans` spans
    /// are kept.
    explicit ChromeTrace(int rank, std::size_t most_spans = 1'000'000);

    void span(TraceActivity, Clock::time_point begin, Clock::time_point end, Time until) override;

    /// This rank's events, separated by commas; empty when there are none.
    std::string events() const;
    /// The whole file from the events of all ranks.
    static std::string document(const std::vector<std::string>& events_of_ranks);
    /// Whether the file begins as document() does.
    static bool is_one(const std::string& path);

  private:
    struct Span {
        TraceActivity activity;
        double begin_us;
        double length_us;
        Time until;
    };
    int rank_;
    std::size_t most_spans_;
    Clock::time_point start_;
    std::vector<Span> spans_;
};

}  // namespace lookahead
