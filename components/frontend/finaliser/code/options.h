#pragma once

#include <functional>
#include <memory>
#include <string>

namespace lookahead::finaliser {

class KernelTransform;

/// Registers that an instruction's fields can name.
inline constexpr unsigned kMostRegisters = 255;

/// What the machine's ISA is like, where machines differ.
struct IsaOptions {
    /// 32-bit registers a thread may use, 1 to kMostRegisters, reserved ones included. Fermi's machine ISA encodes 63.
    unsigned registers = 63;
    /// 64-bit integer operations are sequences of 32-bit ones with carries.
    bool expand_64bit = false;
    /// The product of two 32-bit values, with a 64-bit addend, is one instruction also where 64-bit operations are
    /// expanded (Volta's IMAD.WIDE; Fermi has IMAD and IMAD.HI).
    bool wide_multiply = true;
    /// An instruction has one constant or number among its operands at most, and none as an address, as data to be
    /// stored or shuffled. Otherwise constants can stand wherever registers can.
    bool single_constant = false;
    /// Bits of an address in registers: 64, or 32 where all of a program's global memory is within 4 GiB.
    unsigned pointers = 64;
    /// Registers of each thread that hold no values of the program: they count, and cannot be allocated.
    unsigned reserved_registers = 0;
    /// Instructions during which a memory access may not yet have read its registers, so that values are better put
    /// elsewhere; 0 where the hardware sees to that at no cost.
    unsigned held_sources = 0;
};

/// How a kernel is brought onto the machine ISA.
struct FinaliserOptions {
    IsaOptions isa;
    /// Above 0: each kernel of a module gets this share of its own r_base in place of the limit, up to 1 (register_profile.h).
    double register_share = 0;
    /// Registers of an SM, of which a warp gets multiples of `register_unit`; 0: any number. A kernel that says how many
    /// threads its CTAs have (.maxntid, .reqntid) gets no more a thread than leave room for one CTA.
    unsigned registers_per_sm = 0;
    unsigned register_unit = 32;
    /// Predicate registers a thread may use, 1 to 7 (P7 is the constant PT). Values beyond them are kept in registers.
    unsigned predicate_limit = 7;
    /// Passes constants and copies on and drops what nobody uses. Without it, what PTX has for these is instructions:
    /// loads of parameters, cvta, moves.
    bool simplify = true;
    /// cvta of a global address, which is the address itself, is an instruction.
    bool keep_cvta = false;
    /// Moves loads early inside basic blocks, within the register limit, as an assembler does.
    bool schedule = true;
    /// Makes one instruction of an integer product and a sum, as NVIDIA's assembler does (IMAD, IMAD.WIDE, LEA).
    bool fuse_products = false;
    /// Where registers run out, values are made again, where a few plain instructions can, rather than kept in local
    /// memory. Without it all that does not fit is spilled.
    bool rematerialise = true;
    /// Which values go to local memory first: "cost", those that free most registers for what their accesses cost;
    /// "affine_first", of these the affine ones (analysis/affinity.h) as long as one of them makes room.
    std::string spill_order = "cost";
    /// Called with what is done before each step that may take seconds; null: nobody listens.
    std::function<void(const std::string& step)> tell;
    /// What mechanisms do to kernels; null: nothing.
    std::shared_ptr<const KernelTransform> transform;
};

}  // namespace lookahead::finaliser
