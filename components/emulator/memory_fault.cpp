#include "components/emulator/memory_fault.h"

#include <fmt/core.h>

#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "components/isa/memory_access.h"

namespace lookahead {
namespace {

std::string_view name_of(isa::Space space) {
    static constexpr std::string_view kNames[] = {"generic", "global", "shared", "local", "constant", "generic"};
    return kNames[static_cast<std::size_t>(space)];
}

const isa::Instruction& instruction_at(const ExecutionPlace& place) {
    return place.kernel.code[place.pc];
}

/// A phrase such as "load of {} bytes from", with the number to be filled in.
const char* verb_of(isa::Operation operation) {
    if (isa::is_load(operation)) { return "load of {} bytes from {} memory at {:#x}"; }
    if (isa::is_store(operation)) { return "store of {} bytes to {} memory at {:#x}"; }
    return "atomic on {} bytes in {} memory at {:#x}";
}

/// A phrase such as "load of 4 bytes from global memory at 0x10" or "element 3 of a vector load of 4 bytes ...".
std::string describe_access(const ExecutionPlace& place, std::uint64_t address, unsigned element) {
    const isa::Instruction& instruction = instruction_at(place);
    const bool is_vector = isa::is_vector_memory(instruction.operation);
    const unsigned bytes = is_vector ? isa::type_bytes(instruction.type) : isa::lane_bytes(instruction);
    const std::string what =
        fmt::format(fmt::runtime(verb_of(instruction.operation)), bytes, name_of(instruction.space), address);
    return is_vector ? fmt::format("element {} of a vector {}", element, what) : what;
}

std::string describe_lane(const ExecutionPlace& place, unsigned lane) {
    const isa::Dim3& block = place.block;
    const std::uint32_t thread = place.first_thread + lane;
    return fmt::format("lane {}, thread ({}, {}, {})", lane, thread % block.x, thread / block.x % block.y,
                       thread / block.x / block.y);
}

std::string describe_nearest(const ExecutionPlace& place, std::uint64_t address, const Allocator& allocator) {
    const isa::Space space = instruction_at(place).space;
    const bool generic = space == isa::Space::generic;
    if (space == isa::Space::shared || (generic && address - isa::kSharedWindowBase < isa::kSharedWindowBytes)) {
        return "it is beyond the CTA's shared memory";
    }
    if (space == isa::Space::local || (generic && address - isa::kLocalWindowBase < isa::kLocalWindowBytes)) {
        return "it is beyond the thread's local memory";
    }
    const Allocator::Block* const block = allocator.nearest(address);
    if (block == nullptr) { return "nothing is allocated"; }
    return fmt::format("the nearest allocation is [{:#x}, {:#x})", block->address, block->end());
}

}  // namespace

std::string describe(const ExecutionPlace& place) {
    return fmt::format("kernel {}, CTA ({}, {}, {}), {}:{} (PC {:#x})", place.kernel.name, place.ctaid.x, place.ctaid.y,
                       place.ctaid.z, place.kernel.source_file, instruction_at(place).line,
                       place.pc * isa::kInstructionBytes);
}

void throw_illegal_address(const ExecutionPlace& place, unsigned lane, std::uint64_t address,
                           const Allocator& allocator, unsigned element) {
    throw KernelFault(
        KernelFault::Kind::illegal_address,
        fmt::format("{}, {}: illegal address: {}; {}", describe(place), describe_lane(place, lane),
                    describe_access(place, address, element), describe_nearest(place, address, allocator)));
}

void throw_illegal_texture(const ExecutionPlace& place, unsigned lane, std::uint64_t object) {
    throw KernelFault(
        KernelFault::Kind::illegal_address,
        fmt::format("{}, {}: illegal address: {:#x} is not a texture object, or its memory is not allocated",
                    describe(place), describe_lane(place, lane), object));
}

void throw_misaligned_address(const ExecutionPlace& place, unsigned lane, std::uint64_t address, unsigned element) {
    throw KernelFault(KernelFault::Kind::misaligned_address,
                      fmt::format("{}, {}: misaligned address: {}", describe(place), describe_lane(place, lane),
                                  describe_access(place, address, element)));
}

}  // namespace lookahead
