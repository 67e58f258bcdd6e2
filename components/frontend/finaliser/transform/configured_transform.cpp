#include "components/frontend/finaliser/transform/configured_transform.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// Several transforms, one after the other.
class JoinedTransforms final : public KernelTransform {
  public:
    explicit JoinedTransforms(std::vector<std::unique_ptr<KernelTransform>> transforms)
        : transforms_(std::move(transforms)) {}

    void before_expansion(KernelUnderWork& kernel, const FinaliserOptions& options) const override {
        for (const auto& transform : transforms_) transform->before_expansion(kernel, options);
    }
    void before_allocation(KernelUnderWork& kernel, const FinaliserOptions& options) const override {
        for (const auto& transform : transforms_) transform->before_allocation(kernel, options);
    }

  private:
    std::vector<std::unique_ptr<KernelTransform>> transforms_;
};

std::vector<std::string> names_in(const std::string& joined) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= joined.size();) {
        const std::size_t end = std::min(joined.find('+', begin), joined.size());
        names.push_back(joined.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}

}  // namespace

std::shared_ptr<const KernelTransform> configured_transform(const Configuration& configuration) {
    constexpr std::string_view kKey = SlotTraits<KernelTransform>::name;
    const std::string joined = configuration.variant(kKey, "none");
    if (joined == "none") return nullptr;
    const auto refuse = [&](const std::string& what) {
        throw ConfigurationError(std::string(kKey) + " = \"" + joined + "\" (" + configuration.place_of(kKey) + ") " +
                                 what);
    };
    const std::vector<std::string> names = names_in(joined);
    std::vector<std::unique_ptr<KernelTransform>> transforms;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(names.begin(), name, *name) != name)
            refuse("names " + *name + " twice; each transform can be there once");
        if (*name == "none") refuse("names none beside others; it stands alone");
        transforms.push_back(make_variant<KernelTransform>(*name, configuration));
    }
    return std::make_shared<JoinedTransforms>(std::move(transforms));
}

}  // namespace lookahead::finaliser
