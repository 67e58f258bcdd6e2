#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "components/frontend/finaliser/transform/kernel_transform.h"

namespace lookahead::finaliser::test {

using TransformFunction = std::function<void(KernelUnderWork& kernel, const FinaliserOptions& options)>;

/// A transform given by a test's function.
class FunctionTransform final : public KernelTransform {
  public:
    FunctionTransform(TransformFunction early, TransformFunction late)
        : early_(std::move(early)), late_(std::move(late)) {}

    void before_expansion(KernelUnderWork& kernel, const FinaliserOptions& options) const override {
        if (early_) { early_(kernel, options); }
    }
    void before_allocation(KernelUnderWork& kernel, const FinaliserOptions& options) const override {
        if (late_) { late_(kernel, options); }
    }

  private:
    TransformFunction early_;
    TransformFunction late_;
};

inline FinaliserOptions with_transform(TransformFunction early, TransformFunction late = {},
                                       FinaliserOptions options = {}) {
    options.transform = std::make_shared<FunctionTransform>(std::move(early), std::move(late));
    return options;
}

/// Calls `visit(instruction)` for all instructions of the code.
template <class Visit>
void for_each_instruction(VirtualKernel& code, Visit visit) {
    for (VirtualBlock& block : code.blocks) {
        for (VirtualInstruction& instruction : block.code) { visit(instruction); }
    }
}

}  // namespace lookahead::finaliser::test
