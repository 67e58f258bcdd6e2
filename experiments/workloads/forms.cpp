#include "experiments/workloads/forms.h"

#include "core/error/error.h"

namespace lookahead {

std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll) {
    if (form == "looped") { return fmt::format("{}_{}", kernel, unroll); }
    if (unroll != kUnrollFactors.front()) {
        throw ConfigurationError("unroll={} is of form=looped: give form=looped, too", unroll);
    }
    return std::string(kernel);
}

}  // namespace lookahead
