#pragma once

#include "core/sync/sync_protocol.h"

namespace lookahead {

/// All ranks go from window to window together. A packet carries a rank's batch and its lower bound at once; each
/// rank takes the least of all bounds itself, so that there is no reduction besides.
///
/// Nothing happens anywhere before the least bound M, so nothing reaches a rank before M + the shortest channel into
/// it. What is about to happen may need longer for its messages than the shortest channel does, as a host's copies do:
/// the ranks tell each other a bound below all messages to come (RankEngine::earliest_effect) too. The greater of both
/// is the horizon. The next M is at or after the last one, whatever the ranks' horizons were.
class WindowProtocol final : public SyncProtocol {
  public:
    explicit WindowProtocol(const SyncArguments& arguments);
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    struct Bounds {
        Time earliest;
        Time effect;
        void lower(const Bounds& other);
    };

    void exchange();

    RankEngine& engine_;
    Transport& transport_;
    Time lookahead_;
    Bounds least_{0, 0};  ///< of all ranks; nothing happens between two epochs that could lower the effect
};

}  // namespace lookahead
