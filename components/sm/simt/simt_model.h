#pragma once

#include <string_view>
#include <tuple>

#include "components/isa/simt_state.h"
#include "core/component/slot.h"

namespace lookahead::gpu {

/// Slot "sm.simt": how the lanes of a warp that diverge are run, in the SMs and in the emulator.
///
/// Contract: a variant only names its model. isa::SimtState holds both, because every instruction asks it for its lanes
/// and a call through an interface there would cost more than all that it does.
class SimtModel {
  public:
    virtual ~SimtModel() = default;
    virtual isa::SimtModel model() const = 0;
};

/// What the configuration says; `stack` if nothing.
isa::SimtModel simt_model(const Configuration& configuration);

}  // namespace lookahead::gpu

template <>
struct lookahead::SlotTraits<lookahead::gpu::SimtModel> {
    static constexpr std::string_view name = "sm.simt";
    static constexpr std::string_view default_variant = "stack";
    static constexpr std::string_view description = "Which of a warp's diverged lanes run, and where they meet again.";
    using Arguments = std::tuple<>;
};
