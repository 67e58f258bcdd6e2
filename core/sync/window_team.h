#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/sync/patience.h"
#include "core/transport/waiting.h"

namespace lookahead {

/// The threads that share the work of a window: a leader that opens and closes windows, and members that help while one
/// is open. The leader needs no member: it does every task that no member has claimed. So members may come late, and a
/// member that the host does not run delays a window only while it holds a task.
///
/// Members see in the window all data that the leader wrote before open(); the leader sees after close() all data that
/// members wrote in the window.
class WindowTeam {
  public:
    /// Room for `most` threads, the leader included, and for windows of `tasks` tasks at most.
    WindowTeam(std::size_t most, std::size_t tasks);
    WindowTeam(const WindowTeam&) = delete;
    WindowTeam& operator=(const WindowTeam&) = delete;

    // For the leader.
    bool has_members() const { return members_.load(std::memory_order_relaxed) > 1; }
    std::size_t members() const { return members_.load(std::memory_order_relaxed); }
    /// begins[p]: the first task of part p; the last element is the number of tasks. Member m begins with part m modulo
    /// the parts. The span must stay valid until close().
    void open(std::span<const std::size_t> begins);
    /// Returns when no task of the window is under way.
    void close();
    /// Makes members return from next_window() with false; no thread can join after that.
    void dismiss();

    // For a member.
    /// Joins the team. Returns the member's number, from 1 on; none if the team is full or dismissed.
    std::optional<std::size_t> join();
    /// Waits for a window after those in which this member took part, and takes part in it until leave(). False if
    /// there will be none.
    bool next_window(std::uint32_t& last);
    void leave() { --inside_; }

    // For all.
    /// Calls work(task) for each task of this window that no other thread claims: first in its own part, then at the
    /// ends of the others' parts.
    template <class Work>
    void work_through(std::size_t member, Work work) {
        const std::size_t parts = begins_.size() - 1;
        const auto claim = [&](std::size_t task) {
            if (claimed_[task].load(std::memory_order_relaxed) == 0 &&
                claimed_[task].exchange(1, std::memory_order_relaxed) == 0) {
                work(task);
            }
        };
        const std::size_t own = member % parts;
        for (std::size_t task = begins_[own]; task < begins_[own + 1]; ++task) { claim(task); }
        for (std::size_t i = 1; i < parts; ++i) {
            const std::size_t other = (own + i) % parts;
            for (std::size_t task = begins_[other + 1]; task > begins_[other]; --task) { claim(task - 1); }
        }
    }

  private:
    static constexpr std::size_t kLine = 64;  // of the host's caches
    static constexpr std::uint32_t kDismissed = 0xffff'fffe;

    static bool is_open(std::uint32_t window) { return (window & 1) != 0; }
    void wait_until_empty();

    alignas(kLine) std::atomic<std::uint32_t> window_{0};  ///< odd while one is open
    alignas(kLine) std::atomic<std::uint32_t> inside_{0};  ///< members in the open window
    alignas(kLine) std::atomic<std::size_t> members_{1};
    std::mutex joining_;
    std::size_t most_;
    std::span<const std::size_t> begins_;
    std::unique_ptr<std::atomic<std::uint8_t>[]> claimed_;  ///< by task of the open window
    Waiting waiting_{Patience::kLooks};
};

}  // namespace lookahead
