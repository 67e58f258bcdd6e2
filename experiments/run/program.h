#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/ptx/module.h"
#include "components/isa/kernel.h"
#include "core/param/configuration.h"
#include "core/param/parameters.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

/// The options of the finaliser for the machine: the keys `finaliser.*` and `isa.*`.
finaliser::FinaliserOptions finaliser_options(const Configuration& configuration);

/// The workload's PTX, with launch bounds if the workload knows its launches' sizes and the PTX does not state them.
ptx::Module load_module(const Workload& workload);

/// A workload's kernels on the machine ISA, as the configuration says. `tell`, if any, is called before each step that
/// may take seconds, with what it does.
isa::KernelTable load_kernels(const Workload& workload, const Configuration& configuration,
                              const std::function<void(const std::string& step)>& tell = {});

}  // namespace lookahead

template <>
struct lookahead::ParametersOf<lookahead::finaliser::FinaliserOptions> {
    using P = finaliser::FinaliserOptions;
    inline static const auto list = parameter_list<P>(
        real("register_share", &P::register_share, {0, 1},
             {.help = "Above 0: each kernel gets this share of r_base, the least number of registers without spilled "
                      "values, in place of the limit; never less than can be allocated.",
              .source = "Collange and Kouyoumdjian, 2011, section 5.3: 0.5; 0 is off"}),
        integer("predicate_limit", &P::predicate_limit, {1, 7, "predicate"},
                {.help = "Predicate registers that a thread may use.", .source = "NVIDIA's machine ISAs: P0 to P6"}),
        boolean("simplify", &P::simplify,
                {.help = "Propagate constants and copies and drop unused results; false: loads of parameters and moves "
                         "of the PTX stay instructions, unless another step simplifies.",
                 .source = "ptxas simplifies; GPGPU-Sim executes PTX as it is"}),
        boolean(
            "keep_cvta", &P::keep_cvta,
            {.help =
                 "Keep cvta of a global address, which is the address itself, as an instruction (without simplify).",
             .source = "ptxas drops it; GPGPU-Sim executes PTX as it is"}),
        boolean("schedule", &P::schedule,
                {.help = "Move loads early inside basic blocks, as an assembler does.",
                 .source = "ptxas schedules; GPGPU-Sim executes PTX in its order"}),
        boolean("rematerialise", &P::rematerialise,
                {.help = "If registers run out, recompute values that a few plain instructions can make; false: values "
                         "that do not fit go to local memory.",
                 .source = "Briggs, Cooper and Torczon, Rematerialization, PLDI 1992; that of Collange and "
                           "Kouyoumdjian, 2011, spills addresses and counters, so that it is taken not to"}),
        choice("spill_order", &P::spill_order, {"cost", "affine_first"},
               {.help = "Which values go to local memory first: those that free most registers for the cost of their "
                        "accesses; or of these the affine ones, as long as one of them makes room.",
                .source = "Collange and Kouyoumdjian, 2011, sections 3.2 and 7, propose affine_first"}),
        boolean("fuse_products", &P::fuse_products,
                {.help = "Fuse an integer product and the sum that reads it into one instruction.",
                 .source = "IMAD, IMAD.WIDE and LEA in ptxas's code; GPGPU-Sim executes PTX as it is"}));
};

template <>
struct lookahead::ParametersOf<lookahead::finaliser::IsaOptions> {
    using P = finaliser::IsaOptions;
    inline static const auto list = parameter_list<P>(
        integer("registers", &P::registers, {1, finaliser::kMostRegisters, "register"},
                {.help = "32-bit registers that a thread may use.",
                 .source = "CUDA C++ Programming Guide: 63 for compute capability 2.x"}),
        boolean("expand_64bit", &P::expand_64bit,
                {.help = "64-bit integer operations are sequences of 32-bit ones with carries.",
                 .source = "NVIDIA's GPUs have 32-bit integer units; GPGPU-Sim executes 64-bit operations whole"}),
        boolean("wide_multiply", &P::wide_multiply,
                {.help = "A product of 32-bit values with a 64-bit addend is one instruction, also with expand_64bit.",
                 .source = "IMAD.WIDE of Volta and later; Fermi has IMAD and IMAD.HI"}),
        boolean("single_constant", &P::single_constant,
                {.help = "Instructions have at most one constant operand, and none as an address or data to store.",
                 .source = "operand forms of NVIDIA's machine ISAs, from Fermi to Turing"}),
        integer("pointers", &P::pointers, {32, 64, "bit"},
                {.help = "Bits of an address in registers, 32 or 64; with 32, programs have 4 GiB of global memory.",
                 .source = "GPUs before Fermi have 32-bit addresses, and so have programs built for 32 bits later"}),
        integer("reserved_registers", &P::reserved_registers, {0, 16, "register"},
                {.help = "Registers of each thread that hold no values of the program; they count as used.",
                 .source = "ptxas: R1 is the stack pointer; on Volta and later two more hold the program counter"}),
        integer("held_sources", &P::held_sources, {0, 64, "instruction"},
                {.help = "Instructions after a memory access that write its source registers only if no others are "
                         "free.",
                 .source = "Maxwell and later wait for an access's reads by one of six barriers of the warp: Jia et "
                           "al., Dissecting the NVIDIA Volta GPU Architecture, 2018; 0 where scoreboards know them"}));
};
