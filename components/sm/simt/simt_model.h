#pragma once

#include <string_view>
#include <tuple>

#include "components/isa/simt_model.h"
#include "core/component/slot.h"

namespace lookahead::gpu {

/// Slot "sm.simt": how diverging lanes of a warp run, in the SMs and in the emulator.
///
/// Contract: a variant only names its model. isa::SimtState implements both models, because every instruction asks it
/// for its lanes and a virtual call there would cost more than the work itself.
class SimtModel {
  public:
    static constexpr SlotDeclaration kSlot{"sm.simt", "stack",
                                           "Which of a warp's diverged lanes run, and where they meet again."};
    using Arguments = std::tuple<>;

    virtual ~SimtModel() = default;
    virtual isa::SimtModel model() const = 0;
};

/// The configured model; `stack` by default.
isa::SimtModel simt_model(const Configuration& configuration);

}  // namespace lookahead::gpu
