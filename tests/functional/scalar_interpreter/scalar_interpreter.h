#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "components/device/device.h"
#include "components/frontend/ptx/module.h"

namespace lookahead::test {

/// Runs un-lowered PTX one thread at a time, each until it waits for others or its turn is over: slow and plain, and
/// without warps except for instructions that name lanes. It shares only the parser with the simulator, so it can find
/// faults in the finaliser, the handlers, the emulator and the timing model. Throws InputError for PTX that it does not
/// know, ProgramError for a bad access.
class ScalarInterpreter : public Device {
  public:
    /// A thread's registers, by number, and its carry flag.
    struct Registers {
        std::vector<std::uint64_t> bits;
        bool carry = false;
    };

    explicit ScalarInterpreter(const ptx::Module& module);

    DeviceAddress allocate(std::uint64_t bytes) override;
    void release(DeviceAddress address) override;
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override;
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override;
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override;
    DeviceAddress variable(std::string_view name) const override;
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override;

    /// Executes an instruction of the module's first function, alone, for each set of registers and the carry beside
    /// it.
    void execute_alone(const ptx::Instruction& instruction, std::span<Registers> threads);

    /// PTX instructions executed by all threads so far, those with a false guard included.
    std::uint64_t thread_instructions() const { return thread_instructions_; }

  private:
    struct Frame;
    struct Thread;
    struct Block;
    struct Barrier;

    /// Instructions in a thread's turn: it may be in a loop that waits for another thread's store.
    static constexpr unsigned kTurn = 1000;

    /// Runs a thread until it waits, ends or its turn is over; returns false if it could not run.
    bool run_thread(Block& block, Thread& thread);
    // Lets threads that wait for one another meet (scalar_meetings.cpp). Returns whether some can proceed.
    bool let_threads_meet(Block& block, std::vector<Thread>& threads);
    bool let_lanes_meet(Block& block, std::span<Thread> warp);
    bool let_warp_arrive(Block& block, std::span<Thread> warp);
    bool open_barriers(Block& block, std::vector<Thread>& threads);
    std::uint32_t members_of(const Block& block, const Thread& thread) const;
    void execute_together(const Block& block, std::span<Thread> warp, std::uint32_t lanes);
    void set_result(Thread& thread, std::size_t destination, std::uint64_t bits);
    void execute(Block& block, Thread& thread, const ptx::Instruction& instruction);
    std::uint64_t compute(const Block& block, const Thread& thread, const ptx::Instruction& instruction) const;
    std::uint64_t value(const Block& block, const Thread& thread, const ptx::Operand& operand) const;
    std::uint64_t special(const Block& block, const Thread& thread, ptx::SpecialRegister reg) const;
    void place_variables();
    std::uint64_t with_carry(const Block& block, Thread& thread, const ptx::Instruction& instruction) const;
    bool has_property(const Block& block, const Thread& thread, const ptx::Instruction& instruction) const;
    void call(Thread& thread, const ptx::Instruction& instruction);
    void return_from(Thread& thread);
    std::byte* parameter_memory(Block& block, Thread& thread, const ptx::Instruction& instruction,
                                const ptx::Operand& address, std::size_t bytes);
    std::byte* memory(Block& block, Thread& thread, const ptx::Instruction& instruction, const ptx::Operand& address,
                      std::size_t bytes, std::int64_t displacement = 0);
    std::byte* global(DeviceAddress address, std::size_t bytes);
    std::uint64_t symbol_address(const Block& block, const Thread& thread, const ptx::SymbolReference& symbol) const;
    void load(Block& block, Thread& thread, const ptx::Instruction& instruction);
    void store(Block& block, Thread& thread, const ptx::Instruction& instruction);
    void load_elements(Block& block, Thread& thread, const ptx::Instruction& instruction);
    void store_elements(Block& block, Thread& thread, const ptx::Instruction& instruction);
    std::vector<std::int64_t> element_displacements(const Block& block, const Thread& thread,
                                                    const ptx::Instruction& instruction) const;
    void atomic(Block& block, Thread& thread, const ptx::Instruction& instruction);
    void compare(const Block& block, Thread& thread, const ptx::Instruction& instruction) const;

    const ptx::Module& module_;
    std::map<DeviceAddress, std::vector<std::byte>> allocations_;
    DeviceAddress next_address_ = isa_global_base();
    std::vector<DeviceAddress> variable_addresses_;  ///< of the module's .global and .const variables
    std::uint64_t thread_instructions_ = 0;

    static DeviceAddress isa_global_base();
};

}  // namespace lookahead::test
