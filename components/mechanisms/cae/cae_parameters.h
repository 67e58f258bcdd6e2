#pragma once

#include <string_view>

#include "core/param/parameters.h"

namespace lookahead::cae {

struct CaeParameters {
    static constexpr std::string_view kPaper = "Kim et al., ISCA 2013, as Wang and Lin, ISCA 2017, section 5.1 has it";

    LOOKAHEAD_PARAMETER(
        bool, check, false,
        {.help = "Compares what an affine unit has written with the lanes' values: they must be a tuple. For tests.",
         .source = "no property of a machine"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::cae
