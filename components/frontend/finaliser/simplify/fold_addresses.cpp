#include "components/frontend/finaliser/simplify/simplify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "components/frontend/finaliser/analysis/single_writes.h"
#include "components/frontend/finaliser/code/literals.h"

namespace lookahead::finaliser {

namespace {

struct Sum {
    VirtualOperand base;
    std::int64_t addend = 0;
};

bool is_integer_add(const VirtualInstruction& instruction) {
    if (instruction.machine.operation != Operation::add || instruction.machine.saturate || instruction.guarded()) {
        return false;
    }
    const Type type = instruction.machine.type;
    return type == Type::u32 || type == Type::s32 || type == Type::u64 || type == Type::s64;
}

/// The sum that the instruction computes, if it adds a literal to another value.
std::optional<Sum> sum_of(const isa::KernelFrame& frame, const VirtualInstruction& instruction) {
    if (!is_integer_add(instruction)) { return std::nullopt; }
    for (std::size_t i = 0; i < 2; ++i) {
        const auto value = literal_value(frame, instruction.source[i]);
        if (!value || literal_value(frame, instruction.source[1 - i])) { continue; }
        const bool wide = instruction.destination_rows == 2;
        const auto addend =
            wide ? static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(static_cast<std::int32_t>(*value));
        return Sum{instruction.source[1 - i], addend};
    }
    return std::nullopt;
}

class AddressFolder {
  public:
    explicit AddressFolder(VirtualKernel& kernel) : kernel_(kernel), writes_(kernel) {}

    bool run() {
        count_reads();
        bool changed = false;
        for (const auto& [row, accesses] : accesses_) {
            if (accesses.size() != reads_[row]) { continue; }
            for (const Place& place : accesses) {
                VirtualInstruction& access = kernel_.blocks[place.block].code[place.index];
                const Sum sum = *foldable_sum(access, place);
                access.source[0] = sum.base;
                access.machine.offset += static_cast<std::int32_t>(sum.addend);
                changed = true;
            }
        }
        return changed;
    }

  private:
    void count_reads() {
        reads_.assign(unit_count(kernel_), 0);
        for_each_place(kernel_, [this](const VirtualInstruction& instruction, Place place) {
            for_each_read(kernel_, instruction, [this](std::uint32_t unit) { ++reads_[unit]; });
            if (foldable_sum(instruction, place)) { accesses_[instruction.source[0].index].push_back(place); }
        });
    }

    /// The sum in the access's address, if the access can do the addition itself.
    std::optional<Sum> foldable_sum(const VirtualInstruction& access, Place place) const {
        const VirtualOperand& address = access.source[0];
        if (!isa::is_memory(access.machine.operation) || address.kind != Operand::Kind::reg) { return std::nullopt; }
        const auto write = writes_.place(address.index);
        if (!write || !writes_.before(*write, place)) { return std::nullopt; }
        const VirtualInstruction& add = writes_.at(*write);
        if (add.destination != address.index || add.destination_rows != address.rows) { return std::nullopt; }
        const auto sum = sum_of(kernel_.frame, add);
        if (!sum || !std::in_range<std::int32_t>(sum->addend) ||
            !std::in_range<std::int32_t>(access.machine.offset + sum->addend)) {
            return std::nullopt;
        }
        if (writes_.is_stable(sum->base, *write)) { return sum; }
        if (!isa::is_vector_memory(access.machine.operation)) { return std::nullopt; }
        return holds_from(sum->base, *write, place) ? sum : std::nullopt;
    }

    /// Whether no instruction from `write` to `read`, in one block, writes the base. The compiler folds the addresses
    /// of its own loads and stores; a vector memory instruction takes an address unchanged.
    bool holds_from(const VirtualOperand& base, Place write, Place read) const {
        if (base.kind != Operand::Kind::reg || write.block != read.block || write.index >= read.index) { return false; }
        const auto& code = kernel_.blocks[write.block].code;
        return std::none_of(code.begin() + write.index, code.begin() + read.index, [&](const auto& between) {
            return between.destination_rows != 0 && between.destination < base.index + base.rows &&
                   base.index < between.destination + between.destination_rows;
        });
    }

    VirtualKernel& kernel_;
    SingleWrites writes_;
    std::vector<std::uint32_t> reads_;                      ///< by unit
    std::map<std::uint32_t, std::vector<Place>> accesses_;  ///< sum's first row -> accesses that could fold it
};

}  // namespace

bool fold_addresses(VirtualKernel& kernel) {
    return AddressFolder(kernel).run();
}

}  // namespace lookahead::finaliser
