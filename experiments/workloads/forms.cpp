#include "experiments/workloads/forms.h"

#include "core/error/error.h"

namespace lookahead {

std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll) {
    if (form == "looped") { return std::string(kernel) + "_" + std::string(unroll); }
    if (unroll != kUnrollFactors.front()) {
        throw ConfigurationError("unroll=" + std::string(unroll) + " is of form=looped: give form=looped, too");
    }
    return std::string(kernel);
}

}  // namespace lookahead
