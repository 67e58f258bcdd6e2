#pragma once

#include <algorithm>

namespace lookahead {

/// Exponential backoff: an attempt that failed is due again at the fourth chance, then at the eighth after it, and so
/// on.
class Backoff {
  public:
    /// Call it at each chance.
    bool is_due() {
        if (++since_ < pause_) { return false; }
        since_ = 0;
        pause_ = std::min(2 * pause_, kMostPause);
        return true;
    }

  private:
    static constexpr unsigned kMostPause = 1024;

    unsigned since_ = 0;
    unsigned pause_ = 4;
};

}  // namespace lookahead
