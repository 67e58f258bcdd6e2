#include "components/frontend/finaliser/spill/spill_choice.h"

#include <optional>

#include "components/frontend/finaliser/code/literals.h"
#include "components/frontend/finaliser/spill/recipes.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

namespace {

/// A value that the last access left in registers.
struct Kept {
    VirtualOperand operand;      ///< of the spilled group
    std::uint32_t row = 0;       ///< the row that holds it
    std::uint32_t position = 0;  ///< of the access
    std::uint32_t inserted = 0;  ///< instructions inserted at crowded places up to after the access
};

struct Spilled {
    bool by_recipe = false;
    bool backed = false;                                   ///< it is already in local memory
    std::vector<std::vector<VirtualInstruction>> recipes;  ///< by read, in the order of the code
    std::size_t next_recipe = 0;
    std::optional<Kept> kept;
};

class Rewriter {
  public:
    Rewriter(VirtualKernel& kernel, const SpillView& view, const SpillChoice& choice, SpilledValues& values)
        : kernel_(kernel),
          crowded_(choice.crowded),
          values_(values),
          spilled_of_(kernel.groups.size(), kNone),
          has_access_(kernel.blocks.size(), false) {
        for (const Victim& victim : choice.victims) { add(view, victim); }
    }

    void run() {
        std::uint32_t position = 0;
        std::vector<VirtualInstruction> code;
        for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
            auto& old_code = kernel_.blocks[block].code;
            if (!has_access_[block]) {
                position += static_cast<std::uint32_t>(old_code.size());
                continue;
            }
            code.clear();
            for (Spilled& group : spilled_) { group.kept.reset(); }
            for (const VirtualInstruction& instruction : old_code) { rewrite(instruction, position++, code); }
            code.swap(old_code);
        }
    }

  private:
    void add(const SpillView& view, const Victim& victim) {
        const RowGroup& rows = kernel_.groups[victim.group];
        Spilled spilled;
        spilled.by_recipe = victim.by_recipe;
        spilled.backed = !victim.by_recipe && values_.is_backed(rows);
        for (const Access& read : view.reads(victim.group)) {
            has_access_[read.place.block] = true;
            if (victim.by_recipe) {
                spilled.recipes.push_back(*view.recipes().recipe(read.operand, rows, read.place, read.position));
            }
        }
        for (const Access& write : view.writes(victim.group)) { has_access_[write.place.block] = true; }
        if (!victim.by_recipe && !spilled.backed) {
            for (std::uint32_t row = rows.first; row < rows.first + rows.rows; ++row) {
                set_slot(row, kernel_.frame.local_bytes);
                kernel_.frame.local_bytes += 4;
                kernel_.frame.spill_bytes += 4;
            }
        }
        spilled_of_[victim.group] = static_cast<std::uint32_t>(spilled_.size());
        spilled_.push_back(std::move(spilled));
    }

    void set_slot(std::uint32_t row, std::uint32_t slot) {
        if (row >= values_.slot_of.size()) { values_.slot_of.resize(kernel_.rows(), kNone); }
        values_.slot_of[row] = slot;
    }

    /// `row` holds the same value as `from`, so it has the same slot.
    void copy_slot(std::uint32_t row, std::uint32_t from) {
        set_slot(row, values_.slot_of[from]);
        if (!values_.affine_first) { return; }
        if (row >= values_.affine.size()) { values_.affine.resize(kernel_.rows(), false); }
        values_.affine[row] = from < values_.affine.size() && values_.affine[from];
    }

    /// The state of the row's group if it is spilled, else null.
    Spilled* spilled(std::uint32_t row) {
        const std::uint32_t group = kernel_.group_of[row];
        if (group >= spilled_of_.size() || spilled_of_[group] == kNone) { return nullptr; }
        return &spilled_[spilled_of_[group]];
    }

    void rewrite(VirtualInstruction instruction, std::uint32_t position, std::vector<VirtualInstruction>& code) {
        Spilled* const written = instruction.destination_rows != 0 ? spilled(instruction.destination) : nullptr;
        if (written != nullptr && written->by_recipe && is_plain(instruction) && !instruction.guarded()) {
            skip_recipes(instruction);
            return;
        }
        for (VirtualOperand& operand : instruction.source) {
            if (operand.kind == Operand::Kind::reg) {
                if (Spilled* const read = spilled(operand.index); read != nullptr) {
                    operand.index = again(*read, operand, position, instruction, code);
                }
            }
        }
        if (written != nullptr && !written->by_recipe) {
            const VirtualOperand result = register_rows(instruction.destination, instruction.destination_rows);
            written->kept.reset();
            if (!written->backed) { return store_result(*written, instruction, position, code); }
            written->kept = Kept{result, result.index, position, inserted_};
        }
        code.push_back(instruction);
    }

    /// A removed instruction needs no sources.
    void skip_recipes(const VirtualInstruction& instruction) {
        for (const VirtualOperand& operand : instruction.source) {
            if (operand.kind == Operand::Kind::reg) {
                if (Spilled* const read = spilled(operand.index); read != nullptr && read->by_recipe) {
                    ++read->next_recipe;
                }
            }
        }
    }

    void store_result(Spilled& group, VirtualInstruction instruction, std::uint32_t position,
                      std::vector<VirtualInstruction>& code) {
        const VirtualOperand written = register_rows(instruction.destination, instruction.destination_rows);
        instruction.destination = kernel_.new_rows(instruction.destination_rows);
        const PredicateUse guard = instruction.guard;
        if (instruction.guarded()) {
            begin_value(instruction, code);
            values_.pinned.resize(kernel_.groups.size(), false);
            values_.pinned.back() = true;
        } else {
            for (unsigned i = 0; i < written.rows; ++i) { copy_slot(instruction.destination + i, written.index + i); }
            group.kept = Kept{written, instruction.destination, position, 0};
        }
        code.push_back(instruction);
        for (unsigned i = 0; i < written.rows; ++i) {
            VirtualInstruction store = access(Operation::store, written.index + i, instruction);
            store.source[1] = register_rows(instruction.destination + i);
            store.guard = guard;
            code.push_back(store);
        }
        if (crowded_.contains(position)) { inserted_ += written.rows; }
        if (group.kept) { group.kept->inserted = inserted_; }
    }

    /// A guarded write alone would leave the rows with an unknown earlier value, which lives from the kernel's start.
    void begin_value(VirtualInstruction& instruction, std::vector<VirtualInstruction>& code) {
        if (is_plain(instruction)) {
            instruction.guard = {kAlways, false};
            return;
        }
        for (unsigned i = 0; i < instruction.destination_rows; ++i) {
            VirtualInstruction clear = beside(instruction, Operation::mov, Type::b32);
            clear.source[0] = launch_row(isa::LaunchRow::zero);
            clear.set_destination(instruction.destination + i);
            code.push_back(clear);
        }
    }

    /// Rows with the operand's values: those of the last access if no crowded place lies between, else new ones.
    std::uint32_t again(Spilled& group, const VirtualOperand& operand, std::uint32_t position,
                        const VirtualInstruction& reader, std::vector<VirtualInstruction>& code) {
        const std::size_t recipe = group.next_recipe++;
        if (group.kept && is_kept(*group.kept, operand, position)) {
            group.kept->position = position;
            group.kept->inserted = inserted_;
            return group.kept->row + (operand.index - group.kept->operand.index);
        }
        const std::size_t before = code.size();
        const std::uint32_t row = group.by_recipe
                                      ? make_again(std::move(group.recipes[recipe]), operand.index, position, code)
                                      : reload(operand, reader, code);
        if (crowded_.contains(position)) { inserted_ += static_cast<std::uint32_t>(code.size() - before); }
        group.kept = Kept{operand, row, position, inserted_};
        return row;
    }

    /// Rows that the recipe reads may be spilled in the same round.
    std::uint32_t make_again(std::vector<VirtualInstruction> recipe, std::uint32_t row, std::uint32_t position,
                             std::vector<VirtualInstruction>& code) {
        std::vector<VirtualInstruction> made;
        const std::uint32_t result = append_recipe(kernel_, std::move(recipe), row, made);
        for (VirtualInstruction& instruction : made) {
            for (VirtualOperand& operand : instruction.source) {
                if (operand.kind != Operand::Kind::reg) { continue; }
                Spilled* const read = spilled(operand.index);
                if (read == nullptr) { continue; }
                LOOKAHEAD_ASSERT(!read->by_recipe, "recipes do not read what goes by recipe in the same round");
                operand.index = again(*read, operand, position, instruction, code);
            }
            code.push_back(instruction);
        }
        return result;
    }

    bool is_kept(const Kept& kept, const VirtualOperand& operand, std::uint32_t position) const {
        return kept.inserted == inserted_ && crowded_.count(kept.position + 1, position) == 0 &&
               kept.operand.index <= operand.index &&
               operand.index + operand.rows <= kept.operand.index + kept.operand.rows &&
               (operand.rows == 1 || operand == kept.operand);
    }

    std::uint32_t reload(const VirtualOperand& operand, const VirtualInstruction& reader,
                         std::vector<VirtualInstruction>& code) {
        const std::uint32_t rows = kernel_.new_rows(operand.rows);
        for (unsigned i = 0; i < operand.rows; ++i) {
            VirtualInstruction load = access(Operation::load, operand.index + i, reader);
            load.set_destination(rows + i);
            copy_slot(rows + i, operand.index + i);
            code.push_back(load);
        }
        return rows;
    }

    VirtualInstruction access(Operation operation, std::uint32_t row, const VirtualInstruction& served) {
        VirtualInstruction result = beside(served, operation, Type::b32);
        result.machine.space = isa::Space::local;
        result.machine.offset = static_cast<std::int32_t>(values_.slot_of[row]);
        result.source[0] = launch_row(isa::LaunchRow::zero);
        return result;
    }

    VirtualKernel& kernel_;
    const BitSet& crowded_;
    SpilledValues& values_;
    std::vector<std::uint32_t> spilled_of_;  ///< group -> its number in spilled_
    std::vector<Spilled> spilled_;
    std::uint32_t inserted_ = 0;    ///< instructions inserted so far at crowded places
    std::vector<bool> has_access_;  ///< by block: to a spilled group
};

}  // namespace

void rewrite_spilled(VirtualKernel& kernel, const SpillView& view, const SpillChoice& choice, SpilledValues& values) {
    Rewriter(kernel, view, choice, values).run();
}

}  // namespace lookahead::finaliser
