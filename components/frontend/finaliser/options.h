#pragma once

#include "components/frontend/finaliser/code/isa_options.h"

namespace lookahead::finaliser {

/// How a kernel is brought onto the machine ISA.
struct FinaliserOptions {
    IsaOptions isa;
    /// 32-bit registers a thread may use, 1 to 255, reserved ones included. Fermi's machine ISA encodes 63.
    unsigned register_limit = 63;
    /// Registers of an SM, of which a warp gets multiples of `register_unit`; 0: any number. A kernel that says how many
    /// threads its CTAs have (.maxntid, .reqntid) gets no more a thread than leave room for one CTA.
    unsigned registers_per_sm = 0;
    unsigned register_unit = 32;
    /// Predicate registers a thread may use, 1 to 7 (P7 is the constant PT). Values beyond them are kept in registers.
    unsigned predicate_limit = 7;
    /// Passes constants and copies on and drops what nobody uses. Without it, what PTX has for these is instructions:
    /// loads of parameters, cvta, moves.
    bool simplify = true;
    /// Moves loads early inside basic blocks, within the register limit, as an assembler does.
    bool schedule = true;
    /// Makes one instruction of an integer product and a sum, as NVIDIA's assembler does (IMAD, IMAD.WIDE, LEA).
    bool fuse_products = false;
};

}  // namespace lookahead::finaliser
