#pragma once

#include <functional>
#include <memory>
#include <string>

namespace lookahead::finaliser {

class KernelTransform;

/// Registers that an instruction's fields can name.
inline constexpr unsigned kMostRegisters = 255;

/// The properties of a machine's ISA that differ between machines.
struct IsaOptions {
    /// 32-bit registers a thread may use, 1 to kMostRegisters, reserved ones included. Fermi's machine ISA encodes 63.
    unsigned registers = 63;
    /// 64-bit integer operations are sequences of 32-bit ones with carries.
    bool expand_64bit = false;
    /// The product of two 32-bit values, with a 64-bit addend, is one instruction even if 64-bit operations are
    /// expanded (Volta's IMAD.WIDE; Fermi has IMAD and IMAD.HI).
    bool wide_multiply = true;
    /// An instruction has at most one constant or number among its operands, and none as an address, or as data to be
    /// stored or shuffled. Otherwise constants may replace any register.
    bool single_constant = false;
    /// Bits of an address in registers: 64, or 32 if all of a program's global memory is within 4 GiB.
    unsigned pointers = 64;
    /// Registers of each thread that hold no values of the program: they count, but cannot be allocated.
    unsigned reserved_registers = 0;
    /// Instructions during which a memory access may not yet have read its registers, so that new values should go
    /// elsewhere; 0 if the hardware handles this at no cost.
    unsigned held_sources = 0;
};

/// Options of the compilation to the machine ISA.
struct FinaliserOptions {
    IsaOptions isa;
    /// Above 0: each kernel of a module gets this share of its own r_base (at most 1) in place of the limit
    /// (register_profile.h).
    double register_share = 0;
    /// Registers of an SM, which warps get in multiples of `register_unit`; 0: no limit. A kernel that declares the
    /// threads of its CTAs (.maxntid, .reqntid) gets no more per thread than leave room for one CTA.
    unsigned registers_per_sm = 0;
    unsigned register_unit = 32;
    /// Predicate registers a thread may use, 1 to 7 (P7 is the constant PT). Values beyond them are kept in registers.
    unsigned predicate_limit = 7;
    /// Propagates constants and copies and drops unused results. If false, PTX's loads of parameters, cvta and moves
    /// stay.
    bool simplify = true;
    /// cvta of a global address, which is the address itself, is an instruction.
    bool keep_cvta = false;
    /// Moves loads early inside basic blocks, within the register limit, as an assembler does.
    bool schedule = true;
    /// Fuses an integer product and a sum into one instruction, like NVIDIA's assembler (IMAD, IMAD.WIDE, LEA).
    bool fuse_products = false;
    /// If registers run out, recomputes values that a few plain instructions can make, rather than keeping them in
    /// local memory. Without it all values that do not fit are spilled.
    bool rematerialise = true;
    /// Which values go to local memory first: "cost", those that free most registers for the cost of their accesses;
    /// "affine_first", of these the affine ones (analysis/affinity.h) as long as one of them makes room.
    std::string spill_order = "cost";
    /// Called with a description before each step that may take seconds; null if nobody listens.
    std::function<void(const std::string& step)> tell;
    /// The transform of mechanisms; null for none.
    std::shared_ptr<const KernelTransform> transform;
};

}  // namespace lookahead::finaliser
