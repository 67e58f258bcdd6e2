#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/frontend/finaliser/analysis/control_flow.h"
#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/mechanisms/vecmem/planner.h"
#include "core/param/parameters.h"

namespace lookahead::vecmem {

struct VecmemParameters {
    LOOKAHEAD_PARAMETER(
        std::string, length, "best", {"4", "8", "16", "best"},
        {.help = "Elements of a vector memory instruction; best: the longest possible within the registers.",
         .source = "Crago et al., section 4.2: lengths 4, 8 and 16"});
    LOOKAHEAD_PARAMETER(std::string, spaces, "both", {"both", "global", "shared"},
                        {.help = "Which memory spaces are vectorised.", .source = "Crago et al., figure 15"});
    LOOKAHEAD_PARAMETER(std::string, patterns, "both", {"both", "strided", "indirect"},
                        {.help = "Which access patterns are vectorised.", .source = "Crago et al., figure 16"});
    LOOKAHEAD_ALL_DECLARED;
};

namespace {

using finaliser::RegisterBounds;

/// Registers to allow for aligning groups to multiples of their length, beside the live values.
constexpr unsigned kAlignmentRegisters = 4;

/// Does what the paper leaves to programmers (Crago et al., TACO 2018, section 5.2, "Compiler Generation").
class VecmemTransform final : public finaliser::KernelTransform {
  public:
    using Parameters = VecmemParameters;

    explicit VecmemTransform(const Parameters& parameters) {
        if (parameters.length == "best") {
            lengths_ = {16, 8, 4};
        } else {
            lengths_ = {static_cast<unsigned>(std::stoul(parameters.length))};
        }
        kinds_ = {.global = parameters.spaces != "shared",
                  .shared = parameters.spaces != "global",
                  .strided = parameters.patterns != "indirect",
                  .indirect = parameters.patterns != "strided"};
    }

    void before_expansion(finaliser::KernelUnderWork& kernel,
                          const finaliser::FinaliserOptions& options) const override {
        finaliser::split_at_jumps(kernel.main);
        if (!has_candidates(kernel.main)) { return; }
        const unsigned limit = options.isa.registers;
        const bool is_same_code = kernel.same_for.contain(0) && kernel.same_for.contain(RegisterBounds{}.most);
        auto tried = is_same_code ? std::dynamic_pointer_cast<TriedPlans>(kernel.findings) : nullptr;
        if (tried == nullptr) { kernel.findings = tried = std::make_shared<TriedPlans>(); }
        Planner planner(kernel.main, lengths_, limit > kAlignmentRegisters ? limit - kAlignmentRegisters : 0, kinds_,
                        tried);
        VirtualKernel packed = planner.run().kernel;
        kernel.main = std::move(packed);
        kernel.same_for.narrow_to(with_alignment(planner.same_for()));
    }

  private:
    /// The kernel's limits that correspond to the planner's.
    static RegisterBounds with_alignment(RegisterBounds bounds) {
        if (bounds.least > 0) { bounds.least += kAlignmentRegisters; }
        if (bounds.most < RegisterBounds{}.most) { bounds.most += kAlignmentRegisters; }
        return bounds;
    }

    std::vector<unsigned> lengths_;
    VectorKinds kinds_;
};
using finaliser::KernelTransform;
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, VecmemTransform, "vecmem",
                           "Vector memory instructions: unrolls loops and packs strided and indirect accesses.",
                           "Crago, Stephenson and Keckler, TACO 2018, section 5.2")

}  // namespace

}  // namespace lookahead::vecmem
