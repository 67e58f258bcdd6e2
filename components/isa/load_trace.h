#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lookahead::isa {

/// The loads of global memory by every warp of a run, known before the run from a functional run: for prefetchers that
/// are upper bounds rather than designs. Loads of more than kLines lines, and loads that are not weak, are left out.
struct LoadTrace {
    static constexpr unsigned kLines = 4;

    struct Load {
        std::uint32_t pc;     ///< index in the kernel's code
        std::uint32_t count;  ///< of lines
        std::uint64_t lines[kLines];
    };
    using Warp = std::vector<Load>;  ///< in the order of execution
    struct Launch {
        unsigned warps_per_cta = 0;
        std::vector<Warp> warps;  ///< by linear index of the CTA, then by the warp's number in it
    };

    std::vector<Launch> launches;
};

/// The LoadTrace of a run, made at its first use, because few runs need it.
class KnownLoads {
  public:
    using Find = std::function<std::shared_ptr<const LoadTrace>()>;
    explicit KnownLoads(Find find) : find_(std::move(find)) {}

    /// Null if it cannot be made. Threads must not call it at the same time.
    const LoadTrace* get() const {
        if (trace_ == nullptr && find_) { trace_ = find_(); }
        return trace_.get();
    }

  private:
    Find find_;
    mutable std::shared_ptr<const LoadTrace> trace_;
};

}  // namespace lookahead::isa
