#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lookahead {

/// Limits of a point: one that exceeds them is ended and counts as failed.
struct PointLimits {
    double timeout_s = 0;            ///< 0: none
    std::uint64_t memory_bytes = 0;  ///< resident, of one process; 0: none
};

/// A command line to run, and its limits.
struct PointOrder {
    std::vector<std::string> arguments;  ///< of `lookahead`, from the command's name on
    PointLimits limits{};
};

/// How the command line ended.
struct PointEnd {
    enum class Overrun : std::int32_t { none, time, memory };

    int exit_code = 0;    ///< 128 + n for signal n
    std::string message;  ///< the last line that it wrote to stderr; empty after exit code 0
    Overrun overrun = Overrun::none;
    double wall_s = 0;  ///< of the child's process, from its making to its end
};

/// A process that runs command lines of this program, one at a time, each in its own child. It is forked before the
/// program has threads, MPI or much memory: its children are cheap, share nothing with this process, and may crash,
/// hang or use any resources. It ends, with the child, when this process ends in any way.
class PointServer {
  public:
    /// Runs a command line in the child; returns its exit code.
    using Command = std::function<int(const std::vector<std::string>& arguments)>;

    explicit PointServer(const Command&);
    PointServer(const PointServer&) = delete;
    PointServer& operator=(const PointServer&) = delete;
    ~PointServer();

    void begin(const PointOrder&);
    /// The end of the order, or nothing if it has not ended within `patience`. InternalError if the server has ended.
    std::optional<PointEnd> wait(std::chrono::milliseconds patience);
    /// Waits until one of the servers has an answer for `wait`, at most for `patience`.
    static void wait_for_any(std::span<PointServer* const>, std::chrono::milliseconds patience);
    /// Sends a signal to the running child, if there is one.
    void signal(int number);

  private:
    void send(const std::string& message);

    int socket_ = -1;
    int server_ = -1;
};

}  // namespace lookahead
