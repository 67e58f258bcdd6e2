#pragma once

#include <optional>
#include <string_view>

#include "components/isa/operation.h"

namespace lookahead::native {

/// A special register of native code. Only the low word of `clock64` and `globaltimer`, or with `high` the high one.
struct SpecialRegisterRow {
    unsigned number;
    std::string_view name;
    isa::SpecialRegister meaning;
    bool high = false;
    bool is_zero = false;  ///< reads as 0 here: one cluster, one virtual SM
};

/// The row of the number; nullptr if it is not known.
const SpecialRegisterRow* find_special(unsigned number);
/// "SR_TID.X", or "SR_?" for one that is not known.
std::string_view name_of_special(unsigned number);

}  // namespace lookahead::native
