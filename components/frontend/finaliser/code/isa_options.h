#pragma once

namespace lookahead::finaliser {

/// What the machine's ISA is like, where machines differ.
struct IsaOptions {
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

}  // namespace lookahead::finaliser
