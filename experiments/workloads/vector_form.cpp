#include "experiments/workloads/vector_form.h"

#include "core/error/error.h"

namespace lookahead {

std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll,
                           std::string_view length) {
    if (form == "vector") {
        if (unroll == kUnrollFactors.front()) { return std::string(kernel) + "_v" + std::string(length); }
        throw ConfigurationError("unroll=" + std::string(unroll) +
                                 " is of form=looped: loops of form=vector are unrolled by `length`");
    }
    if (length != kVectorLengths.front()) {
        throw ConfigurationError("length=" + std::string(length) + " is of form=vector: give form=vector, too");
    }
    return kernel_of_form(kernel, form, unroll);
}

}  // namespace lookahead
