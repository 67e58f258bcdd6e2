#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "components/isa/lane_mask.h"
#include "components/isa/operand.h"

namespace lookahead::gpu {

/// Up to isa::kMostOperandRows rows of 32-bit values by lane, copied as a whole. `kNear` of them are in place; later
/// rows, which few instructions have, are allocated at first use, to keep waiting instructions small.
template <class Value, unsigned kNear>
class LaneRows {
  public:
    using Row = Value[isa::kWarpSize];

    LaneRows() = default;
    LaneRows(const LaneRows& other) { *this = other; }
    LaneRows& operator=(const LaneRows& other) {
        if constexpr (kNear > 0) { std::copy_n(&other.near_.rows[0][0], kNear * isa::kWarpSize, &near_.rows[0][0]); }
        far_ = other.far_ != nullptr ? std::make_unique<Far>(*other.far_) : nullptr;
        return *this;
    }
    LaneRows(LaneRows&&) = default;
    LaneRows& operator=(LaneRows&&) = default;
    ~LaneRows() = default;

    Row& operator[](unsigned row) {
        if constexpr (kNear > 0) {
            if (row < kNear) [[likely]] { return near_.rows[row]; }
        }
        if (far_ == nullptr) { far_ = std::make_unique<Far>(); }
        return far_->rows[row - kNear];
    }
    /// A row beyond those in place must have been set before.
    const Row& operator[](unsigned row) const {
        if constexpr (kNear > 0) {
            if (row < kNear) [[likely]] { return near_.rows[row]; }
        }
        return far_->rows[row - kNear];
    }

  private:
    struct None {};
    struct Near {
        alignas(64) Row rows[kNear == 0 ? 1 : kNear];
    };
    struct Far {
        alignas(64) Row rows[isa::kMostOperandRows - kNear];
    };

    [[no_unique_address]] std::conditional_t<kNear == 0, None, Near> near_;
    std::unique_ptr<Far> far_;
};

}  // namespace lookahead::gpu
