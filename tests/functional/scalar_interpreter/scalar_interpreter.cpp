#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "components/isa/address_space.h"
#include "components/isa/lane_mask.h"
#include "core/error/error.h"
#include "tests/functional/scalar_interpreter/scalar_arithmetic.h"
#include "tests/functional/scalar_interpreter/scalar_state.h"

namespace lookahead::test {

namespace {

using ptx::Opcode;

/// Base address of a launch's parameters.
constexpr DeviceAddress kParameters = isa::kConstantBankBase;

[[noreturn]] void refuse(const ptx::Module& module, const ptx::Instruction& instruction) {
    throw InputError(ptx::where(module, instruction) + " is not known to the scalar interpreter");
}

/// The elements of a vector; else the operand itself.
std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::vector ? std::span(operand.elements) : std::span(&operand, 1);
}

}  // namespace

ScalarInterpreter::ScalarInterpreter(const ptx::Module& module) : module_(module) {
    place_variables();
}

void ScalarInterpreter::place_variables() {
    DeviceAddress next[2] = {isa::kModuleBase, isa::kConstantBase};
    for (const ptx::Variable& variable : module_.variables) {
        variable_addresses_.push_back(0);
        const bool constant = variable.space == ptx::StateSpace::constant;
        if (variable.is_extern || (!constant && variable.space != ptx::StateSpace::global)) { continue; }
        const std::uint64_t alignment = std::max(variable.alignment, 1u);
        DeviceAddress& place = next[constant];
        place = (place + alignment - 1) / alignment * alignment;
        variable_addresses_.back() = place;
        allocations_[place].resize(variable.size());
        place += std::max<std::uint64_t>(variable.size(), 1);
    }
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
        const ptx::Variable& variable = module_.variables[i];
        if (variable_addresses_[i] == 0 || !variable.has_initialiser) { continue; }
        std::vector<std::byte>& contents = allocations_[variable_addresses_[i]];
        std::memcpy(contents.data(), variable.initialiser.data(), contents.size());
        for (const ptx::Relocation& relocation : variable.relocations) {
            std::uint64_t address = variable_addresses_.at(relocation.symbol.index);
            address += static_cast<std::uint64_t>(relocation.addend);
            address >>= 8 * relocation.first_byte;
            std::memcpy(contents.data() + relocation.offset, &address, relocation.size);
        }
    }
}

DeviceAddress ScalarInterpreter::isa_global_base() {
    return isa::kGlobalBase;
}

DeviceAddress ScalarInterpreter::allocate(std::uint64_t bytes) {
    const DeviceAddress address = next_address_;
    allocations_[address].resize(bytes);
    next_address_ += (bytes / isa::kAllocationAlignment + 1) * isa::kAllocationAlignment;
    return address;
}

void ScalarInterpreter::release(DeviceAddress address) {
    allocations_.erase(address);
}

std::byte* ScalarInterpreter::global(DeviceAddress address, std::size_t bytes) {
    auto next = allocations_.upper_bound(address);
    if (next != allocations_.begin()) {
        auto& [base, contents] = *std::prev(next);
        if (address - base + bytes <= contents.size()) { return contents.data() + (address - base); }
    }
    throw ProgramError("scalar interpreter: access to unallocated address " + std::to_string(address));
}

void ScalarInterpreter::copy_to_device(DeviceAddress destination, std::span<const std::byte> source) {
    std::ranges::copy(source, global(destination, source.size()));
}

void ScalarInterpreter::copy_from_device(std::span<std::byte> destination, DeviceAddress source) {
    std::copy_n(global(source, destination.size()), destination.size(), destination.begin());
}

void ScalarInterpreter::fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) {
    std::fill_n(global(destination, bytes), bytes, value);
}

DeviceAddress ScalarInterpreter::variable(std::string_view name) const {
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
        if (module_.variables[i].name == name && variable_addresses_[i] != 0) { return variable_addresses_[i]; }
    }
    throw ProgramError("scalar interpreter: no variable " + std::string(name));
}

void ScalarInterpreter::launch(std::string_view name, const LaunchConfiguration& configuration,
                               std::span<const std::byte> parameters) {
    const ptx::Function* kernel = module_.find_kernel(name);
    if (kernel == nullptr) { throw ProgramError("scalar interpreter: no kernel " + std::string(name)); }
    const isa::Dim3& grid = configuration.grid;
    const isa::Dim3& size = configuration.block;
    allocations_[kParameters].assign(parameters.begin(), parameters.end());
    for (std::uint64_t linear = 0; linear < grid.count(); ++linear) {
        Block block{*kernel, configuration, {}, parameters, {}, {}, {}};
        block.id = {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(linear / grid.x % grid.y),
                    static_cast<std::uint32_t>(linear / grid.x / grid.y)};
        block.lay_out(module_);

        std::vector<Thread> threads(size.count());
        for (std::uint32_t t = 0; t < threads.size(); ++t) {
            threads[t].id = {t % size.x, t / size.x % size.y, t / size.x / size.y};
            threads[t].enter(*kernel);
        }
        while (!std::ranges::all_of(threads, &Thread::ended)) {
            bool goes_on = false;
            for (Thread& thread : threads) { goes_on |= run_thread(block, thread); }
            goes_on |= let_threads_meet(block, threads);
            if (!goes_on) { throw ProgramError("scalar interpreter: deadlock in kernel " + std::string(name)); }
        }
    }
}

void ScalarInterpreter::execute_alone(const ptx::Instruction& instruction, std::span<Registers> threads) {
    Block block{module_.functions.front(), {}, {}, {}, {}, {}, {}};
    Thread thread;
    thread.enter(block.kernel);
    for (Registers& registers : threads) {
        thread.carry = registers.carry;
        thread.top().registers.swap(registers.bits);
        execute(block, thread, instruction);
        thread.top().registers.swap(registers.bits);
        registers.carry = thread.carry;
    }
}

bool ScalarInterpreter::run_thread(Block& block, Thread& thread) {
    if (thread.ended || thread.waits_at != nullptr) { return false; }
    for (unsigned i = 0; i < kTurn && !thread.ended && thread.waits_at == nullptr; ++i) {
        Frame& frame = thread.top();
        if (frame.next >= frame.function->instructions.size()) {
            return_from(thread);
            continue;
        }
        const ptx::Instruction& instruction = frame.function->instructions[frame.next++];
        ++thread_instructions_;
        const bool acts =
            !instruction.guard || (frame.registers[instruction.guard->reg] != 0) != instruction.guard->negated;
        if (acts) { execute(block, thread, instruction); }
    }
    return true;
}

void ScalarInterpreter::execute(Block& block, Thread& thread, const ptx::Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::bra:
            thread.top().next = instruction.operands[0].target;
            return;
        case Opcode::brx_idx:
            thread.top().next = instruction.operands[1].targets.at(value(block, thread, instruction.operands[0]));
            return;
        case Opcode::call:
            call(thread, instruction);
            return;
        case Opcode::ret:
            return_from(thread);
            return;
        case Opcode::exit:
            thread.ended = true;
            return;
        case Opcode::prefetch:
        case Opcode::prefetchu:
            return;
        case Opcode::bar:
        case Opcode::barrier:
        case Opcode::bar_warp_sync:
        case Opcode::shfl:
        case Opcode::vote:
        case Opcode::match:
        case Opcode::redux:
            thread.waits_at = &instruction;
            return;
        case Opcode::nanosleep:
            return;
        case Opcode::membar:
        case Opcode::fence:
            return;
        case Opcode::ld:
            load(block, thread, instruction);
            return;
        case Opcode::st:
            store(block, thread, instruction);
            return;
        case Opcode::ld_stride:
        case Opcode::ld_indirect:
            load_elements(block, thread, instruction);
            return;
        case Opcode::st_stride:
        case Opcode::st_indirect:
            store_elements(block, thread, instruction);
            return;
        case Opcode::atom:
        case Opcode::red:
            atomic(block, thread, instruction);
            return;
        case Opcode::setp:
            compare(block, thread, instruction);
            return;
        default:
            break;
    }
    const ptx::Operand& destination = instruction.operands[0];
    if (instruction.opcode == Opcode::mov && destination.kind == ptx::OperandKind::vector) {
        const std::uint64_t bits = value(block, thread, instruction.sources()[0]);
        const unsigned width = ptx::bits(instruction.type()) / static_cast<unsigned>(destination.elements.size());
        for (std::size_t i = 0; i < destination.elements.size(); ++i) {
            if (destination.elements[i].kind == ptx::OperandKind::reg) {
                thread.top().registers[destination.elements[i].reg] = bits << (64 - width * (i + 1)) >> (64 - width);
            }
        }
        return;
    }
    if (destination.kind != ptx::OperandKind::reg) { refuse(module_, instruction); }
    const Type type = thread.top().function->registers[destination.reg].type;
    const bool carries = instruction.modifiers.carry_out || instruction.opcode == Opcode::addc ||
                         instruction.opcode == Opcode::subc || instruction.opcode == Opcode::madc;
    const std::uint64_t result = carries ? with_carry(block, thread, instruction)
                                 : instruction.opcode == Opcode::testp
                                     ? std::uint64_t{has_property(block, thread, instruction)}
                                     : compute(block, thread, instruction);
    thread.top().registers[destination.reg] = truncated(result, type);
}

/// Computes in twice the width; the bit above the result is the carry. A difference is a + ~b + 1, as in nvcc's 128-bit
/// division, which adds the carry of subc.cc with addc: it is set if nothing is borrowed.
std::uint64_t ScalarInterpreter::with_carry(const Block& block, Thread& thread,
                                            const ptx::Instruction& instruction) const {
    const Type type = instruction.type();
    const unsigned width = ptx::bits(type);
    const auto sources = instruction.sources();
    const auto source = [&](std::size_t i) { return value(block, thread, sources[i]); };
    const bool takes =
        instruction.opcode == Opcode::addc || instruction.opcode == Opcode::subc || instruction.opcode == Opcode::madc;
    const Wide in = takes && thread.carry;
    Wide result = 0;
    switch (instruction.opcode) {
        case Opcode::add:
        case Opcode::addc:
            result = Wide{truncated(source(0), type)} + truncated(source(1), type) + in;
            break;
        case Opcode::sub:
        case Opcode::subc:
            result = Wide{truncated(source(0), type)} + truncated(~source(1), type) + (takes ? in : Wide{1});
            break;
        default: {
            const Wide product = as_integer(source(0), type) * as_integer(source(1), type);
            const bool high = instruction.modifiers.mul_mode == ptx::MulMode::hi;
            const auto part = static_cast<std::uint64_t>(high ? product >> width : product);
            result = Wide{truncated(part, type)} + truncated(source(2), type) + in;
        }
    }
    if (instruction.modifiers.carry_out) { thread.carry = (result >> width & 1) != 0; }
    return static_cast<std::uint64_t>(result);
}

bool ScalarInterpreter::has_property(const Block& block, const Thread& thread,
                                     const ptx::Instruction& instruction) const {
    const std::uint64_t bits = value(block, thread, instruction.sources()[0]);
    const int category = instruction.type() == Type::f64 ? std::fpclassify(std::bit_cast<double>(bits))
                                                         : std::fpclassify(as_float(bits));
    switch (instruction.modifiers.property) {
        case ptx::FloatProperty::finite:
            return category != FP_INFINITE && category != FP_NAN;
        case ptx::FloatProperty::infinite:
            return category == FP_INFINITE;
        case ptx::FloatProperty::number:
            return category != FP_NAN;
        case ptx::FloatProperty::notanumber:
            return category == FP_NAN;
        case ptx::FloatProperty::normal:
            return category == FP_NORMAL || category == FP_ZERO;
        default:
            return category == FP_SUBNORMAL;
    }
}

std::uint64_t ScalarInterpreter::compute(const Block& block, const Thread& thread,
                                         const ptx::Instruction& instruction) const {
    const auto sources = instruction.sources();
    const ptx::Modifiers& modifiers = instruction.modifiers;
    const Type type = instruction.type();
    const auto source = [&](std::size_t i) { return value(block, thread, sources[i]); };
    const unsigned width = ptx::bits(type);
    switch (instruction.opcode) {
        case Opcode::mov: {
            if (sources[0].kind != ptx::OperandKind::vector) { return source(0); }
            const std::size_t parts = sources[0].elements.size();
            std::uint64_t packed = 0;
            for (std::size_t i = parts; i-- > 0;) {
                const unsigned part = width / static_cast<unsigned>(parts);
                packed =
                    packed << part | (value(block, thread, sources[0].elements[i]) & ((std::uint64_t{1} << part) - 1));
            }
            return packed;
        }
        case Opcode::cvta: {
            const std::uint64_t window = modifiers.space == ptx::StateSpace::shared  ? isa::kSharedWindowBase
                                         : modifiers.space == ptx::StateSpace::local ? isa::kLocalWindowBase
                                                                                     : 0;
            return modifiers.to ? source(0) - window : source(0) + window;
        }
        case Opcode::selp:
            return source(2) != 0 ? source(0) : source(1);
        case Opcode::and_:
            return source(0) & source(1);
        case Opcode::or_:
            return source(0) | source(1);
        case Opcode::xor_:
            return source(0) ^ source(1);
        case Opcode::not_:
            return type == Type::pred ? source(0) == 0 : ~source(0);
        case Opcode::shl: {
            const std::uint64_t amount = truncated(source(1), Type::u32);
            return amount >= width ? 0 : source(0) << amount;
        }
        case Opcode::shr: {
            const auto amount = static_cast<unsigned>(std::min<std::uint64_t>(truncated(source(1), Type::u32), width));
            return static_cast<std::uint64_t>(as_integer(source(0), type) >> amount);
        }
        default:
            break;
    }
    Sources values{};
    for (std::size_t i = 0; i < std::min(sources.size(), values.size()); ++i) { values[i] = source(i); }
    if (const auto result = bitwise_result(instruction, values)) { return *result; }
    if (const auto result = floating_result(instruction, values)) { return *result; }
    if (ptx::is_floating(type) || modifiers.ftz || modifiers.saturate) { refuse(module_, instruction); }

    const auto integer = [&](std::size_t i) { return as_integer(source(i), type); };
    switch (instruction.opcode) {
        case Opcode::add:
            return static_cast<std::uint64_t>(integer(0) + integer(1));
        case Opcode::sub:
            return static_cast<std::uint64_t>(integer(0) - integer(1));
        case Opcode::neg:
            return static_cast<std::uint64_t>(-integer(0));
        case Opcode::abs:
            return static_cast<std::uint64_t>(integer(0) < 0 ? -integer(0) : integer(0));
        case Opcode::min:
            return static_cast<std::uint64_t>(std::min(integer(0), integer(1)));
        case Opcode::max:
            return static_cast<std::uint64_t>(std::max(integer(0), integer(1)));
        case Opcode::mul:
        case Opcode::mad: {
            const Wide product = integer(0) * integer(1);
            const Wide part = modifiers.mul_mode == ptx::MulMode::hi ? product >> width : product;
            const bool wide = modifiers.mul_mode == ptx::MulMode::wide;
            const Type sum_type = wide ? ptx::with_bits(type, width * 2) : type;
            const Wide addend = instruction.opcode == Opcode::mad ? as_integer(source(2), sum_type) : 0;
            return static_cast<std::uint64_t>(part + addend);
        }
        case Opcode::sad: {
            const Wide distance = integer(0) < integer(1) ? integer(1) - integer(0) : integer(0) - integer(1);
            return static_cast<std::uint64_t>(integer(2) + distance);
        }
        case Opcode::shf: {
            const std::uint64_t pair = truncated(source(1), Type::u32) << 32 | truncated(source(0), Type::u32);
            const std::uint64_t given = truncated(source(2), Type::u32);
            const std::uint64_t amount =
                modifiers.overflow == ptx::ShiftOverflow::wrap ? given % 32 : std::min<std::uint64_t>(given, 32);
            return modifiers.direction == ptx::ShiftDirection::left ? pair << amount >> 32 : pair >> amount;
        }
        case Opcode::prmt: {
            const std::uint64_t pair = truncated(source(1), Type::u32) << 32 | truncated(source(0), Type::u32);
            std::uint64_t result = 0;
            for (unsigned byte = 0; byte < 4; ++byte) {
                const std::uint64_t selector = source(2) >> (4 * byte) & 15;
                const std::uint64_t chosen = pair >> (8 * (selector & 7)) & 0xff;
                const std::uint64_t sign = (chosen >> 7) != 0 ? 0xff : 0;
                result |= (selector & 8 ? sign : chosen) << (8 * byte);
            }
            return result;
        }
        case Opcode::lop3: {
            std::uint64_t result = 0;
            for (unsigned bit = 0; bit < 32; ++bit) {
                const std::uint64_t row =
                    (source(0) >> bit & 1) << 2 | (source(1) >> bit & 1) << 1 | (source(2) >> bit & 1);
                result |= (source(3) >> row & 1) << bit;
            }
            return result;
        }
        case Opcode::popc:
            return static_cast<std::uint64_t>(std::popcount(truncated(source(0), type)));
        case Opcode::dp2a: {
            Wide sum = integer(2);
            for (unsigned i = 0; i < 2; ++i) {
                const unsigned byte = i + (modifiers.upper_half ? 2 : 0);
                sum += as_integer(source(0) >> (16 * i), ptx::is_signed(modifiers.types[0]) ? Type::s16 : Type::u16) *
                       as_integer(source(1) >> (8 * byte), ptx::is_signed(modifiers.types[1]) ? Type::s8 : Type::u8);
            }
            return static_cast<std::uint64_t>(sum);
        }
        case Opcode::dp4a: {
            Wide sum = integer(2);
            for (unsigned byte = 0; byte < 4; ++byte) {
                const auto part = [&](std::size_t i, Type of) {
                    return as_integer(source(i) >> (8 * byte), ptx::is_signed(of) ? Type::s8 : Type::u8);
                };
                sum += part(0, modifiers.types[0]) * part(1, modifiers.types[1]);
            }
            return static_cast<std::uint64_t>(sum);
        }
        case Opcode::mul24:
        case Opcode::mad24: {
            const auto low = [&](std::size_t i) {
                const std::uint64_t bits = source(i) & 0xffffff;
                return ptx::is_signed(type) && (bits >> 23) != 0 ? Wide{bits} - (Wide{1} << 24) : Wide{bits};
            };
            const Wide product = low(0) * low(1);
            const Wide part = modifiers.mul_mode == ptx::MulMode::hi ? product >> 16 : product;
            return static_cast<std::uint64_t>(part + (instruction.opcode == Opcode::mad24 ? integer(2) : 0));
        }
        case Opcode::div:
            return static_cast<std::uint64_t>(integer(1) == 0 ? -1 : integer(0) / integer(1));
        case Opcode::rem:
            return static_cast<std::uint64_t>(integer(1) == 0 ? integer(0) : integer(0) % integer(1));
        default:
            refuse(module_, instruction);
    }
}

void ScalarInterpreter::compare(const Block& block, Thread& thread, const ptx::Instruction& instruction) const {
    const auto sources = instruction.sources();
    const auto operand = [&](std::size_t i) {
        const std::uint64_t bits = value(block, thread, sources[i]);
        return instruction.modifiers.ftz && instruction.type() == Type::f32 ? flushed(bits) : bits;
    };
    const bool holds = comparison_holds(instruction.modifiers.comparison, instruction.type(), operand(0), operand(1));
    const std::uint64_t other = sources.size() > 2 ? value(block, thread, sources[2]) : 0;
    const bool results[] = {combined(instruction.modifiers, holds, other),
                            combined(instruction.modifiers, !holds, other)};
    for (std::size_t i = 0; i < instruction.destinations().size(); ++i) {
        if (instruction.operands[i].kind == ptx::OperandKind::reg) {
            thread.top().registers[instruction.operands[i].reg] = results[i];
        }
    }
}

std::uint64_t ScalarInterpreter::value(const Block& block, const Thread& thread, const ptx::Operand& operand) const {
    switch (operand.kind) {
        case ptx::OperandKind::reg: {
            const std::uint64_t bits = thread.top().registers[operand.reg];
            return operand.negated ? bits == 0 : bits;
        }
        case ptx::OperandKind::immediate:
            return operand.value;
        case ptx::OperandKind::special:
            return special(block, thread, operand.special);
        case ptx::OperandKind::symbol:
            return symbol_address(block, thread, operand.symbol) + operand.value;
        default:
            throw InputError("scalar interpreter: an operand of a kind that it does not know");
    }
}

std::uint64_t ScalarInterpreter::symbol_address(const Block& block, const Thread& thread,
                                                const ptx::SymbolReference& symbol) const {
    const bool in_module = symbol.kind == ptx::SymbolKind::module_variable;
    if (in_module || symbol.kind == ptx::SymbolKind::function_variable) {
        const auto& variables = in_module ? module_.variables : thread.top().function->variables;
        const ptx::Variable& variable = variables[symbol.index];
        if (variable.space == ptx::StateSpace::shared) { return block.shared_offsets.at(&variable); }
        if (variable.space == ptx::StateSpace::local) { return thread.top().local_addresses[symbol.index]; }
        if (in_module && variable_addresses_[symbol.index] != 0) { return variable_addresses_[symbol.index]; }
    }
    if (symbol.kind == ptx::SymbolKind::parameter && thread.frames.size() == 1) {
        return kParameters + block.kernel.parameters[symbol.index].offset;
    }
    throw InputError("scalar interpreter: the address of a symbol that has none");
}

/// Values pass through the callee's parameters: by .param variables byte for byte, by registers as numbers.
void ScalarInterpreter::call(Thread& thread, const ptx::Instruction& instruction) {
    const ptx::Operand& callee = instruction.sources()[0];
    if (callee.kind != ptx::OperandKind::symbol || !module_.functions[callee.symbol.index].is_defined) {
        refuse(module_, instruction);
    }
    const ptx::Function& function = module_.functions[callee.symbol.index];
    Frame entered;
    if (instruction.sources().size() > 1) {
        const auto& arguments = instruction.sources()[1].elements;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            std::vector<std::byte>& bytes = entered.parameters.emplace_back(function.parameters[i].size);
            if (arguments[i].kind == ptx::OperandKind::symbol) {
                bytes = thread.top().variables[arguments[i].symbol.index];
            } else {
                const std::uint64_t bits = arguments[i].kind == ptx::OperandKind::reg
                                               ? thread.top().registers[arguments[i].reg]
                                               : arguments[i].value;
                std::memcpy(bytes.data(), &bits, bytes.size());
            }
        }
    }
    thread.enter(function);
    Frame& frame = thread.top();
    frame.call = &instruction;
    if (!entered.parameters.empty()) { frame.parameters = std::move(entered.parameters); }
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (function.parameters[i].in_register) {
            std::memcpy(&frame.registers[function.parameters[i].reg], frame.parameters[i].data(),
                        frame.parameters[i].size());
        }
    }
}

void ScalarInterpreter::return_from(Thread& thread) {
    if (thread.frames.size() == 1) {
        thread.ended = true;
        return;
    }
    Frame left = std::move(thread.top());
    thread.frames.pop_back();
    if (left.call->destination_count == 0) { return; }
    const auto& results = left.call->operands[0].elements;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const ptx::Parameter& result = left.function->return_parameters[i];
        if (result.in_register) { std::memcpy(left.results[i].data(), &left.registers[result.reg], result.size); }
        if (results[i].kind == ptx::OperandKind::symbol) {
            thread.top().variables[results[i].symbol.index] = left.results[i];
        } else if (results[i].kind == ptx::OperandKind::reg) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, left.results[i].data(), result.size);
            thread.top().registers[results[i].reg] = bits;
        }
    }
}

std::uint64_t ScalarInterpreter::special(const Block& block, const Thread& thread, ptx::SpecialRegister reg) const {
    using ptx::SpecialRegister;
    const isa::Dim3& size = block.configuration.block;
    const std::uint32_t linear = thread.id.x + size.x * (thread.id.y + size.y * thread.id.z);
    const isa::Dim3& grid = block.configuration.grid;
    const std::uint32_t lane = linear % isa::kWarpSize;
    const std::uint64_t lower = (std::uint64_t{1} << lane) - 1, up_to_it = (std::uint64_t{2} << lane) - 1;
    const std::pair<SpecialRegister, std::uint64_t> values[] = {
        {SpecialRegister::tid_x, thread.id.x},
        {SpecialRegister::tid_y, thread.id.y},
        {SpecialRegister::tid_z, thread.id.z},
        {SpecialRegister::ntid_x, size.x},
        {SpecialRegister::ntid_y, size.y},
        {SpecialRegister::ntid_z, size.z},
        {SpecialRegister::ctaid_x, block.id.x},
        {SpecialRegister::ctaid_y, block.id.y},
        {SpecialRegister::ctaid_z, block.id.z},
        {SpecialRegister::nctaid_x, grid.x},
        {SpecialRegister::nctaid_y, grid.y},
        {SpecialRegister::nctaid_z, grid.z},
        {SpecialRegister::laneid, lane},
        {SpecialRegister::dynamic_smem_size, block.configuration.dynamic_shared_bytes},
        {SpecialRegister::lanemask_eq, up_to_it - lower},
        {SpecialRegister::lanemask_lt, lower},
        {SpecialRegister::lanemask_le, up_to_it},
        {SpecialRegister::lanemask_ge, isa::kFullMask & ~lower},
        {SpecialRegister::lanemask_gt, isa::kFullMask & ~up_to_it},
    };
    for (const auto& [known, bits] : values) {
        if (known == reg) { return bits; }
    }
    throw InputError("scalar interpreter: special register " + std::string(ptx::name_of(reg)));
}

std::byte* ScalarInterpreter::parameter_memory(Block& block, Thread& thread, const ptx::Instruction& instruction,
                                               const ptx::Operand& address, std::size_t bytes) {
    Frame& frame = thread.top();
    const std::uint32_t index = address.symbol.index;
    std::vector<std::byte>* contents = nullptr;
    switch (address.symbol.kind) {
        case ptx::SymbolKind::parameter:
            if (thread.frames.size() == 1) {
                return const_cast<std::byte*>(block.parameters.data()) + block.kernel.parameters[index].offset +
                       address.value;
            }
            contents = &frame.parameters[index];
            break;
        case ptx::SymbolKind::return_parameter:
            contents = &frame.results[index];
            break;
        case ptx::SymbolKind::function_variable:
            contents = &frame.variables[index];
            break;
        default:
            refuse(module_, instruction);
    }
    if (address.value + bytes > contents->size()) {
        throw ProgramError(ptx::where(module_, instruction) + ": outside the parameter");
    }
    return contents->data() + address.value;
}

std::byte* ScalarInterpreter::memory(Block& block, Thread& thread, const ptx::Instruction& instruction,
                                     const ptx::Operand& address, std::size_t bytes, std::int64_t displacement) {
    ptx::StateSpace space = instruction.modifiers.space;
    if (space == ptx::StateSpace::param && !address.has_base) {
        return parameter_memory(block, thread, instruction, address, bytes);
    }
    std::uint64_t place = address.value + static_cast<std::uint64_t>(displacement);
    if (address.has_base) {
        place += thread.top().registers[address.reg];
        if (space == ptx::StateSpace::constant && ptx::bytes(address.type) == 4) { place += isa::kConstantBase; }
    } else if (address.symbol.kind != ptx::SymbolKind::none) {
        place += symbol_address(block, thread, address.symbol);
    }
    if (space == ptx::StateSpace::generic && place - isa::kSharedWindowBase < isa::kSharedWindowBytes) {
        space = ptx::StateSpace::shared;
        place -= isa::kSharedWindowBase;
    } else if (space == ptx::StateSpace::generic && place - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
        space = ptx::StateSpace::local;
        place -= isa::kLocalWindowBase;
    }
    switch (space) {
        case ptx::StateSpace::shared:
        case ptx::StateSpace::local: {
            std::vector<std::byte>& contents = space == ptx::StateSpace::shared ? block.shared : thread.local;
            place = truncated(place, Type::u32);
            if (place + bytes > contents.size()) {
                throw ProgramError(ptx::where(module_, instruction) + ": outside shared or local memory");
            }
            return contents.data() + place;
        }
        case ptx::StateSpace::generic:
        case ptx::StateSpace::constant:
        case ptx::StateSpace::global:
        case ptx::StateSpace::param:
            return global(place, bytes);
        default:
            refuse(module_, instruction);
    }
}

void ScalarInterpreter::load(Block& block, Thread& thread, const ptx::Instruction& instruction) {
    const ptx::Operand& address = instruction.sources()[0];
    const Type type = instruction.type();
    const std::size_t size = ptx::bytes(type);
    const std::byte* from = memory(block, thread, instruction, address, size * instruction.modifiers.vector_width);
    for (const ptx::Operand& to : elements_of(instruction.operands[0])) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, from, size);
        from += size;
        if (to.kind != ptx::OperandKind::reg) { continue; }
        const std::uint64_t extended = static_cast<std::uint64_t>(as_integer(bits, type));
        thread.top().registers[to.reg] = truncated(extended, thread.top().function->registers[to.reg].type);
    }
}

void ScalarInterpreter::store(Block& block, Thread& thread, const ptx::Instruction& instruction) {
    const auto sources = instruction.sources();
    const std::size_t size = ptx::bytes(instruction.type());
    std::byte* to = memory(block, thread, instruction, sources[0], size * instruction.modifiers.vector_width);
    for (const ptx::Operand& from : elements_of(sources[1])) {
        const std::uint64_t bits = value(block, thread, from);
        std::memcpy(to, &bits, size);
        to += size;
    }
}

/// Bytes from the address to each element. The operand after the address is a stride, or a list of indices, in words.
std::vector<std::int64_t> ScalarInterpreter::element_displacements(const Block& block, const Thread& thread,
                                                                   const ptx::Instruction& instruction) const {
    const ptx::Operand& pattern = instruction.sources()[1];
    const auto words = [&](const ptx::Operand& operand) {
        return std::int64_t{static_cast<std::int32_t>(value(block, thread, operand))};
    };
    std::vector<std::int64_t> displacements;
    std::int64_t along = 0;
    for (unsigned k = 0; k < instruction.modifiers.vector_width; ++k) {
        const bool listed = pattern.kind == ptx::OperandKind::vector;
        displacements.push_back(4 * (listed ? words(pattern.elements[k]) : along));
        if (!listed) { along += words(pattern); }
    }
    return displacements;
}

void ScalarInterpreter::load_elements(Block& block, Thread& thread, const ptx::Instruction& instruction) {
    std::vector<std::uint32_t> loaded;
    for (const std::int64_t displacement : element_displacements(block, thread, instruction)) {
        std::uint32_t& word = loaded.emplace_back();
        std::memcpy(&word, memory(block, thread, instruction, instruction.sources()[0], 4, displacement), 4);
    }
    const std::vector<ptx::Operand>& to = instruction.operands[0].elements;
    for (std::size_t k = 0; k < to.size(); ++k) {
        if (to[k].kind == ptx::OperandKind::reg) { thread.top().registers[to[k].reg] = loaded[k]; }
    }
}

void ScalarInterpreter::store_elements(Block& block, Thread& thread, const ptx::Instruction& instruction) {
    const std::vector<ptx::Operand>& from = instruction.sources()[2].elements;
    const std::vector<std::int64_t> displacements = element_displacements(block, thread, instruction);
    for (std::size_t k = 0; k < from.size(); ++k) {
        const auto word = static_cast<std::uint32_t>(value(block, thread, from[k]));
        std::memcpy(memory(block, thread, instruction, instruction.sources()[0], 4, displacements[k]), &word, 4);
    }
}

namespace {

/// PTX ISA, "atom": additions of f32 in global memory flush subnormals, those in shared memory do not.
std::uint64_t floating_sum(Type type, std::uint64_t a, std::uint64_t b, bool in_shared_memory) {
    if (type == Type::f64) { return double_bits(as_double(a, type) + as_double(b, type)); }
    if (type != Type::f32) { return half_sum(type, a, b); }
    const bool flushes = !in_shared_memory;
    const auto in = [&](std::uint64_t bits) { return as_float(flushes ? flushed(bits) : bits); };
    const std::uint64_t sum = float_bits(in(a) + in(b));
    return flushes ? flushed(sum) : sum;
}

}  // namespace

void ScalarInterpreter::atomic(Block& block, Thread& thread, const ptx::Instruction& instruction) {
    using ptx::AtomicOperation;
    const auto sources = instruction.sources();
    const Type type = instruction.type();
    const std::size_t size = ptx::bytes(type);
    std::byte* place = memory(block, thread, instruction, sources[0], size);
    std::uint64_t old = 0;
    std::memcpy(&old, place, size);
    const std::uint64_t operand = value(block, thread, sources[1]);
    const Wide a = as_integer(old, type), b = as_integer(operand, type);
    const AtomicOperation operation = instruction.modifiers.atomic;
    std::uint64_t result = 0;
    if (operation == AtomicOperation::exch) {
        result = operand;
    } else if (operation == AtomicOperation::inc) {
        result = a >= b ? 0 : old + 1;
    } else if (operation == AtomicOperation::dec) {
        result = (a == 0 || a > b) ? operand : old - 1;
    } else if (operation == AtomicOperation::cas) {
        result = a == b ? value(block, thread, sources[2]) : old;
    } else if (operation == AtomicOperation::add && ptx::is_floating(type)) {
        const auto begin = reinterpret_cast<std::uintptr_t>(block.shared.data());
        const bool in_shared_memory = reinterpret_cast<std::uintptr_t>(place) - begin < block.shared.size();
        result = floating_sum(type, old, operand, in_shared_memory);
    } else if (const auto integer = reduced(operation, a, b)) {
        result = static_cast<std::uint64_t>(*integer);
    } else {
        refuse(module_, instruction);
    }
    std::memcpy(place, &result, size);
    if (instruction.destination_count == 1 && instruction.operands[0].kind == ptx::OperandKind::reg) {
        thread.top().registers[instruction.operands[0].reg] = truncated(old, type);
    }
}

}  // namespace lookahead::test
