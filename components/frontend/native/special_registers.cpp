#include "components/frontend/native/special_registers.h"

#include <algorithm>
#include <iterator>

namespace lookahead::native {
namespace {

using S = isa::SpecialRegister;

/// Numbers: Mesa's nak, and public assemblers.
constexpr SpecialRegisterRow kRows[] = {
    {0x00, "SR_LANEID", S::laneid},
    {0x03, "SR_VIRTID", S::smid},
    {0x21, "SR_TID.X", S::tid_x},
    {0x22, "SR_TID.Y", S::tid_y},
    {0x23, "SR_TID.Z", S::tid_z},
    {0x25, "SR_CTAID.X", S::ctaid_x},
    {0x26, "SR_CTAID.Y", S::ctaid_y},
    {0x27, "SR_CTAID.Z", S::ctaid_z},
    {0x2f, "SR_SWINHI", S::none},
    {0x38, "SR_EQMASK", S::lanemask_eq},
    {0x39, "SR_LTMASK", S::lanemask_lt},
    {0x3a, "SR_LEMASK", S::lanemask_le},
    {0x3b, "SR_GTMASK", S::lanemask_gt},
    {0x3c, "SR_GEMASK", S::lanemask_ge},
    {0x43, "SR_VIRTUALSMID", S::smid},
    {0x50, "SR_CLOCKLO", S::clock64},
    {0x51, "SR_CLOCKHI", S::clock64, true},
    {0x52, "SR_GLOBALTIMERLO", S::globaltimer},
    {0x53, "SR_GLOBALTIMERHI", S::globaltimer, true},
    {0x88, "SR_CgaCtaId", S::none, false, true},
    {0xff, "SRZ", S::none, false, true},
};

}  // namespace

const SpecialRegisterRow* find_special(unsigned number) {
    const auto* const found = std::ranges::find(kRows, number, &SpecialRegisterRow::number);
    return found == std::end(kRows) ? nullptr : found;
}

std::string_view name_of_special(unsigned number) {
    const SpecialRegisterRow* const row = find_special(number);
    return row == nullptr ? std::string_view("SR_?") : row->name;
}

}  // namespace lookahead::native
