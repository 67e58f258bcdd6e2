#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/trace/model_trace.h"

namespace lookahead {

/// Writes the records of processes over simulated time as the JSON that Perfetto and chrome://tracing read: one process
/// of the viewer for each logical process, a thread for each track, and a counter for each quantity. One microsecond in
/// the viewer is one microsecond of simulated time.
class ProcessTrace final : public TraceVisitor {
  public:
    void span(std::string_view process, std::string_view track, std::string_view state, Time begin, Time end) override;
    void value(std::string_view process, std::string_view quantity, Time at, std::uint64_t value) override;

    /// `rank` distinguishes the viewer's processes of different ranks.
    explicit ProcessTrace(int rank) : rank_(rank) {}
    /// The events, separated by commas; empty when there are none.
    const std::string& events() const { return events_; }

  private:
    void append(const std::string& event) { events_ += (events_.empty() ? "" : ",\n") + event; }
    int viewer_process(std::string_view process);
    int viewer_thread(std::string_view process, std::string_view track);

    int rank_;
    std::string events_;
    std::map<std::string, int, std::less<>> processes_;
    std::map<std::pair<std::string, std::string>, int> threads_;
};

}  // namespace lookahead
