#include "experiments/workloads/forms.h"

#include "core/error/error.h"

namespace lookahead {

std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll,
                           std::string_view length) {
    if (form == "vector") {
        if (unroll == kUnrollFactors.front()) { return fmt::format("{}_v{}", kernel, length); }
        throw ConfigurationError("unroll={} belongs to form=looped: loops of form=vector are unrolled by `length`",
                                 unroll);
    }
    if (length != kVectorLengths.front()) {
        throw ConfigurationError("length={} belongs to form=vector: give form=vector, too", length);
    }
    if (form == "looped") { return fmt::format("{}_{}", kernel, unroll); }
    if (unroll != kUnrollFactors.front()) {
        throw ConfigurationError("unroll={} belongs to form=looped: give form=looped, too", unroll);
    }
    return std::string(kernel);
}

}  // namespace lookahead
