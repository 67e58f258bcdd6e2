#pragma once

#include <cstdint>
#include <string>

#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/pipeline/barrier_stage.h"
#include "components/sm/pipeline/cta_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

/// An SM's number, and the number of SMs.
struct SmIdentity {
    std::uint32_t index = 0;
    std::uint32_t count = 1;
};

/// Executes issued instructions: reads the operands, computes, and passes the write-back to the timing wheel or the
/// instruction to the load/store unit. Values are in the registers at once; the scoreboard keeps others from reading
/// them before the write-back.
class ExecuteStage {
  public:
    ExecuteStage(PipelineState& state, CtaStage& ctas, BarrierStage& barriers, LoadStoreUnit& memory,
                 const ClockDomain& clock, SmIdentity identity)
        : state_(state), ctas_(ctas), barriers_(barriers), memory_(memory), clock_(clock), identity_(identity) {}

    const SmIdentity& identity() const { return identity_; }
    const isa::Dim3& ctaid(unsigned context) const { return ctas_.slot_of(context).position; }

    /// Executes the next instruction of the context, which must be decoded and have its operands and its unit. Returns
    /// whether the load/store unit accepted it. The unit's latency counts from the cycle `from`. Throws ProgramError
    /// with kernel, CTA, warp, PC and line.
    bool execute(unsigned context, Cycle now, Cycle from);
    /// An extension has executed the context's next instruction: advances its stream.
    void pass_over(unsigned context);

    // For extensions, whose streams have maps and predicates of their own.
    isa::OperandRows operand_rows(const std::uint16_t* map, const isa::LaneMask* predicates,
                                  const DecodedInstruction& decoded);
    /// On a stack, throws ProgramError unless all lanes named by the member mask are in `active`. Call it before
    /// `active` execute an instruction with a member mask or an extension supplies its result.
    void require_members(unsigned context, const DecodedInstruction& decoded, isa::LaneMask active) const;
    void read_special(unsigned context, const isa::Instruction& instruction, Cycle now, isa::Row (&values)[2]) const;
    /// Makes the memory instruction at `pc` of the context's warp, with addresses from `map`. The result is valid until
    /// the next call; the caller sets destination, data, token and pre_load.
    MemoryInstruction& make_request(unsigned context, std::uint32_t pc, const std::uint16_t* map, isa::LaneMask active,
                                    Cycle from);

    /// Called for completions from the timing wheel and the load/store unit:
    void write_back(unsigned context, std::uint32_t pc);
    void operands_read(unsigned context, unsigned barrier);
    void stall_ended(unsigned context);
    void branch_resolved(unsigned context) { state_.classify(context); }
    /// The barrier at which the context's warp waits has opened; `result` is that of a reduction.
    void barrier_released(unsigned context, std::uint32_t result);
    void memory_completed(unsigned context, const isa::Instruction& instruction);
    /// One row of a load's destination has its value; `last`: all rows have.
    void element_completed(unsigned context, const isa::Instruction& instruction, unsigned element, bool last);

    /// A phrase such as "CTA (1, 0, 0), warp 2, PC 0x18, kernel.ptx:12", with the warp's number within its CTA.
    std::string place_of(unsigned context) const;
    /// A phrase such as "CTA ... waits at barrier 0", for the deadlock report.
    std::string stall_phrase(unsigned context) const;

  private:
    void alu(unsigned context, Stream& stream, const DecodedInstruction& decoded, isa::LaneMask active);
    // Lanes that wait for one another (meeting.cpp).
    void meet(unsigned context, Stream& stream, const DecodedInstruction& decoded, isa::LaneMask active, Cycle now,
              Cycle from);
    void barrier(unsigned context, Stream& stream, const DecodedInstruction& decoded, isa::LaneMask active, Cycle now,
                 Cycle from);
    void arrive(unsigned context, Stream& stream, const isa::BarrierArrival& arrival, isa::LaneMask lanes,
                isa::LaneMask predicates, Cycle now);
    void settle_meetings(unsigned context, Stream& stream, Cycle now);
    void take_result(unsigned context, Stream& stream, const DecodedInstruction& decoded, isa::LaneMask active,
                     Cycle now, Cycle from);
    isa::BarrierArrival arrival_of(unsigned context, const DecodedInstruction& decoded, isa::LaneMask active) const;
    [[noreturn]] void report_waiting_lanes(unsigned context) const;
    void watch_spinning(unsigned context, Stream& stream);
    void special_register(unsigned context, const DecodedInstruction& decoded, isa::LaneMask active, Cycle now);
    void memory(unsigned context, const Stream& stream, const DecodedInstruction& decoded, isa::LaneMask active,
                Cycle now, Cycle from);
    void branch(unsigned context, Stream& stream, const DecodedInstruction& decoded, isa::LaneMask taken, Cycle now);
    void computed_branch(unsigned context, Stream& stream, const DecodedInstruction& decoded, isa::LaneMask active,
                         Cycle now);
    void branched(unsigned context, Stream& stream, std::uint32_t old_pc, Cycle now);
    void exit(unsigned context, Stream& stream, isa::LaneMask active, Cycle now);
    void fence(unsigned context, Stream& stream, const DecodedInstruction& decoded, Cycle now);
    [[noreturn]] void trap(unsigned context, const DecodedInstruction& decoded, isa::LaneMask active) const;

    const std::uint32_t* source_row(const std::uint16_t* map, const isa::Operand& operand, unsigned word) const;
    isa::OperandRows operand_rows(unsigned context, const Stream& stream, const DecodedInstruction& decoded) {
        return operand_rows(state_.warps.map.of(context), stream.predicates, decoded);
    }
    std::uint32_t* destination_row(const std::uint16_t* map, const isa::Instruction& instruction, unsigned word) {
        return state_.registers.row(map[instruction.destination + word]);
    }
    void read_offsets(const std::uint16_t* map, const isa::Instruction& instruction);
    void read_store_data(const std::uint16_t* map, const isa::Instruction& instruction);
    void written(unsigned context, std::uint32_t pc);
    void tell_written(unsigned context, std::uint32_t pc, bool all);
    void reserve(unsigned context, Stream& stream, std::uint32_t pc, const DecodedInstruction& decoded);
    // Of native code that issues by its control words:
    void count(unsigned context, const DecodedInstruction& decoded, unsigned barrier);
    void count_down(unsigned context, unsigned barrier);
    void follow_control_word(unsigned context, Stream& stream, const DecodedInstruction& decoded);
    void given_addresses(unsigned context, const isa::Instruction& instruction, isa::LaneMask active);
    void direct(unsigned context, Stream& stream, std::uint32_t old_pc);
    void schedule_write_back(unsigned context, std::uint32_t pc, const DecodedInstruction& decoded, Cycle now,
                             Cycle from);
    void step_past(unsigned context, Stream& stream);
    void moved(unsigned context, Stream& stream, std::uint32_t old_pc);
    void go_on(unsigned context, Stream& stream, std::uint32_t old_pc);

    PipelineState& state_;
    CtaStage& ctas_;
    BarrierStage& barriers_;
    LoadStoreUnit& memory_;
    const ClockDomain& clock_;
    SmIdentity identity_;
    MemoryInstruction request_;
};

}  // namespace lookahead::gpu
