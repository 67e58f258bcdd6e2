#include "components/frontend/ptx/opcode.h"

#include <array>

namespace lookahead::ptx {
namespace {

struct OpcodeRow {
    Opcode opcode;
    std::string_view name;
};

constexpr std::array<OpcodeRow, 90> kNames{{
    {Opcode::abs, "abs"},
    {Opcode::add, "add"},
    {Opcode::addc, "addc"},
    {Opcode::bfe, "bfe"},
    {Opcode::bfi, "bfi"},
    {Opcode::bfind, "bfind"},
    {Opcode::bmsk, "bmsk"},
    {Opcode::brev, "brev"},
    {Opcode::clz, "clz"},
    {Opcode::copysign, "copysign"},
    {Opcode::cos, "cos"},
    {Opcode::div, "div"},
    {Opcode::dp2a, "dp2a"},
    {Opcode::dp4a, "dp4a"},
    {Opcode::ex2, "ex2"},
    {Opcode::fma, "fma"},
    {Opcode::fns, "fns"},
    {Opcode::lg2, "lg2"},
    {Opcode::mad, "mad"},
    {Opcode::mad24, "mad24"},
    {Opcode::madc, "madc"},
    {Opcode::max, "max"},
    {Opcode::min, "min"},
    {Opcode::mul, "mul"},
    {Opcode::mul24, "mul24"},
    {Opcode::neg, "neg"},
    {Opcode::popc, "popc"},
    {Opcode::rcp, "rcp"},
    {Opcode::rem, "rem"},
    {Opcode::rsqrt, "rsqrt"},
    {Opcode::sad, "sad"},
    {Opcode::sin, "sin"},
    {Opcode::sqrt, "sqrt"},
    {Opcode::sub, "sub"},
    {Opcode::subc, "subc"},
    {Opcode::tanh, "tanh"},
    {Opcode::testp, "testp"},
    {Opcode::vabsdiff2, "vabsdiff2"},
    {Opcode::vabsdiff4, "vabsdiff4"},
    {Opcode::and_, "and"},
    {Opcode::cnot, "cnot"},
    {Opcode::lop3, "lop3"},
    {Opcode::not_, "not"},
    {Opcode::or_, "or"},
    {Opcode::prmt, "prmt"},
    {Opcode::shf, "shf"},
    {Opcode::shl, "shl"},
    {Opcode::shr, "shr"},
    {Opcode::xor_, "xor"},
    {Opcode::selp, "selp"},
    {Opcode::set, "set"},
    {Opcode::setp, "setp"},
    {Opcode::slct, "slct"},
    {Opcode::cvt, "cvt"},
    {Opcode::cvta, "cvta"},
    {Opcode::isspacep, "isspacep"},
    {Opcode::ld, "ld"},
    {Opcode::ld_indirect, "ld.indirect"},
    {Opcode::ld_stride, "ld.stride"},
    {Opcode::ldu, "ldu"},
    {Opcode::mov, "mov"},
    {Opcode::prefetch, "prefetch"},
    {Opcode::prefetchu, "prefetchu"},
    {Opcode::st, "st"},
    {Opcode::st_indirect, "st.indirect"},
    {Opcode::st_stride, "st.stride"},
    {Opcode::suld, "suld"},
    {Opcode::sust, "sust"},
    {Opcode::tex, "tex"},
    {Opcode::tld4, "tld4"},
    {Opcode::bra, "bra"},
    {Opcode::brx_idx, "brx.idx"},
    {Opcode::call, "call"},
    {Opcode::exit, "exit"},
    {Opcode::ret, "ret"},
    {Opcode::trap, "trap"},
    {Opcode::brkpt, "brkpt"},
    {Opcode::bar, "bar"},
    {Opcode::bar_warp_sync, "bar.warp.sync"},
    {Opcode::barrier, "barrier"},
    {Opcode::fence, "fence"},
    {Opcode::membar, "membar"},
    {Opcode::nanosleep, "nanosleep"},
    {Opcode::activemask, "activemask"},
    {Opcode::match, "match"},
    {Opcode::redux, "redux"},
    {Opcode::shfl, "shfl"},
    {Opcode::vote, "vote"},
    {Opcode::atom, "atom"},
    {Opcode::red, "red"},
}};

constexpr bool opcodes_stand_in_the_order_of_the_enumeration() {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (static_cast<std::size_t>(kNames[i].opcode) != i) { return false; }
    }
    return true;
}
static_assert(opcodes_stand_in_the_order_of_the_enumeration());

}  // namespace

std::string_view name_of(Opcode opcode) {
    return kNames[static_cast<std::size_t>(opcode)].name;
}

}  // namespace lookahead::ptx
