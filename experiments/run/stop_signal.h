#pragma once

namespace lookahead {

/// Signals that ask a run to stop, at a checkpoint once it simulates: SIGUSR1, SIGTERM (which Slurm sends), SIGINT and
/// SIGHUP.
class StopSignal {
  public:
    /// From now on each signal ends the process at once, as stopped and with a sentence, because there is nothing to
    /// save yet. main() calls it before any long work. An ignored signal, such as SIGHUP under nohup, stays ignored.
    static void end_start_from_now();

    /// From now on signals are noted, and obeyed at the next epoch. A second SIGTERM, SIGINT or SIGHUP ends the process
    /// at once if it comes at least a quarter of a second after the first: launchers and `timeout` send the first one
    /// twice, to the process and to its group.
    static void note_from_now();

    /// From now on each signal has its default action and ends the process; a noted one does so now.
    static void end_process_from_now();

    /// Whether a signal has come to this process.
    static bool came();
    /// Forgets a signal that was handled otherwise. The next SIGTERM, SIGINT or SIGHUP still ends the process.
    static void forget();
};

}  // namespace lookahead
