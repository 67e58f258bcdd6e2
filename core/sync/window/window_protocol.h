#pragma once

#include "core/sync/sync_protocol.h"

namespace lookahead {

/// All ranks go from window to window together. A packet carries a rank's batch and its lower bound at once; each
/// rank takes the least of all bounds itself, so that there is no reduction besides.
///
/// Nothing happens anywhere before the least bound M, so nothing reaches a rank before M + the shortest channel into
/// it: that is its horizon. The next M is at or after the last one, whatever the ranks' horizons were.
class WindowProtocol final : public SyncProtocol {
  public:
    explicit WindowProtocol(const SyncArguments& arguments);
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    Time exchange();

    RankEngine& engine_;
    Transport& transport_;
    Time lookahead_;
};

}  // namespace lookahead
