#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
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
/// Members see in the window all data that the leader wrote before share(); the leader sees after it all data that
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
    /// Opens a window: runs `work(0)` on this thread, and `work(m)` on each member m that comes while the window is
    /// open. Returns when all these calls have returned; throws the first exception that one of them threw. begins[p]:
    /// the first task of part p; the last element is the number of tasks. Member m begins with part m modulo the parts.
    void share(std::span<const std::size_t> begins, const std::function<void(std::size_t member)>& work);
    /// Makes members return from help(); no thread can join after that.
    void dismiss();

    /// For other threads: joins the team and takes part in its windows until the team is dismissed. Returns at once if
    /// the team is full or dismissed already.
    void help();

    /// For `work` in share(): calls work(task) for each task of this window that no other thread has claimed: first the
    /// tasks of the member's own part, then those of the other parts, from their ends.
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
    void run(std::size_t member);
    std::optional<std::size_t> join();
    bool next_window(std::uint32_t& last);
    void wait_until_empty();

    alignas(kLine) std::atomic<std::uint32_t> window_{0};  ///< odd while one is open
    alignas(kLine) std::atomic<std::uint32_t> inside_{0};  ///< members in the open window
    alignas(kLine) std::atomic<std::size_t> members_{1};
    std::mutex joining_;
    std::size_t most_;
    std::span<const std::size_t> begins_;
    std::unique_ptr<std::atomic<std::uint8_t>[]> claimed_;           ///< by task of the open window
    const std::function<void(std::size_t member)>* work_ = nullptr;  ///< of the open window
    std::mutex failing_;
    std::exception_ptr thrown_;  ///< the first exception of work
    Waiting waiting_{Patience::kLooks};
};

}  // namespace lookahead
