#pragma once

namespace lookahead {

/// Signals that ask a run to stop, at a checkpoint if it simulates already: SIGUSR1, SIGTERM (which Slurm sends), SIGINT
/// and SIGHUP.
class StopSignal {
  public:
    /// From now on each ends the process at once, as stopped and with a sentence: there is nothing to make a checkpoint of.
    /// main() calls it before anything that may take long. A signal that is ignored, as SIGHUP under nohup, stays so.
    static void end_start_from_now();

    /// From now on they are noted, and obeyed at the next epoch. Of the last three a second one ends the process at once, if
    /// it comes a quarter of a second after the first or later: launchers and `timeout` send the first one twice, to the
    /// process and to its group.
    static void note_from_now();

    /// From now on each ends the process as if nothing had been said of it; one that has come does so now.
    static void end_process_from_now();

    /// Whether one came to this process.
    static bool came();
    /// As if it had not come: it was answered otherwise. The next one of the last three still ends the process.
    static void forget();
};

}  // namespace lookahead
