#include "components/frontend/finaliser/analysis/affinity.h"

#include <algorithm>
#include <array>
#include <bit>

#include "components/frontend/finaliser/analysis/control_flow.h"
#include "components/frontend/finaliser/analysis/values.h"
#include "components/frontend/finaliser/code/literals.h"

namespace lookahead::finaliser {

namespace {

Affinity special(isa::SpecialRegister which) {
    switch (which) {
        case isa::SpecialRegister::tid_x:
        case isa::SpecialRegister::laneid:
            return Affinity::affine;
        case isa::SpecialRegister::lanemask_eq:
        case isa::SpecialRegister::lanemask_le:
        case isa::SpecialRegister::lanemask_lt:
        case isa::SpecialRegister::lanemask_ge:
        case isa::SpecialRegister::lanemask_gt:
            return Affinity::generic;
        default:
            return Affinity::uniform;
    }
}

class Analysis {
  public:
    explicit Analysis(const VirtualKernel& kernel)
        : kernel_(kernel),
          flow_(kernel),
          values_(kernel, flow_),
          of_(values_.size(), Affinity::none),
          parts_(flow_.blocks(), false),
          meets_(flow_.blocks(), false) {}

    std::vector<Affinity> run() {
        // Values only become more general: a branch that parts lanes makes values more general, and these may part
        // more.
        do { solve(); } while (find_divergence());
        std::vector<Affinity> rows(kernel_.rows(), Affinity::none);
        for (ValueId id = 0; id < values_.size(); ++id) {
            const Value& value = values_[id];
            if (value.kind == Value::Kind::start || value.unit >= kernel_.rows()) { continue; }
            rows[value.unit] = std::max(rows[value.unit], of_[id]);
        }
        return rows;
    }

  private:
    void solve() {
        for (bool changed = true; changed;) {
            changed = false;
            for (ValueId id = 0; id < values_.size(); ++id) {
                const Affinity next = std::max(of_[id], found(id));
                changed |= next != of_[id];
                of_[id] = next;
            }
        }
    }

    Affinity found(ValueId id) const {
        switch (values_[id].kind) {
            case Value::Kind::start:
                return Affinity::uniform;
            case Value::Kind::definition:
                return defined(values_[id]);
            case Value::Kind::join:
                break;
        }
        Affinity all = Affinity::none;
        ValueId other = id;
        bool differ = false;
        for (const ValueId input : values_[id].inputs) {
            all = std::max(all, of_[input]);
            differ |= input != id && other != id && input != other;
            other = input != id ? input : other;
        }
        return differ && all != Affinity::none && meets_[values_[id].at.block] ? Affinity::generic : all;
    }

    Affinity defined(const Value& value) const {
        const VirtualInstruction& instruction = values_.instruction(value.at);
        Affinity made = computed(value.at);
        // The upper half of an address is one number unless its lower half is generic.
        if (value.word > 0 && made == Affinity::affine) { made = Affinity::uniform; }
        if (value.unit >= kernel_.rows() && made == Affinity::affine) { made = Affinity::generic; }
        if (!instruction.guarded() || made == Affinity::none) { return made; }
        if (predicate(values_.reads(value.at).guard) == Affinity::generic) { return Affinity::generic; }
        return std::max(made, of_[value.before]);
    }

    Affinity predicate(ValueId id) const { return id == kNoValue ? Affinity::uniform : of_[id]; }

    /// The affinity of the operand's low word, which decides; constants are the same in all lanes.
    Affinity source(Position at, std::size_t which) const {
        const VirtualOperand& operand = values_.instruction(at).source[which];
        if (operand.kind != Operand::Kind::reg) { return Affinity::uniform; }
        if (operand.rows > 2) { return Affinity::generic; }
        return of_[values_.reads(at).source[which][0]];
    }

    bool is_power_of_two(Position at, std::size_t which) const {
        const auto value = literal_value(kernel_.frame, values_.instruction(at).source[which]);
        return value && std::has_single_bit(*value);
    }

    /// A uniform factor keeps a product affine only as a known power of two: the cache has no code for other strides.
    Affinity product(Position at) const {
        const Affinity a = source(at, 0), b = source(at, 1);
        const Affinity most = std::max(a, b);
        if (most != Affinity::affine) { return most; }
        if (a == b) { return Affinity::generic; }
        return is_power_of_two(at, a == Affinity::affine ? 1 : 0) ? Affinity::affine : Affinity::generic;
    }

    Affinity computed(Position at) const {
        const VirtualInstruction& instruction = values_.instruction(at);
        const isa::InstructionForm& machine = instruction.machine;
        const Reads& reads = values_.reads(at);
        std::array<Affinity, 6> all{};
        for (std::size_t i = 0; i < 4; ++i) { all[i] = source(at, i); }
        for (std::size_t i = 0; i < 2; ++i) { all[4 + i] = predicate(reads.source_predicate[i]); }
        if (std::ranges::count(all, Affinity::none) > 0) { return Affinity::none; }
        const Affinity most = std::ranges::max(all);
        switch (machine.operation) {
            case Operation::read_special:
                return special(machine.special);
            case Operation::load:
                // Equal addresses give equal values, except local addresses, which name each thread's own memory.
                return all[0] == Affinity::uniform && machine.space != isa::Space::local &&
                               machine.space != isa::Space::generic
                           ? Affinity::uniform
                           : Affinity::generic;
            case Operation::atomic:
            case Operation::texture:
            case Operation::shuffle:
            case Operation::match:
            case Operation::dequeue:
                return Affinity::generic;
            case Operation::vote:
            case Operation::activemask:
            case Operation::redux:
            case Operation::barrier:
                return Affinity::uniform;
            default:
                break;
        }
        if (most != Affinity::affine) { return most; }
        if (!isa::is_word_or_pair(machine.type)) {
            return machine.operation == Operation::mov ? most : Affinity::generic;
        }
        switch (machine.operation) {
            case Operation::mov:
            case Operation::convert:
            case Operation::add:
            case Operation::sub:
            case Operation::neg:
            case Operation::add_carry:
            case Operation::sub_borrow:
                return most;
            case Operation::shl:
                return all[1] == Affinity::uniform ? most : Affinity::generic;
            case Operation::mul_lo:
            case Operation::mul_wide:
                return product(at);
            case Operation::mad_lo:
            case Operation::mad_wide:
                return std::max(product(at), all[2]);
            case Operation::select:
                return all[4] == Affinity::uniform ? most : Affinity::generic;
            default:
                return Affinity::generic;
        }
    }

    bool find_divergence() {
        bool changed = false;
        for (const std::uint32_t block : flow_.order()) {
            const VirtualInstruction* const branch = flow_.branch(block);
            if (branch == nullptr || parts_[block]) { continue; }
            const auto last = static_cast<std::uint32_t>(kernel_.blocks[block].code.size() - 1);
            if (predicate(values_.reads({block, last}).guard) != Affinity::generic) { continue; }
            parts_[block] = changed = true;
            for (const std::uint32_t join : flow_.joins_of(block)) { meets_[join] = true; }
        }
        return changed;
    }

    const VirtualKernel& kernel_;
    Flow flow_;
    Values values_;
    std::vector<Affinity> of_;  ///< by value
    std::vector<bool> parts_;   ///< by block: its branch parts lanes
    std::vector<bool> meets_;   ///< by block: lanes of different paths meet there
};

}  // namespace

std::vector<Affinity> affinities(VirtualKernel kernel) {
    split_at_jumps(kernel);
    return Analysis(kernel).run();
}

}  // namespace lookahead::finaliser
