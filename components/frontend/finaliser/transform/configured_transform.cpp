#include "components/frontend/finaliser/transform/configured_transform.h"

#include <string>
#include <utility>
#include <vector>

#include "components/frontend/finaliser/transform/kernel_transform.h"

namespace lookahead::finaliser {

namespace {

class JoinedTransforms final : public KernelTransform {
  public:
    explicit JoinedTransforms(std::vector<std::unique_ptr<KernelTransform>> transforms)
        : transforms_(std::move(transforms)) {}

    void before_expansion(KernelUnderWork& kernel, const FinaliserOptions& options) const override {
        for (const auto& transform : transforms_) { transform->before_expansion(kernel, options); }
    }
    void before_allocation(KernelUnderWork& kernel, const FinaliserOptions& options) const override {
        for (const auto& transform : transforms_) { transform->before_allocation(kernel, options); }
    }

  private:
    std::vector<std::unique_ptr<KernelTransform>> transforms_;
};

}  // namespace

std::shared_ptr<const KernelTransform> configured_transform(const Configuration& configuration) {
    std::vector<std::unique_ptr<KernelTransform>> transforms;
    for (const std::string& name : joined_variants<KernelTransform>(configuration)) {
        transforms.push_back(make_variant<KernelTransform>(name, configuration));
    }
    if (transforms.empty()) { return nullptr; }
    return std::make_shared<JoinedTransforms>(std::move(transforms));
}

}  // namespace lookahead::finaliser
