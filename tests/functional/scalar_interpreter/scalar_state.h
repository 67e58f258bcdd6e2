#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "components/isa/dim3.h"
#include "components/isa/lane_mask.h"
#include "tests/functional/scalar_interpreter/scalar_arithmetic.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

/// Internal to the scalar interpreter: its threads and CTAs.
namespace lookahead::test {

using ptx::Type;

inline std::uint64_t truncated(std::uint64_t bits, Type type) {
    const unsigned width = ptx::bits(type);
    return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

inline std::int64_t as_signed(std::uint64_t bits, Type type) {
    const unsigned unused = 64 - ptx::bits(type);
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// A wide integer holds every value of the type.
inline Wide as_integer(std::uint64_t bits, Type type) {
    return ptx::is_signed(type) ? static_cast<Wide>(as_signed(bits, type)) : static_cast<Wide>(truncated(bits, type));
}

/// One call of a function; the kernel's frame is the lowest.
struct ScalarInterpreter::Frame {
    const ptx::Function* function = nullptr;
    std::vector<std::uint64_t> registers;
    std::uint32_t next = 0;                          ///< index of the next instruction
    std::vector<std::vector<std::byte>> parameters;  ///< for a .func
    std::vector<std::vector<std::byte>> results;     ///< likewise
    std::vector<std::vector<std::byte>> variables;   ///< those in .param space, by index
    std::vector<std::uint64_t> local_addresses;      ///< of variables in .local space, by index
    const ptx::Instruction* call = nullptr;          ///< in the frame below
};

struct ScalarInterpreter::Thread {
    isa::Dim3 id;
    std::vector<Frame> frames;
    std::vector<std::byte> local;
    bool carry = false;
    /// The instruction at which it waits for other threads: a barrier, or one that lanes of a warp execute together.
    const ptx::Instruction* waits_at = nullptr;
    bool arrived = false;  ///< its warp has arrived at the barrier
    bool ended = false;

    Frame& top() { return frames.back(); }
    const Frame& top() const { return frames.back(); }

    void enter(const ptx::Function& function) {
        Frame& frame = frames.emplace_back();
        frame.function = &function;
        frame.registers.resize(function.registers.size());
        for (const ptx::Parameter& parameter : function.parameters) { frame.parameters.emplace_back(parameter.size); }
        for (const ptx::Parameter& result : function.return_parameters) { frame.results.emplace_back(result.size); }
        for (const ptx::Variable& variable : function.variables) {
            frame.variables.emplace_back(variable.space == ptx::StateSpace::param ? variable.size() : 0);
            const std::uint64_t alignment = std::max(variable.alignment, 1u);
            const std::uint64_t address = (local.size() + alignment - 1) / alignment * alignment;
            frame.local_addresses.push_back(address);
            if (variable.space == ptx::StateSpace::local) { local.resize(address + variable.size()); }
        }
    }
};

/// A CTA's barrier: threads of warps that have arrived, as if every warp were full.
struct ScalarInterpreter::Barrier {
    std::uint64_t threads = 0;
    std::uint64_t expected = 0;  ///< 0: all that have not ended
    std::uint64_t true_threads = 0;
    std::uint64_t asked_threads = 0;  ///< whose predicates were counted
};

struct ScalarInterpreter::Block {
    const ptx::Function& kernel;
    LaunchConfiguration configuration;
    isa::Dim3 id;
    std::span<const std::byte> parameters;
    std::vector<std::byte> shared;
    std::map<const ptx::Variable*, std::uint64_t> shared_offsets;
    std::array<Barrier, 16> barriers;

    /// Lays out the statically sized variables of the module and every function, then the launch's own bytes.
    void lay_out(const ptx::Module& module) {
        const auto place = [&](const ptx::Variable& variable) {
            if (variable.space != ptx::StateSpace::shared || variable.is_extern) { return; }
            const std::uint64_t alignment = std::max(variable.alignment, 1u);
            const std::uint64_t offset = (shared.size() + alignment - 1) / alignment * alignment;
            shared_offsets[&variable] = offset;
            shared.resize(offset + variable.size());
        };
        for (const ptx::Variable& variable : module.variables) { place(variable); }
        for (const ptx::Function& function : module.functions) {
            for (const ptx::Variable& variable : function.variables) { place(variable); }
        }
        shared.resize((shared.size() + 15) / 16 * 16);
        for (const ptx::Variable& variable : module.variables) {
            if (variable.space == ptx::StateSpace::shared && variable.is_extern) {
                shared_offsets[&variable] = shared.size();
            }
        }
        shared.resize(shared.size() + configuration.dynamic_shared_bytes);
    }
};

}  // namespace lookahead::test
