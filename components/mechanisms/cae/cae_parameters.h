#pragma once

#include <string_view>

#include "core/param/parameters.h"

namespace lookahead::cae {

struct CaeParameters {
    bool check = false;
};

}  // namespace lookahead::cae

template <>
struct lookahead::ParametersOf<lookahead::cae::CaeParameters> {
    using P = lookahead::cae::CaeParameters;
    static constexpr std::string_view kPaper = "Kim et al., ISCA 2013, as Wang and Lin, ISCA 2017, section 5.1 has it";
    inline static const auto list = parameter_list<P>(boolean(
        "check", &P::check,
        {.help = "Compares what an affine unit has written with the lanes' values: they must be a tuple. For tests.",
         .source = "no property of a machine"}));
};
