#include "components/sm/simt/simt_model.h"

namespace lookahead::gpu {

class StackModel final : public SimtModel {
  public:
    isa::SimtModel model() const override { return isa::SimtModel::stack; }
};
LOOKAHEAD_REGISTER_VARIANT(
    SimtModel, StackModel, "stack",
    "A stack of paths that reconverge at immediate post-dominators; a program whose lanes wait for "
    "lanes of another path of their warp is stopped.",
    "Fung et al., MICRO 2007")

class ConvergenceBarrierModel final : public SimtModel {
  public:
    isa::SimtModel model() const override { return isa::SimtModel::convergence_barrier; }
};
LOOKAHEAD_REGISTER_VARIANT(
    SimtModel, ConvergenceBarrierModel, "convergence_barrier",
    "Paths that all make progress and meet at convergence barriers; the lanes that a .sync "
    "instruction names wait for one another.",
    "Diamos et al., US patent application 2016/0019066; Volta's white paper, \"Independent Thread "
    "Scheduling\"")

isa::SimtModel simt_model(const Configuration& configuration) {
    return make_chosen<SimtModel>(configuration)->model();
}

}  // namespace lookahead::gpu
