#include "components/frontend/finaliser/legalise/legalise.h"

#include <algorithm>
#include <compare>

#include "components/frontend/finaliser/code/literals.h"
#include "components/isa/address_space.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

using isa::Space;

namespace {

constexpr std::uint8_t window_of(std::uint64_t address) {
    return static_cast<std::uint8_t>(address >> 32);
}
constexpr std::uint8_t kGlobal = window_of(isa::kGlobalBase);
/// Windows other than allocatable memory in which data have addresses.
constexpr bool is_window(std::uint8_t high) {
    return high == window_of(isa::kSharedWindowBase) || high == window_of(isa::kLocalWindowBase) ||
           high == window_of(isa::kModuleBase) || high == window_of(isa::kConstantBase) ||
           high == window_of(isa::kConstantBankBase);
}
static_assert(isa::kConstantBankBase >> 32 <= 0xff && isa::kModuleBytes <= isa::kPointerReach);

/// Where a 64-bit value points, as far as the code tells. The join of two kinds is later in this order than both.
struct Origin {
    enum class Kind : std::uint8_t {
        none,     ///< no value yet
        integer,  ///< not computed from an address, or a small number
        given,    ///< a parameter, or from memory or another lane: an integer or a global address
        window,   ///< in the 4 GiB whose high word is `window`
        many,     ///< in one of several
    };
    Kind kind = Kind::none;
    std::uint8_t window = 0;

    friend auto operator<=>(const Origin&, const Origin&) = default;
};

Origin join(const Origin& a, const Origin& b) {
    if (a.kind == Origin::Kind::window && b.kind == Origin::Kind::window && a.window != b.window) {
        return {Origin::Kind::many};
    }
    return std::max(a, b);
}

bool is_word_or_less(Type type) {
    return type == Type::u8 || type == Type::s8 || type == Type::u16 || type == Type::s16 || type == Type::b16 ||
           type == Type::u32 || type == Type::s32 || type == Type::b32;
}

VirtualOperand low_word(const VirtualOperand& operand) {
    return operand.rows == 2 ? VirtualOperand{operand.kind, 1, operand.index} : operand;
}

/// The sources of sums, differences or bits: if one is an address, so is the result.
unsigned carried_sources(const isa::InstructionForm& machine) {
    switch (machine.operation) {
        case Operation::mov:
            return 0b001;
        case Operation::convert:
            return isa::is_pair(machine.source_type) ? 0b001 : 0;
        case Operation::add:
        case Operation::sub:
        case Operation::select:
        case Operation::bit_and:
        case Operation::bit_or:
        case Operation::bit_xor:
            return 0b011;
        case Operation::mad_lo:
        case Operation::mad_wide:
            return 0b100;
        default:
            return 0;
    }
}

/// Whether the result's low word depends on the sources' low words only.
bool is_narrowable(const VirtualInstruction& instruction) {
    const isa::InstructionForm& machine = instruction.machine;
    if (!isa::is_pair(machine.type) || instruction.destination_rows != 2 || machine.saturate) { return false; }
    switch (machine.operation) {
        case Operation::convert:
            return isa::is_pair(machine.source_type) || is_word_or_less(machine.source_type);
        case Operation::mov:
        case Operation::select:
        case Operation::add:
        case Operation::sub:
        case Operation::neg:
        case Operation::mul_lo:
        case Operation::mad_lo:
        case Operation::mul_wide:
        case Operation::mad_wide:
        case Operation::shl:
        case Operation::bit_and:
        case Operation::bit_or:
        case Operation::bit_xor:
        case Operation::bit_not:
            return true;
        default:
            return false;
    }
}

/// Whether the result depends on its sources' low words alone, or copies one word of a pair.
bool is_followed(const VirtualInstruction& instruction) {
    return is_narrowable(instruction) ||
           (instruction.machine.operation == Operation::mov && instruction.destination_rows == 1);
}

/// Whether the result comes from a place where an address may have been stored.
bool brings_value(Operation operation) {
    return isa::is_load(operation) || operation == Operation::atomic || operation == Operation::shuffle;
}

bool is_wide_access(const VirtualInstruction& instruction) {
    return isa::is_memory(instruction.machine.operation) && instruction.source[0].rows == 2;
}

class Narrower {
  public:
    Narrower(VirtualKernel& kernel, bool has_variables)
        : kernel_(kernel), has_variables_(has_variables), origins_(kernel.rows()) {}

    void run() {
        find_origins();
        find_needed();
        find_addresses();
        check_addresses();
        for_each_instruction(kernel_, [this](VirtualInstruction& instruction) {
            if (is_wide_access(instruction)) {
                instruction.machine.address_window = window_of_access(instruction);
                instruction.source[0] = low_word(instruction.source[0]);
            } else if (is_narrowable(instruction) && !needed_[instruction.destination + 1]) {
                narrow(instruction);
            }
        });
    }

  private:
    /// Calls `visit(instruction)`, which returns whether it changed anything, until nothing changes.
    template <typename Visit>
    void until_stable(Visit visit) {
        for (bool changed = true; changed;) {
            changed = false;
            for_each_instruction(kernel_, [&](VirtualInstruction& instruction) { changed |= visit(instruction); });
        }
    }

    Origin origin_of(const VirtualOperand& operand) const {
        if (operand.kind == Operand::Kind::reg) { return origins_[operand.index]; }
        const auto value = literal_value(kernel_.frame, operand);
        if (!value) { return {Origin::Kind::given}; }
        if (operand.rows != 2 || *value >> 40 != 0 || !is_window(window_of(*value))) { return {Origin::Kind::integer}; }
        return {Origin::Kind::window, window_of(*value)};
    }

    Origin result_of(const VirtualInstruction& instruction) const {
        const unsigned carried = is_followed(instruction) ? carried_sources(instruction.machine) : 0;
        Origin result{carried != 0               ? Origin::Kind::none
                      : is_followed(instruction) ? Origin::Kind::integer
                                                 : Origin::Kind::given};
        for (std::size_t i = 0; i < instruction.source.size(); ++i) {
            const VirtualOperand& operand = instruction.source[i];
            if (carried >> i & 1) {
                result = join(result, origin_of(operand));
            } else if (operand.rows == 2 && !isa::is_memory(instruction.machine.operation) &&
                       origin_of(operand).kind >= Origin::Kind::window) {
                result = {Origin::Kind::many};  // computed from an address in an untracked way
            }
        }
        return result;
    }

    void find_origins() {
        until_stable([this](const VirtualInstruction& instruction) {
            if (instruction.destination_rows == 0) { return false; }
            const Origin result = result_of(instruction);
            bool changed = false;
            for (unsigned i = 0; i < instruction.destination_rows; ++i) {
                Origin& origin = origins_[instruction.destination + i];
                const Origin joined = join(origin, result);
                changed |= joined != origin;
                origin = joined;
            }
            return changed;
        });
    }

    /// Finds the rows on which anything but the high word of an address depends.
    void find_needed() {
        needed_.assign(kernel_.rows(), false);
        until_stable([this](const VirtualInstruction& instruction) {
            const bool low_only = is_narrowable(instruction) && !needed_[instruction.destination + 1];
            bool changed = false;
            for (std::size_t i = 0; i < instruction.source.size(); ++i) {
                const VirtualOperand& operand = instruction.source[i];
                if (operand.kind != Operand::Kind::reg) { continue; }
                const bool address = i == 0 && is_wide_access(instruction);
                for (unsigned row = 0; row < (low_only || address ? 1U : operand.rows); ++row) {
                    changed |= !needed_[operand.index + row];
                    needed_[operand.index + row] = true;
                }
            }
            return changed;
        });
    }

    /// Finds the rows, by the first of their pair, that may hold an address.
    void find_addresses() {
        addresses_.assign(kernel_.rows(), false);
        for_each_instruction(kernel_, [this](const VirtualInstruction& access) {
            if (!is_wide_access(access)) { return; }
            if (access.source[0].kind == Operand::Kind::reg) {
                addresses_[access.source[0].index] = true;
            } else {
                add_parameter(access.source[0]);
            }
        });
        until_stable([this](const VirtualInstruction& instruction) {
            if (!makes_address(instruction) || !is_followed(instruction)) { return false; }
            const unsigned carried = carried_sources(instruction.machine);
            bool changed = false;
            for (std::size_t i = 0; i < instruction.source.size(); ++i) {
                const VirtualOperand& operand = instruction.source[i];
                if (!(carried >> i & 1)) { continue; }
                if (operand.kind != Operand::Kind::reg) {
                    add_parameter(operand);
                    continue;
                }
                changed |= !addresses_[operand.index];
                addresses_[operand.index] = true;
            }
            return changed;
        });
    }

    bool makes_address(const VirtualInstruction& instruction) const {
        return instruction.destination_rows != 0 && addresses_[instruction.destination];
    }

    void add_parameter(const VirtualOperand& operand) {
        if (operand.rows != 2 || literal_value(kernel_.frame, operand)) { return; }
        const std::uint32_t offset = (operand.index - isa::kFirstParameterRow) * 4;
        std::vector<std::uint32_t>& offsets = kernel_.frame.pointer_parameters;
        if (std::ranges::find(offsets, offset) == offsets.end()) { offsets.push_back(offset); }
    }

    void check_addresses() {
        bool from_memory = false;
        for_each_instruction(kernel_, [&](const VirtualInstruction& instruction) {
            if (makes_address(instruction)) {
                check_joins(instruction);
                from_memory |= brings_value(instruction.machine.operation);
            }
        });
        if (!from_memory) { return; }
        if (has_variables_) {
            refuse(0, "takes addresses from memory, which may hold addresses of the module's variables");
        }
        for_each_instruction(kernel_, [this](const VirtualInstruction& instruction) {
            for (const VirtualOperand& operand : instruction.source) {
                if (gives_away(instruction, operand) && origin_of(operand).kind >= Origin::Kind::window) {
                    refuse(instruction.machine.line,
                           "takes addresses from memory, which may hold this address of a variable, shared or local "
                           "memory");
                }
            }
        });
    }

    /// Whether the operand goes to a place from which a later instruction may take it as a value.
    static bool gives_away(const VirtualInstruction& instruction, const VirtualOperand& operand) {
        if (instruction.machine.operation == Operation::shuffle) { return true; }
        return isa::is_memory(instruction.machine.operation) && &operand != &instruction.source[0];
    }

    /// A sum of a given value and an address in a window is in that window, because the given one is an integer. A
    /// selection between them need not be: the given one may be an address.
    void check_joins(const VirtualInstruction& instruction) const {
        const Origin& all = origins_[instruction.destination];
        if (all.kind < Origin::Kind::window) { return; }
        const auto refuse_if_elsewhere = [&](const Origin& one) {
            if (one.kind == Origin::Kind::given || (one.kind >= Origin::Kind::window && one != all)) {
                refuse(instruction.machine.line, "may take this address in one of several windows of 4 GiB");
            }
        };
        if (all.kind == Origin::Kind::many) { refuse_if_elsewhere({Origin::Kind::given}); }
        if (instruction.machine.operation != Operation::select) { return refuse_if_elsewhere(result_of(instruction)); }
        for (std::size_t i = 0; i < 2; ++i) { refuse_if_elsewhere(origin_of(instruction.source[i])); }
    }

    std::uint8_t window_of_access(const VirtualInstruction& access) const {
        const Space space = access.machine.space;
        if (space == Space::shared || space == Space::local) {
            return 0;  // addresses are offsets
        }
        const Origin origin = origin_of(access.source[0]);
        const std::uint8_t usual = space == Space::constant ? window_of(isa::kConstantBase) : kGlobal;
        if (origin.kind < Origin::Kind::window) { return usual; }
        const bool on_chip = origin.window < kGlobal;
        if ((space != Space::generic && on_chip) || origin.kind == Origin::Kind::many) {
            refuse(access.machine.line, "accesses an address that may be in one of several windows of 4 GiB");
        }
        return origin.window;
    }

    static Type word_type(Type type) {
        return type == Type::s64 ? Type::s32 : type == Type::u64 ? Type::u32 : Type::b32;
    }

    static void narrow(VirtualInstruction& instruction) {
        isa::InstructionForm& machine = instruction.machine;
        instruction.destination_rows = 1;
        for (VirtualOperand& operand : instruction.source) { operand = low_word(operand); }
        machine.type = word_type(machine.type);
        switch (machine.operation) {
            case Operation::mul_wide:
            case Operation::mad_wide:
                machine.operation = machine.operation == Operation::mul_wide ? Operation::mul_lo : Operation::mad_lo;
                machine.source_type = Type::none;
                break;
            case Operation::convert:
                if (isa::type_bytes(machine.source_type) >= 4) {
                    machine.operation = Operation::mov;
                    machine.type = Type::b32;
                    machine.source_type = Type::none;
                } else {
                    machine.type =
                        machine.source_type == Type::s8 || machine.source_type == Type::s16 ? Type::s32 : Type::u32;
                }
                break;
            default:
                break;
        }
    }

    [[noreturn]] void refuse(std::uint32_t line, const std::string& what) const {
        throw InputError(
            "{}{}: kernel {} {}, which 32-bit registers cannot distinguish; it needs "
            "isa.pointers = 64",
            kernel_.frame.source_file, line == 0 ? "" : fmt::format(":{}", line), kernel_.frame.name, what);
    }

    VirtualKernel& kernel_;
    bool has_variables_;
    std::vector<Origin> origins_;  ///< by row
    std::vector<bool> needed_;     ///< by row
    std::vector<bool> addresses_;  ///< by row
};

}  // namespace

void narrow_pointers(VirtualKernel& kernel, bool has_variables) {
    Narrower(kernel, has_variables).run();
}

}  // namespace lookahead::finaliser
