#include "components/frontend/finaliser/calls/recursive_frame.h"

#include <algorithm>

#include "components/frontend/finaliser/calls/operands.h"
#include "components/frontend/finaliser/code/bit_set.h"

namespace lookahead::finaliser {

namespace {

/// Which values live where: registers by index, then parameters in memory by index.
class LiveValues {
  public:
    explicit LiveValues(const Function& function)
        : function_(function), before_(function.instructions.size() + 1, BitSet(values())) {
        add_results(before_.back());
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = function.instructions.size(); i-- > 0;) { changed |= visit(i); }
        }
    }

    BitSet after(std::size_t instruction) const {
        BitSet live(values());
        const Instruction& code = function_.instructions[instruction];
        const bool may_go_on = code.guard.has_value() || !leaves(code);
        if (may_go_on) { live.unite(before_[instruction + 1]); }
        if (code.opcode == Opcode::bra || code.opcode == Opcode::brx_idx) {
            for (const Operand& operand : code.operands) {
                if (operand.kind == OperandKind::label) { live.unite(before_[operand.target]); }
                for (const std::uint32_t target : operand.targets) { live.unite(before_[target]); }
            }
        }
        return live;
    }

    std::size_t registers() const { return function_.registers.size(); }

    /// Removes the registers that the instruction writes in all threads.
    static void remove_destinations(const Instruction& instruction, BitSet& live) {
        if (instruction.guard) { return; }
        for (const Operand& operand : instruction.destinations()) {
            ptx::for_each_part(operand, [&live](const Operand& part) {
                if (part.kind == OperandKind::reg) { live.erase(part.reg); }
            });
        }
    }

  private:
    std::size_t values() const { return function_.registers.size() + function_.parameters.size(); }

    static bool leaves(const Instruction& code) {
        return code.opcode == Opcode::bra || code.opcode == Opcode::brx_idx || code.opcode == Opcode::ret ||
               code.opcode == Opcode::exit || code.opcode == Opcode::trap;
    }

    void add(const Operand& operand, BitSet& live) const {
        if (operand.kind == OperandKind::reg || (operand.kind == OperandKind::address && operand.has_base)) {
            live.insert(operand.reg);
        }
        if (operand.symbol.kind == SymbolKind::parameter) {
            live.insert(static_cast<std::uint32_t>(registers() + operand.symbol.index));
        }
    }

    /// Results in registers are read by the return.
    void add_results(BitSet& live) const {
        for (const ptx::Parameter& result : function_.return_parameters) {
            if (result.in_register) { live.insert(result.reg); }
        }
    }

    bool visit(std::size_t i) {
        const Instruction& instruction = function_.instructions[i];
        BitSet live = after(i);
        remove_destinations(instruction, live);
        if (instruction.opcode == Opcode::ret) { add_results(live); }
        if (instruction.guard) { live.insert(instruction.guard->reg); }
        for (const Operand& operand : instruction.sources()) {
            ptx::for_each_part(operand, [&](const Operand& part) { add(part, live); });
        }
        return before_[i].unite(live);
    }

    const Function& function_;
    std::vector<BitSet> before_;  ///< by instruction; last: at the function's end
};

class FrameLayout {
  public:
    std::uint32_t place(std::uint32_t bytes, std::uint32_t alignment) {
        const std::uint32_t offset = (end_ + alignment - 1) / alignment * alignment;
        end_ = offset + bytes;
        most_ = std::max(most_, end_);
        return offset;
    }
    /// Later placements may reuse the space that was placed since `end`.
    void go_back_to(std::uint32_t end) { end_ = end; }
    std::uint32_t end() const { return end_; }
    std::uint32_t bytes() const { return (most_ + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment; }

  private:
    std::uint32_t end_ = 0;
    std::uint32_t most_ = 0;
};

std::uint32_t kept_bytes(ptx::Type type) {
    return type == ptx::Type::pred ? 4 : std::max(ptx::bytes(type), 1U);
}

std::vector<KeptValue> place_values(const Function& function, const BitSet& live, FrameLayout& layout) {
    std::vector<KeptValue> values;
    live.for_each([&](std::uint32_t value) {
        if (value < function.registers.size()) {
            const std::uint32_t bytes = kept_bytes(function.registers[value].type);
            values.push_back({false, value, layout.place(bytes, bytes)});
            return;
        }
        const auto index = static_cast<std::uint32_t>(value - function.registers.size());
        const ptx::Parameter& parameter = function.parameters[index];
        values.push_back({true, index, layout.place(static_cast<std::uint32_t>(parameter.size), 8)});
    });
    return values;
}

}  // namespace

RecursiveFrame lay_out_frame(const Function& function, const std::function<bool(const Instruction&)>& leads_back) {
    RecursiveFrame frame;
    FrameLayout layout;
    layout.place(4, 4);
    frame.variable_offset.resize(function.variables.size());
    for (std::size_t i = 0; i < function.variables.size(); ++i) {
        const ptx::Variable& variable = function.variables[i];
        if (variable.space != ptx::StateSpace::local) { continue; }
        frame.variable_offset[i] = layout.place(static_cast<std::uint32_t>(variable.size()),
                                                std::clamp(variable.alignment, 1U, kFrameAlignment));
    }
    const LiveValues values(function);
    const std::uint32_t variables_end = layout.end();
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& call = function.instructions[i];
        if (call.opcode != Opcode::call || !leads_back(call)) { continue; }
        BitSet live = values.after(i);
        LiveValues::remove_destinations(call, live);
        layout.go_back_to(variables_end);
        frame.kept[&call] = place_values(function, live, layout);
    }
    frame.bytes = layout.bytes();
    return frame;
}

}  // namespace lookahead::finaliser
