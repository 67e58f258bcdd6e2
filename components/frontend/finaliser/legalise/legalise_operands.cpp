#include "components/frontend/finaliser/legalise/legalise.h"

#include <algorithm>
#include <map>

#include "components/frontend/finaliser/analysis/flow.h"
#include "components/frontend/finaliser/analysis/single_writes.h"
#include "components/frontend/finaliser/code/literals.h"

namespace lookahead::finaliser {

namespace {

/// Whether the operand is a constant that counts as an instruction's constant.
bool is_constant(const isa::KernelFrame& frame, const VirtualOperand& operand) {
    return operand.kind == Operand::Kind::constant && literal_value(frame, operand) != 0U;
}

bool is_known(const isa::KernelFrame& frame, const VirtualOperand& operand) {
    return literal_value(frame, operand).has_value();
}

/// Turns an address that is a number into an offset from zero.
void move_address_to_offset(const isa::KernelFrame& frame, VirtualInstruction& access) {
    const auto address = literal_value(frame, access.source[0]);
    if (!address || access.source[0].rows != 1) { return; }
    access.machine.offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(*address) +
                                                      static_cast<std::uint32_t>(access.machine.offset));
    access.source[0] = launch_row(isa::LaunchRow::zero);
}

/// Which of an arithmetic instruction's constants to keep: the widest, preferably not a number, because numbers are
/// shared by instructions.
std::size_t constant_to_keep(const isa::KernelFrame& frame, const VirtualInstruction& instruction) {
    std::size_t keep = 3;
    for (std::size_t i = 0; i < 3; ++i) {
        const VirtualOperand& operand = instruction.source[i];
        if (!is_constant(frame, operand)) { continue; }
        if (keep == 3) {
            keep = i;
            continue;
        }
        const VirtualOperand& kept = instruction.source[keep];
        if (operand.rows > kept.rows || (operand.rows == kept.rows && is_known(frame, kept))) { keep = i; }
    }
    return keep;
}

bool must_be_register(const isa::KernelFrame& frame, const VirtualInstruction& instruction, std::size_t i) {
    const VirtualOperand& operand = instruction.source[i];
    if (!is_constant(frame, operand)) { return false; }
    if (isa::is_memory(instruction.machine.operation)) { return true; }
    switch (instruction.machine.operation) {
        case Operation::vote:
        case Operation::warp_sync:
            return !is_known(frame, operand);
        case Operation::shuffle:
        case Operation::match:
        case Operation::redux:
            return i == 0 || !is_known(frame, operand);
        default:
            return i != constant_to_keep(frame, instruction);
    }
}

struct Use {
    Place place;
    std::size_t source = 0;
};

class Legaliser {
  public:
    Legaliser(VirtualKernel& kernel, const IsaOptions& options)
        : kernel_(kernel),
          options_(options),
          graph_(flow_of(kernel)),
          dominators_(ptx::immediate_dominators(graph_)),
          depths_(loop_depths(graph_, dominators_)) {}

    void run() {
        std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<Use>> uses;
        for_each_place(kernel_, [&](VirtualInstruction& instruction, Place place) {
            if (isa::is_memory(instruction.machine.operation)) { move_address_to_offset(kernel_.frame, instruction); }
            for (std::size_t i = 0; i < instruction.source.size(); ++i) {
                const VirtualOperand& operand = instruction.source[i];
                if (must_be_register(kernel_.frame, instruction, i)) {
                    uses[{operand.index, operand.rows}].push_back({place, i});
                }
            }
        });
        for (const auto& [constant, places] : uses) { materialise(places); }
        insert();
    }

  private:
    void materialise(const std::vector<Use>& uses) {
        const VirtualOperand constant = source_at(uses[0]);
        const std::uint32_t rows = kernel_.new_rows(constant.rows);
        std::uint32_t block = uses[0].place.block;
        for (const Use& use : uses) { block = common_dominator(block, use.place.block); }
        block = out_of_loops(block);
        std::uint32_t index = first_jump(block);
        for (const Use& use : uses) {
            if (use.place.block == block) { index = std::min(index, use.place.index); }
        }
        add_moves(constant, rows, {block, index}, instruction_at(uses[0].place));
        for (const Use& use : uses) { source_at(use) = {Operand::Kind::reg, constant.rows, rows}; }
    }

    VirtualInstruction& instruction_at(Place place) { return kernel_.blocks[place.block].code[place.index]; }
    VirtualOperand& source_at(const Use& use) { return instruction_at(use.place).source[use.source]; }

    std::uint32_t common_dominator(std::uint32_t a, std::uint32_t b) const {
        while (!dominators_.dominates(a, b)) { a = dominators_.immediate(a); }
        return a;
    }

    /// The nearest dominator that is in the fewest loops.
    std::uint32_t out_of_loops(std::uint32_t block) const {
        for (std::uint32_t up = block; depths_[block] > 0 && up != 0;) {
            up = dominators_.immediate(up);
            if (depths_[up] < depths_[block]) { block = up; }
        }
        return block;
    }

    std::uint32_t first_jump(std::uint32_t block) const {
        const auto& code = kernel_.blocks[block].code;
        return static_cast<std::uint32_t>(std::ranges::find_if(code, is_jump) - code.begin());
    }

    /// Puts the constant into a register for `served` and other readers.
    void add_moves(const VirtualOperand& constant, std::uint32_t rows, Place place, const VirtualInstruction& served) {
        const bool whole = constant.rows == 2 && !options_.expand_64bit;
        const std::uint8_t step = whole ? 2 : 1;
        for (std::uint8_t i = 0; i < constant.rows; i = static_cast<std::uint8_t>(i + step)) {
            VirtualInstruction move = beside(served, Operation::mov, whole ? Type::b64 : Type::b32);
            move.machine.line = line_near(place);
            move.source[0] = {Operand::Kind::constant, step, constant.index + i};
            move.set_destination(rows + i, step);
            moves_[place.block][place.index].push_back(move);
        }
    }

    std::uint32_t line_near(Place place) const {
        const auto& code = kernel_.blocks[place.block].code;
        return code.empty() ? 0 : code[std::min<std::size_t>(place.index, code.size() - 1)].machine.line;
    }

    void insert() {
        for (const auto& [block, by_index] : moves_) {
            std::vector<VirtualInstruction> code;
            const auto& old_code = kernel_.blocks[block].code;
            for (std::uint32_t index = 0; index <= old_code.size(); ++index) {
                if (const auto found = by_index.find(index); found != by_index.end()) {
                    code.insert(code.end(), found->second.begin(), found->second.end());
                }
                if (index < old_code.size()) { code.push_back(old_code[index]); }
            }
            kernel_.blocks[block].code = std::move(code);
        }
    }

    VirtualKernel& kernel_;
    const IsaOptions& options_;
    ptx::Graph graph_;
    ptx::DominatorTree dominators_;
    std::vector<std::uint32_t> depths_;
    /// Instructions to insert, by block and by the instruction before which they go.
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<VirtualInstruction>>> moves_;
};

}  // namespace

void legalise_operands(VirtualKernel& kernel, const IsaOptions& options) {
    Legaliser(kernel, options).run();
}

}  // namespace lookahead::finaliser
