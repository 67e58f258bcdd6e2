#include <fmt/format.h>

#include <optional>
#include <utility>

#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/mechanisms/dac/dac_parameters.h"
#include "components/mechanisms/dac/kept.h"
#include "components/mechanisms/dac/sign_tests.h"
#include "components/mechanisms/dac/streams.h"

namespace lookahead::dac {

using finaliser::split_at_jumps;

namespace {

/// Annotations. "dac.decoupled": the number of divergent conditions. "dac.affine": the affine stream computes it.
/// "dac.stays.REASON": a candidate that is not decoupled; in a refused kernel, what it would need. "dac.read.READER":
/// the affine stream could compute it, but this reader keeps it in the kernel's own stream. "dac.reported": a branch
/// whose lanes warps report to the affine warp.
void annotate(VirtualKernel& kernel, const Flow& flow, const Plan& plan) {
    const auto readers = readers_of_kept(kernel, flow, plan);
    for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block) {
        for (std::uint32_t index = 0; index < kernel.blocks[block].code.size(); ++index) {
            const Step& step = plan.at({block, index});
            VirtualInstruction& instruction = kernel.blocks[block].code[index];
            if (step.queue) {
                kernel.annotate(instruction, "dac.decoupled", step.conditions);
            } else if (step.stays != Reason::none) {
                kernel.annotate(instruction, fmt::format("dac.stays.{}", name_of(step.stays)), plan.refusal().found);
            } else if (step.reports) {
                kernel.annotate(instruction, "dac.reported", 0);
            } else if (step.affine) {
                kernel.annotate(instruction, "dac.affine", 0);
            }
            if (const Reader reader = readers[block][index]; reader != Reader::none) {
                kernel.annotate(instruction, fmt::format("dac.read.{}", name_of(reader)), 0);
            }
        }
    }
}

/// Wang and Lin, ISCA 2017, section 4.7. Runs before 64-bit operations are split, while addresses can be followed.
class DacTransform final : public finaliser::KernelTransform {
  public:
    using Parameters = DacParameters;

    explicit DacTransform(const Parameters& parameters)
        : choices_{.accesses = parameters.decouple != "predicates",
                   .shared = parameters.shared_accesses,
                   .predicates = parameters.decouple != "accesses",
                   .conditions = static_cast<std::size_t>(parameters.divergent_conditions),
                   .reports = parameters.reports} {}

    void before_expansion(finaliser::KernelUnderWork& kernel, const finaliser::FinaliserOptions&) const override {
        split_at_jumps(kernel.main);
        split_sign_tests(kernel.main, choices_.reports);
        const Flow flow(kernel.main);
        Choices choices = choices_;
        std::optional<Plan> plan(std::in_place, kernel.main, flow, choices);
        // Reports and accesses of shared memory add to what is decoupled, which may be too much.
        for (bool Choices::*more : {&Choices::reports, &Choices::shared}) {
            if (plan->refusal().reason != Reason::none && std::exchange(choices.*more, false)) {
                plan.emplace(kernel.main, flow, choices);
            }
        }
        annotate(kernel.main, flow, *plan);
        if (!plan->decouples()) { return; }
        kernel.programs.push_back(affine_stream(kernel.main, flow, *plan));
        take_from_queues(kernel.main, *plan);
    }

  private:
    Choices choices_;
};
using finaliser::KernelTransform;
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, DacTransform, "dac",
                           "Decoupled affine computation: addresses and predicates that are linear in the thread's and "
                           "block's index go to a stream of their own.",
                           "Wang and Lin, ISCA 2017")

}  // namespace

}  // namespace lookahead::dac
