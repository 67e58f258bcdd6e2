#include "components/frontend/finaliser/lower/lowering_context.h"

#include <algorithm>

#include "components/frontend/finaliser/code/literals.h"
#include "components/frontend/ptx/device_library.h"
#include "components/isa/code_address.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

using isa::LaunchRow;
using Special = ptx::SpecialRegister;
using Machine = isa::SpecialRegister;

namespace {

/// Special registers that are rows of each launch, and those that the machine has.
constexpr std::pair<Special, LaunchRow> kLaunchRows[] = {
    {Special::ntid_x, LaunchRow::ntid_x},
    {Special::ntid_y, LaunchRow::ntid_y},
    {Special::ntid_z, LaunchRow::ntid_z},
    {Special::nctaid_x, LaunchRow::nctaid_x},
    {Special::nctaid_y, LaunchRow::nctaid_y},
    {Special::nctaid_z, LaunchRow::nctaid_z},
    {Special::dynamic_smem_size, LaunchRow::dynamic_shared_bytes},
};
constexpr std::pair<Special, Machine> kMachineRegisters[] = {
    {Special::tid_x, Machine::tid_x},
    {Special::tid_y, Machine::tid_y},
    {Special::tid_z, Machine::tid_z},
    {Special::ctaid_x, Machine::ctaid_x},
    {Special::ctaid_y, Machine::ctaid_y},
    {Special::ctaid_z, Machine::ctaid_z},
    {Special::laneid, Machine::laneid},
    {Special::warpid, Machine::warpid},
    {Special::nwarpid, Machine::nwarpid},
    {Special::smid, Machine::smid},
    {Special::nsmid, Machine::nsmid},
    {Special::lanemask_eq, Machine::lanemask_eq},
    {Special::lanemask_le, Machine::lanemask_le},
    {Special::lanemask_lt, Machine::lanemask_lt},
    {Special::lanemask_ge, Machine::lanemask_ge},
    {Special::lanemask_gt, Machine::lanemask_gt},
    {Special::clock, Machine::clock},
    {Special::clock64, Machine::clock64},
    {Special::globaltimer, Machine::globaltimer},
    {Special::gridid, Machine::gridid},
};

isa::KernelFrame frame_of(const ptx::Module& module, const ptx::Function& function, const SharedLayout& shared) {
    isa::KernelFrame frame;
    frame.name = function.name;
    frame.source_file = module.file_name;
    frame.parameter_bytes = static_cast<std::uint32_t>((function.parameter_bytes + 3) / 4 * 4);
    for (const ptx::Parameter& parameter : function.parameters) {
        frame.parameter_offsets.push_back(static_cast<std::uint32_t>(parameter.offset));
        frame.parameter_sizes.push_back(static_cast<std::uint32_t>(parameter.size));
    }
    frame.static_shared_bytes = shared.static_bytes;
    const auto& bounds =
        function.bounds.required_threads ? function.bounds.required_threads : function.bounds.max_threads;
    if (bounds) { frame.max_threads_per_cta = (*bounds)[0] * (*bounds)[1] * (*bounds)[2]; }
    return frame;
}

}  // namespace

VirtualOperand part(VirtualOperand operand, unsigned first, unsigned count) {
    LOOKAHEAD_ASSERT(first + count <= operand.rows, "a part lies inside its operand");
    operand.index += first;
    operand.rows = static_cast<std::uint8_t>(count);
    return operand;
}

LoweringContext::LoweringContext(const ptx::Module& module, const ptx::Function& function, bool keep_cvta)
    : module_(module),
      function_(function),
      keep_cvta_(keep_cvta),
      shared_(lay_out_shared(module, function)),
      local_(lay_out_local(function)),
      module_addresses_(lay_out_module(module)) {
    kernel.frame = frame_of(module, function, shared_);
    kernel.frame.local_bytes = local_.bytes;
    for (const ptx::Register& reg : function.registers) {
        place_.push_back(reg.type == ptx::Type::pred ? kernel.new_predicate()
                                                     : kernel.new_rows(isa::type_rows(reg.type)));
    }
    for (const ptx::Variable& variable : function.variables) {
        std::vector<std::uint32_t>& rows = parameter_rows_.emplace_back();
        if (variable.space != ptx::StateSpace::param) { continue; }
        for (std::uint64_t word = 0; word < (variable.size() + 3) / 4; ++word) { rows.push_back(kernel.new_rows(1)); }
    }
}

void LoweringContext::begin(const ptx::Instruction& instruction, std::uint32_t block) {
    instruction_ = &instruction;
    block_ = block;
}

void LoweringContext::refuse(std::string_view reason) const {
    throw InputError("{}: {}", ptx::where(module_, *instruction_), reason);
}

VirtualInstruction LoweringContext::make(Operation operation, ptx::Type type,
                                         std::initializer_list<VirtualOperand> sources) const {
    VirtualInstruction result = new_instruction(operation, type, sources);
    result.machine.rounding = modifiers().rounding;
    if (modifiers().precision == ptx::Precision::approx) { result.machine.rounding = isa::Rounding::approx; }
    if (modifiers().precision == ptx::Precision::full) { result.machine.rounding = isa::Rounding::full; }
    result.machine.flush_to_zero = modifiers().ftz;
    result.machine.saturate = modifiers().saturate;
    return result;
}

VirtualInstruction LoweringContext::make_with_sources(Operation operation, ptx::Type type, std::size_t count) {
    VirtualInstruction result = make(operation, type);
    for (std::size_t i = 0; i < count; ++i) { result.source[i] = source(i); }
    return result;
}

VirtualOperand LoweringContext::literal(std::uint64_t bits, unsigned rows) {
    return finaliser::literal(kernel.frame, bits, rows);
}

VirtualOperand LoweringContext::source(const ptx::Operand& operand) {
    const unsigned rows = isa::type_rows(operand.type);
    switch (operand.kind) {
        case ptx::OperandKind::reg:
            return register_rows(place_[operand.reg], rows);
        case ptx::OperandKind::immediate: {
            // Narrow values are extended by their type to one row.
            std::uint64_t bits = operand.value;
            if (operand.type == ptx::Type::s16) { bits = static_cast<std::uint32_t>(static_cast<std::int16_t>(bits)); }
            if (operand.type == ptx::Type::s8) { bits = static_cast<std::uint32_t>(static_cast<std::int8_t>(bits)); }
            return literal(bits, rows);
        }
        case ptx::OperandKind::special: {
            const VirtualOperand value = special(operand.special);
            if (value.rows < rows) { refuse("a special register is wider here than it is"); }
            return part(value, 0, rows);
        }
        case ptx::OperandKind::symbol:
            return literal(address_of(operand.symbol) + operand.value, rows);
        default:
            refuse("this kind of operand is not supported here; registers, numbers and variables are");
    }
}

PredicateUse LoweringContext::predicate_source(const ptx::Operand& operand) const {
    if (operand.kind == ptx::OperandKind::reg) { return {place_[operand.reg], operand.negated}; }
    if (operand.kind == ptx::OperandKind::immediate) { return {kAlways, (operand.value == 0) != operand.negated}; }
    refuse("this operand must be a predicate register, 0 or 1");
}

PredicateUse LoweringContext::guard() const {
    const auto& guard = instruction_->guard;
    return guard ? PredicateUse{place_[guard->reg], guard->negated} : PredicateUse{kAlways, false};
}

PredicateUse LoweringContext::guarded(PredicateUse condition) {
    if (!instruction_->guard) { return condition; }
    VirtualInstruction both = make(Operation::pred_and, ptx::Type::pred);
    both.source_predicate = {guard(), condition};
    return emit_temporary_predicate(both);
}

std::uint32_t LoweringContext::carry() {
    if (carry_ == kNone) { carry_ = kernel.new_predicate(); }
    return carry_;
}

const ptx::Variable* LoweringContext::variable_of(const ptx::SymbolReference& symbol) const {
    if (symbol.kind == ptx::SymbolKind::module_variable) { return &module_.variables[symbol.index]; }
    if (symbol.kind == ptx::SymbolKind::function_variable) { return &function_.variables[symbol.index]; }
    return nullptr;
}

ptx::StateSpace LoweringContext::space_of(const ptx::SymbolReference& symbol) const {
    const ptx::Variable* variable = variable_of(symbol);
    if (variable == nullptr) { refuse("only addresses of variables and of a kernel's parameters are supported"); }
    return variable->space;
}

std::uint64_t LoweringContext::address_of(const ptx::SymbolReference& symbol) const {
    if (symbol.kind == ptx::SymbolKind::function) { return isa::code_address(symbol.index); }
    if (symbol.kind == ptx::SymbolKind::parameter) {
        return isa::kParameterBase + function_.parameters[symbol.index].offset;
    }
    const bool is_module_variable = symbol.kind == ptx::SymbolKind::module_variable;
    switch (space_of(symbol)) {
        case ptx::StateSpace::shared:
            return is_module_variable ? shared_.module_offset[symbol.index] : shared_.function_offset[symbol.index];
        case ptx::StateSpace::local:
            if (is_module_variable) { refuse(".local variables are supported only inside functions"); }
            return local_.offset[symbol.index];
        case ptx::StateSpace::global:
        case ptx::StateSpace::constant:
            if (!is_module_variable) { refuse(".global and .const variables must be declared in the module"); }
            if (module_addresses_[symbol.index] == 0) {
                refuse(fmt::format("{} is .extern and not in this file; linking is not supported",
                                   module_.variables[symbol.index].name));
            }
            return module_addresses_[symbol.index];
        default:
            refuse(".global, .const, .shared and .local variables have addresses; this one is in none of these spaces");
    }
}

VirtualOperand LoweringContext::read_special(isa::SpecialRegister reg, unsigned rows) {
    VirtualInstruction read = new_instruction(Operation::read_special, rows == 2 ? isa::Type::u64 : isa::Type::u32);
    read.machine.special = reg;
    return emit_temporary(read, rows);
}

/// The workspace's address, which kernels read to wait for the whole grid.
VirtualOperand LoweringContext::grid_workspace() {
    const auto found = std::ranges::find(module_.variables, ptx::kGridWorkspace, &ptx::Variable::name);
    if (found == module_.variables.end()) { refuse("a cooperative grid needs 64-bit addresses"); }
    kernel.frame.synchronises_grid = true;
    return literal(module_addresses_[static_cast<std::size_t>(found - module_.variables.begin())], 2);
}

VirtualOperand LoweringContext::special(Special reg) {
    if (const auto row = std::ranges::find(kLaunchRows, reg, &std::pair<Special, LaunchRow>::first);
        row != std::end(kLaunchRows)) {
        return launch_row(row->second);
    }
    if (const auto own = std::ranges::find(kMachineRegisters, reg, &std::pair<Special, Machine>::first);
        own != std::end(kMachineRegisters)) {
        return read_special(own->second, isa::type_rows(ptx::type_of(reg)));
    }
    switch (reg) {
        case Special::clock_hi:
            return part(read_special(Machine::clock64, 2), 1);
        case Special::globaltimer_lo:
            return part(read_special(Machine::globaltimer, 2), 0);
        case Special::globaltimer_hi:
            return part(read_special(Machine::globaltimer, 2), 1);
        case Special::total_smem_size:
            return value(Operation::add, isa::Type::u32,
                         {launch_row(LaunchRow::dynamic_shared_bytes), literal(kernel.frame.static_shared_bytes)});
        case Special::grid_workspace_high:
            return part(grid_workspace(), 1);
        case Special::grid_workspace_low:
            return part(grid_workspace(), 0);
        default:
            throw InternalError("a special register that is not lowered");
    }
}

void LoweringContext::append(VirtualInstruction instruction) {
    instruction.machine.line = instruction_->line;
    instruction.origin = kernel.new_origin();
    kernel.blocks[block_].code.push_back(instruction);
}

void LoweringContext::emit(VirtualInstruction instruction) {
    if (instruction_->guard) { instruction.guard = guard(); }
    append(instruction);
}

void LoweringContext::emit_to(const ptx::Operand& destination, VirtualInstruction instruction) {
    const unsigned rows = isa::type_rows(destination.type);
    const bool is_sink = destination.kind == ptx::OperandKind::sink;
    if (!is_sink && destination.kind != ptx::OperandKind::reg) { refuse("the destination must be a register"); }
    const bool extend = !is_sink && rows == 1 && isa::type_rows(function_.registers[destination.reg].type) == 2;
    instruction.set_destination(is_sink || extend ? kernel.new_rows(rows) : place_[destination.reg], rows);
    emit(instruction);
    if (!extend) { return; }
    const bool with_sign = ptx::is_signed(destination.type);
    VirtualInstruction wide = new_instruction(Operation::convert, with_sign ? isa::Type::s64 : isa::Type::u64,
                                              {register_rows(instruction.destination)});
    wide.machine.source_type = with_sign ? isa::Type::s32 : isa::Type::u32;
    wide.set_destination(place_[destination.reg], 2);
    emit(wide);
}

VirtualOperand LoweringContext::emit_temporary(VirtualInstruction instruction, unsigned rows) {
    instruction.set_destination(kernel.new_rows(rows), rows);
    append(instruction);
    return register_rows(instruction.destination, rows);
}

VirtualOperand LoweringContext::value(Operation operation, ptx::Type type,
                                      std::initializer_list<VirtualOperand> sources) {
    return emit_temporary(new_instruction(operation, type, sources), isa::type_rows(type));
}

VirtualOperand LoweringContext::side_by_side(std::span<const ptx::Operand> operands, unsigned operand_rows) {
    const auto rows = static_cast<unsigned>(operand_rows * operands.size());
    const std::uint32_t first = kernel.new_rows(rows);
    std::uint32_t row = first;
    for (const ptx::Operand& operand : operands) {
        const VirtualOperand from = source(operand);
        for (unsigned i = 0; i < operand_rows; ++i) { emit_copy(part(from, i), row++); }
    }
    return register_rows(first, rows);
}

void LoweringContext::emit_to_elements(std::span<const ptx::Operand> elements, std::uint32_t first,
                                       unsigned element_rows) {
    for (std::uint32_t i = 0; i < elements.size(); ++i) {
        if (elements[i].kind == ptx::OperandKind::sink) { continue; }
        emit_to(elements[i], make(Operation::mov, element_rows == 2 ? isa::Type::b64 : isa::Type::b32,
                                  {register_rows(first + i * element_rows, element_rows)}));
    }
}

void LoweringContext::emit_copy(VirtualOperand from, std::uint32_t row) {
    VirtualInstruction copy = new_instruction(Operation::mov, isa::Type::b32, {from});
    copy.set_destination(row);
    append(copy);
}

PredicateUse LoweringContext::emit_temporary_predicate(VirtualInstruction instruction) {
    const std::uint32_t predicate = kernel.new_predicate();
    instruction.destination_predicate[0] = predicate;
    append(instruction);
    return {predicate, false};
}

PredicateUse LoweringContext::test(isa::Comparison comparison, ptx::Type type, VirtualOperand a, VirtualOperand b) {
    VirtualInstruction test = make(Operation::setp, type, {a, b});
    test.machine.comparison = comparison;
    return emit_temporary_predicate(test);
}

std::uint32_t LoweringContext::predicate_destination(const ptx::Operand& destination) {
    if (destination.kind == ptx::OperandKind::sink) { return kernel.new_predicate(); }
    if (destination.kind != ptx::OperandKind::reg) { refuse("the destination must be a predicate register"); }
    return place_[destination.reg];
}

}  // namespace lookahead::finaliser
