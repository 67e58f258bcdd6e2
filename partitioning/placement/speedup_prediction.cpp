#include "partitioning/placement/speedup_prediction.h"

#include <fmt/format.h>

#include <vector>

#include "core/json/json.h"

namespace lookahead {

SpeedupPrediction predict_speedup(const LoggedWindows& log, std::span<const int> rank_of_lp, const Cluster& cluster) {
    const WindowReplay replay(log, rank_of_lp, cluster);
    SpeedupPrediction prediction{.cluster = cluster,
                                 .windows = log.windows(),
                                 .work_seconds = replay.work(),
                                 .critical_path_seconds = replay.critical_path(),
                                 .times = replay.run(false)};
    if (const ReplayTimes halves = replay.run(true); halves.seconds < prediction.times.seconds) {
        prediction.times = halves;
        prediction.halves = true;
    }
    Cluster one_core = cluster;
    one_core.ranks = one_core.nodes = one_core.threads = 1;
    prediction.one_core_seconds = WindowReplay(log, std::vector<int>(log.processes, 0), one_core).run(false).seconds;
    return prediction;
}

std::string SpeedupPrediction::text() const {
    const double rest = times.seconds - times.compute - times.messages - times.overhead;
    return fmt::format(
        "predicted by going through the log's windows as the ranks would: each begins when the bounds of all are "
        "known\n"
        "  {} ranks on {} nodes, {} threads each; {} windows, {}, {} packets per rank\n"
        "  packet: {:.2f} us between nodes, {:.2f} us within one, {:.2f} us of either core, {:.3g} GB/s\n"
        "  message: {:.0f} ns of either core, {:.0f} bytes; process in a window: {:.0f} ns; window of threads: {:.2f} "
        "us;\n"
        "  a core with busy neighbours takes {:.2f} times as long, {:.2f} times if they run other ranks, "
        "a window in halves {:.2f} times\n"
        "  one rank, one thread {:10.4f} s  (CPU time of all processes {:.4f} s)\n"
        "  critical path        {:10.4f} s  (slowest rank of each window)\n"
        "  computing            {:10.4f} s  (of the rank with most, like the next two)\n"
        "  messages             {:10.4f} s\n"
        "  choosing processes   {:10.4f} s\n"
        "  waiting, packets     {:10.4f} s  (the rest)\n"
        "  predicted            {:10.4f} s, speed-up {:.2f}\n",
        cluster.ranks, cluster.nodes, cluster.threads, windows, halves ? "by halves" : "each whole", times.packets,
        cluster.latency_us, cluster.local_latency_us, cluster.packet_us, cluster.gigabytes_per_s, cluster.message_ns,
        cluster.message_bytes, cluster.process_ns, cluster.share_us, cluster.slowdown, cluster.rank_slowdown,
        cluster.half_work, one_core_seconds, work_seconds, critical_path_seconds, times.compute, times.messages,
        times.overhead, rest, times.seconds, speedup());
}

std::string SpeedupPrediction::json() const {
    return Json(Json::Object{{"ranks", cluster.ranks},
                             {"nodes", cluster.nodes},
                             {"threads", cluster.threads},
                             {"windows", std::uint64_t{windows}},
                             {"halves", halves},
                             {"one_core_s", one_core_seconds},
                             {"critical_path_s", critical_path_seconds},
                             {"compute_s", times.compute},
                             {"messages_s", times.messages},
                             {"overhead_s", times.overhead},
                             {"predicted_s", times.seconds},
                             {"speedup", speedup()}})
        .page();
}

}  // namespace lookahead
