#include "components/frontend/finaliser/emit/emit.h"

#include <bit>

#include "components/frontend/finaliser/emit/machine_cfg.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

using isa::Instruction;

namespace {

class Verifier {
  public:
    explicit Verifier(const isa::Kernel& kernel) : kernel_(kernel) {}

    void run() {
        if (kernel_.code.empty()) { throw InternalError("kernel {} has no code", kernel_.name); }
        std::vector<Instruction> expected = kernel_.code;
        for (pc_ = 0; pc_ < kernel_.code.size(); ++pc_) {
            check_registers();
            check_predicates();
            check_rows();
            check_target();
        }
        pc_ = static_cast<std::uint32_t>(kernel_.code.size() - 1);
        require(is_jump(kernel_.code.back()) && kernel_.code.back().guard == isa::kTruePredicate,
                "control can run off the end of the code");
        set_reconvergence(expected);
        for (pc_ = 0; pc_ < kernel_.code.size(); ++pc_) {
            require(kernel_.code[pc_].reconvergence == expected[pc_].reconvergence &&
                        kernel_.code[pc_].yields == expected[pc_].yields,
                    "the reconvergence point is not the immediate post-dominator");
        }
    }

  private:
    void require(bool holds, std::string_view rule) const {
        if (holds) { return; }
        throw InternalError("kernel {}, instruction {} ({}, PTX line {}): {}", kernel_.name, pc_, print(kernel_, pc_),
                            kernel_.code[pc_].line, rule);
    }

    void check_span(std::uint32_t first, std::uint32_t rows) const {
        require(rows >= 1 && rows <= isa::kMostOperandRows, "an operand has 1 to 16 rows");
        require(first + rows <= kernel_.registers, "a register number is out of range");
        require(first % std::bit_ceil(rows) == 0, "a wide operand is not aligned");
    }

    void check_registers() const {
        const Instruction& instruction = kernel_.code[pc_];
        if (instruction.destination_rows != 0) { check_span(instruction.destination, instruction.destination_rows); }
        for (const Operand& operand : instruction.source) {
            if (operand.kind == Operand::Kind::reg) { check_span(operand.index, operand.rows); }
            if (operand.kind == Operand::Kind::constant) {
                require(operand.rows >= 1 && operand.index + std::uint32_t{operand.rows} <= kernel_.constant_rows(),
                        "a constant row is out of range");
            }
        }
    }

    void check_predicates() const {
        const Instruction& instruction = kernel_.code[pc_];
        const auto readable = [&](std::uint8_t p) { return p < kernel_.predicates || p == isa::kTruePredicate; };
        require(kernel_.predicates <= isa::kPredicateRegisters, "there are too many predicates");
        require(readable(instruction.guard), "the guard is out of range");
        for (std::uint8_t p : {instruction.source_predicate, instruction.source_predicate2}) {
            require(p == isa::kNoPredicate || readable(p), "a source predicate is out of range");
        }
        for (std::uint8_t p : {instruction.destination_predicate, instruction.destination_predicate2}) {
            require(p == isa::kNoPredicate || p < kernel_.predicates, "a destination predicate is out of range");
        }
    }

    void check_rows() const {
        const Instruction& instruction = kernel_.code[pc_];
        const OperandShape shape = shape_of(instruction);
        require(instruction.destination_rows == shape.destination, "the destination's rows do not match the type");
        for (std::size_t i = 0; i < std::size(instruction.source); ++i) {
            const Operand& operand = instruction.source[i];
            const unsigned rows = operand.kind == Operand::Kind::none ? 0 : operand.rows;
            require(rows <= isa::kMostOperandRows && (shape.source[i] >> rows & 1) != 0,
                    "a source's rows do not match the type");
        }
        if (isa::is_vector_memory(instruction.operation)) { check_vector_memory(); }
        require(!shape.writes_predicate || instruction.destination_predicate != isa::kNoPredicate ||
                    instruction.destination_predicate2 != isa::kNoPredicate,
                "a predicate operation without a destination");
    }

    /// check_span has checked that registers are at multiples of their rows, which are at least 4 here.
    void check_vector_memory() const {
        const Instruction& instruction = kernel_.code[pc_];
        require(instruction.vector == 4 || instruction.vector == 8 || instruction.vector == 16,
                "a vector memory instruction has 4, 8 or 16 elements");
        require(isa::type_bytes(instruction.type) == 4, "a vector memory instruction has elements of 32 bits");
        require(instruction.space == isa::Space::global || instruction.space == isa::Space::shared,
                "a vector memory instruction accesses global or shared memory");
    }

    void check_target() const {
        const Instruction& instruction = kernel_.code[pc_];
        if (instruction.operation == Operation::bra) {
            require(instruction.target < kernel_.code.size(), "the branch target is out of range");
        } else {
            require(instruction.target == isa::kNoTarget && instruction.reconvergence == isa::kNoTarget,
                    "only branches have targets");
        }
    }

    const isa::Kernel& kernel_;
    std::uint32_t pc_ = 0;
};

}  // namespace

void verify(const isa::Kernel& kernel) {
    Verifier(kernel).run();
}

}  // namespace lookahead::finaliser
