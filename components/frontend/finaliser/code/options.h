#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/param/parameters.h"

namespace lookahead::finaliser {

class KernelTransform;

/// Registers that an instruction's fields can name.
inline constexpr unsigned kMostRegisters = 255;

/// The properties of a machine's ISA that differ between machines.
struct IsaOptions {
    LOOKAHEAD_PARAMETER(unsigned, registers, 63, {1, kMostRegisters, "register"},
                        {.help = "32-bit registers that a thread may use.",
                         .source = "CUDA C++ Programming Guide: 63 for compute capability 2.x"});
    LOOKAHEAD_PARAMETER(
        bool, expand_64bit, false,
        {.help = "64-bit integer operations are sequences of 32-bit ones with carries.",
         .source = "NVIDIA's GPUs have 32-bit integer units; GPGPU-Sim executes 64-bit operations whole"});
    LOOKAHEAD_PARAMETER(
        bool, wide_multiply, true,
        {.help = "A product of 32-bit values with a 64-bit addend is one instruction, even with expand_64bit.",
         .source = "IMAD.WIDE of Volta and later; Fermi has IMAD and IMAD.HI"});
    LOOKAHEAD_PARAMETER(
        bool, single_constant, false,
        {.help = "Instructions have at most one constant operand, and none as an address or data to store.",
         .source = "operand forms of NVIDIA's machine ISAs, from Fermi to Turing"});
    LOOKAHEAD_PARAMETER(
        unsigned, pointers, 64, {32, 64, "bit"},
        {.help = "Bits of an address in registers, 32 or 64; with 32, programs have 4 GiB of global memory.",
         .source = "GPUs before Fermi have 32-bit addresses, and so do later programs built for 32 bits"});
    LOOKAHEAD_PARAMETER(
        unsigned, reserved_registers, 0, {0, 16, "register"},
        {.help = "Registers of each thread that hold no values of the program; they count as used.",
         .source = "ptxas: R1 is the stack pointer; on Volta and later two more hold the program counter"});
    LOOKAHEAD_PARAMETER(
        unsigned, held_sources, 0, {0, 64, "instruction"},
        {.help = "Number of instructions after a memory access that overwrite its source registers only if no others "
                 "are free.",
         .source = "On Maxwell and later, a warp waits for an access's reads with one of its six barriers: Jia et al., "
                   "Dissecting the NVIDIA Volta GPU Architecture, 2018; 0 where scoreboards track the reads"});
    LOOKAHEAD_PARAMETER(
        unsigned, native, 0, {0, 121},
        {.help = "Architecture of NVIDIA's native code that the machine executes: 90 is sm_90; 0: none.",
         .source = "CUDA C++ Programming Guide, compute capabilities"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Options of the compilation to the machine ISA.
struct FinaliserOptions {
    IsaOptions isa;
    LOOKAHEAD_PARAMETER(double, register_share, 0, {0, 1},
                        {.help = "Above 0: each kernel gets this share of r_base, the fewest registers that need no "
                                 "spilling, instead of the limit; never fewer than can be allocated.",
                         .source = "Collange and Kouyoumdjian, 2011, section 5.3: 0.5; 0 is off"});
    /// Registers of an SM, which warps get in multiples of `register_unit`; 0: no limit. A kernel that declares the
    /// threads of its CTAs (.maxntid, .reqntid) gets no more per thread than leave room for one CTA.
    unsigned registers_per_sm = 0;
    unsigned register_unit = 32;
    LOOKAHEAD_PARAMETER(unsigned, predicate_limit, 7, {1, 7, "predicate"},
                        {.help = "Predicate registers that a thread may use.",
                         .source = "NVIDIA's machine ISAs: P0 to P6"});
    LOOKAHEAD_PARAMETER(bool, simplify, true,
                        {.help = "Propagate constants and copies and drop unused results; false: the PTX's parameter "
                                 "loads and moves stay instructions, unless another step simplifies them.",
                         .source = "ptxas simplifies; GPGPU-Sim executes PTX as it is"});
    LOOKAHEAD_PARAMETER(
        bool, keep_cvta, false,
        {.help = "Keep cvta of a global address, which is the address itself, as an instruction (without simplify).",
         .source = "ptxas drops it; GPGPU-Sim executes PTX as it is"});
    LOOKAHEAD_PARAMETER(bool, schedule, true,
                        {.help = "Move loads early inside basic blocks, as an assembler does.",
                         .source = "ptxas schedules; GPGPU-Sim executes PTX in its order"});
    LOOKAHEAD_PARAMETER(bool, fuse_products, false,
                        {.help = "Fuse an integer product and the sum that reads it into one instruction.",
                         .source = "IMAD, IMAD.WIDE and LEA in ptxas's code; GPGPU-Sim executes PTX as it is"});
    LOOKAHEAD_PARAMETER(
        bool, rematerialise, true,
        {.help = "If registers run out, recompute values that a few plain instructions can make; "
                 "false: values that do not fit go to local memory.",
         .source = "Briggs, Cooper and Torczon, Rematerialization, PLDI 1992; the compiler of Collange and "
                   "Kouyoumdjian, 2011, spills addresses and counters, so we assume that it does not rematerialise"});
    LOOKAHEAD_PARAMETER(
        std::string, spill_order, "cost", {"cost", "affine_first"},
        {.help = "Which values go to local memory first. cost: those that free most registers for the cost of their "
                 "accesses; affine_first: affine values before others, as long as one of them frees a register.",
         .source = "Collange and Kouyoumdjian, 2011, sections 3.2 and 7, propose affine_first"});
    LOOKAHEAD_ALL_DECLARED;
    /// Called with a description before each step that may take seconds; null if nobody listens.
    std::function<void(const std::string& step)> tell;
    /// The transform of mechanisms; null for none.
    std::shared_ptr<const KernelTransform> transform;
};

}  // namespace lookahead::finaliser
