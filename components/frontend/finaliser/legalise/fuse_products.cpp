#include "components/frontend/finaliser/legalise/legalise.h"

#include <optional>

#include "components/frontend/finaliser/analysis/single_writes.h"
#include "components/frontend/finaliser/code/literals.h"

namespace lookahead::finaliser {

namespace {

class Fuser {
  public:
    Fuser(VirtualKernel& kernel, const IsaOptions& isa)
        : kernel_(kernel),
          repeats_pairs_(isa.expand_64bit && isa.wide_multiply),
          writes_(kernel),
          reads_(unit_count(kernel), 0) {}

    void run() {
        for_each_instruction(kernel_, [this](const VirtualInstruction& instruction) {
            for_each_read(kernel_, instruction, [this](std::uint32_t unit) { ++reads_[unit]; });
        });
        for_each_place(kernel_, [this](VirtualInstruction& sum, Place place) { fuse(sum, place); });
    }

  private:
    void fuse(VirtualInstruction& sum, Place place) {
        const isa::InstructionForm& machine = sum.machine;
        if (machine.operation != Operation::add || machine.saturate) { return; }
        if (!isa::is_word_or_pair(machine.type)) { return; }
        for (std::size_t i = 0; i < 2; ++i) {
            const auto product = product_at(sum.source[i], place);
            if (!product) { continue; }
            const VirtualOperand addend = sum.source[1 - i];
            VirtualInstruction fused = *product;
            fused.guard = sum.guard;
            fused.set_destination(sum.destination, sum.destination_rows);
            fused.machine.line = machine.line;
            fused.origin = sum.origin;
            fused.source[2] = addend;
            sum = fused;
            return;
        }
    }

    /// The fused form, still without an addend, of the product that `operand`, read at `place`, holds; nothing if
    /// others read it too and fusing would save no instruction.
    std::optional<VirtualInstruction> product_at(const VirtualOperand& operand, Place place) {
        if (operand.kind != Operand::Kind::reg) { return std::nullopt; }
        const auto write = writes_.place(operand.index);
        if (!write || write->block != place.block || !writes_.before(*write, place)) { return std::nullopt; }
        VirtualInstruction product = writes_.at(*write);
        if (product.guarded() || product.machine.saturate || product.destination != operand.index ||
            product.destination_rows != operand.rows) {
            return std::nullopt;
        }
        const bool repeats = repeats_pairs_ && operand.rows == 2;
        for (std::uint32_t i = 0; i < operand.rows; ++i) {
            if (reads_[operand.index + i] != 1 && !repeats) { return std::nullopt; }
        }
        for (const VirtualOperand& factor : product.source) {
            if (factor.kind == Operand::Kind::reg && !writes_.is_stable(factor, *write)) { return std::nullopt; }
        }
        return fused_form(product) ? std::optional(product) : std::nullopt;
    }

    bool fused_form(VirtualInstruction& product) {
        isa::InstructionForm& machine = product.machine;
        if (machine.operation == Operation::mul_wide && isa::is_pair(machine.type)) {
            machine.operation = Operation::mad_wide;
            return true;
        }
        if (!isa::is_word(machine.type)) { return false; }
        if (machine.operation == Operation::mul_lo) {
            machine.operation = Operation::mad_lo;
            return true;
        }
        const auto amount = machine.operation == Operation::shl ? literal_value(kernel_.frame, product.source[1])
                                                                : std::optional<std::uint64_t>();
        if (!amount || *amount >= 32) { return false; }
        machine.operation = Operation::mad_lo;
        machine.type = Type::u32;
        product.source[1] = literal(kernel_.frame, std::uint64_t{1} << *amount, 1);
        return true;
    }

    VirtualKernel& kernel_;
    bool repeats_pairs_;
    SingleWrites writes_;
    std::vector<std::uint32_t> reads_;  ///< by unit
};

}  // namespace

void fuse_products(VirtualKernel& kernel, const IsaOptions& isa) {
    Fuser(kernel, isa).run();
}

}  // namespace lookahead::finaliser
