#include "components/isa/launch.h"

#include <algorithm>
#include <cstring>

#include "components/isa/address_space.h"
#include "core/bits/one_of.h"
#include "core/error/error.h"

namespace lookahead::isa {
namespace {

void set_row(Row& row, std::uint32_t value) {
    std::fill(std::begin(row.lanes), std::end(row.lanes), value);
}

/// The least number of bytes that a caller must give: up to the end of the last parameter.
std::uint64_t needed_parameter_bytes(const KernelFrame& kernel) {
    std::uint64_t needed = 0;
    for (std::size_t i = 0; i < kernel.parameter_offsets.size(); ++i) {
        needed = std::max(needed, std::uint64_t{kernel.parameter_offsets[i]} + kernel.parameter_sizes.at(i));
    }
    return needed;
}

std::string text_of(const Dim3& dim) {
    return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

/// tid.x, .y or .z of 32 consecutive threads, counted up from the first: one division, not 32.
void read_thread_index(SpecialRegister special, const WarpIdentity& warp, std::uint32_t* row) {
    std::uint32_t x = warp.first_thread % warp.block.x;
    std::uint32_t y = warp.first_thread / warp.block.x % warp.block.y;
    std::uint32_t z = warp.first_thread / warp.block.x / warp.block.y;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        row[lane] = special == SpecialRegister::tid_x ? x : special == SpecialRegister::tid_y ? y : z;
        if (++x < warp.block.x) { continue; }
        x = 0;
        if (++y < warp.block.y) { continue; }
        y = 0;
        ++z;
    }
}

LaneMask lanemask(SpecialRegister special, unsigned lane) {
    const LaneMask equal = LaneMask{1} << lane;
    const LaneMask below = equal - 1;
    switch (special) {
        case SpecialRegister::lanemask_eq:
            return equal;
        case SpecialRegister::lanemask_le:
            return below | equal;
        case SpecialRegister::lanemask_lt:
            return below;
        case SpecialRegister::lanemask_ge:
            return ~below;
        default:
            return ~(below | equal);
    }
}

/// Special registers that are the same in all lanes.
std::uint64_t uniform_value(SpecialRegister special, const WarpIdentity& warp) {
    switch (special) {
        case SpecialRegister::ctaid_x:
            return warp.ctaid.x;
        case SpecialRegister::ctaid_y:
            return warp.ctaid.y;
        case SpecialRegister::ctaid_z:
            return warp.ctaid.z;
        case SpecialRegister::warpid:
            return warp.warp_slot;
        case SpecialRegister::nwarpid:
            return warp.warp_slots;
        case SpecialRegister::smid:
            return warp.sm;
        case SpecialRegister::nsmid:
            return warp.sms;
        case SpecialRegister::clock:
        case SpecialRegister::clock64:
            return warp.clock;
        case SpecialRegister::globaltimer:
            return warp.nanoseconds;
        case SpecialRegister::gridid:
            return warp.launch;
        default:
            LOOKAHEAD_ASSERT(false, "special register without a value");
            return 0;
    }
}

/// The low word of such a parameter must determine the whole value, because kernels keep only that word: the value is
/// an address within reach, or a number of 32 bits extended by zeros or by its sign. Throws ProgramError otherwise.
void check_pointer_parameters(const KernelFrame& kernel, std::span<const std::byte> parameters) {
    for (const std::uint32_t offset : kernel.pointer_parameters) {
        std::uint64_t value = 0;
        if (offset + sizeof value > parameters.size()) { continue; }
        std::memcpy(&value, parameters.data() + offset, sizeof value);
        const std::uint64_t high = value >> 32;
        if (value - kGlobalBase < kPointerReach || high == 0 || high == 0xffffffffU) { continue; }
        throw ProgramError(
            "launch of {}: the parameter at byte {} is {}, and 32-bit addresses (isa.pointers = 32) reach {} bytes "
            "from {} on",
            kernel.name, offset, value, kPointerReach, kGlobalBase);
    }
}

}  // namespace

std::vector<Row> make_constant_rows(const KernelFrame& kernel, const Dim3& grid, const Dim3& block,
                                    std::uint32_t dynamic_shared_bytes, std::span<const std::byte> parameters) {
    if (parameters.size() < needed_parameter_bytes(kernel) || parameters.size() > kernel.parameter_rows() * 4) {
        throw ProgramError("launch of {} passes {} bytes of parameters; the kernel takes {}", kernel.name,
                           parameters.size(), kernel.parameter_bytes);
    }
    check_pointer_parameters(kernel, parameters);
    std::vector<Row> rows(kernel.constant_rows());
    // In the order of LaunchRow.
    const std::uint32_t first[kFirstParameterRow] = {
        block.x, block.y, block.z, grid.x, grid.y, grid.z, dynamic_shared_bytes, 0};
    for (std::uint16_t i = 0; i < kFirstParameterRow; ++i) { set_row(rows[i], first[i]); }
    for (std::uint32_t i = 0; i < kernel.parameter_rows(); ++i) {
        std::uint32_t word = 0;
        if (i * 4 < parameters.size()) {
            std::memcpy(&word, parameters.data() + i * 4, std::min<std::size_t>(4, parameters.size() - i * 4));
        }
        set_row(rows[kFirstParameterRow + i], word);
    }
    for (std::size_t i = 0; i < kernel.literals.size(); ++i) {
        set_row(rows[kernel.first_literal_row() + i], kernel.literals[i]);
    }
    return rows;
}

void check_launch(const KernelFrame& kernel, const Dim3& grid, const Dim3& block) {
    if (!kernel.refusal.empty()) { throw InputError(kernel.refusal); }
    const auto refuse = [&kernel](const std::string& what) {
        throw ProgramError("launch of {}: {}", kernel.name, what);
    };
    const std::uint64_t threads = block.count();
    if (threads == 0 || grid.count() == 0) {
        refuse(fmt::format("grid {} of blocks {} is empty", text_of(grid), text_of(block)));
    }
    // CUDA C++ Programming Guide, table of technical specifications per compute capability.
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024) {
        refuse(fmt::format("block {} exceeds 1024 threads or (1024, 1024, 64)", text_of(block)));
    }
    if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
        refuse(fmt::format("grid {} exceeds (2147483647, 65535, 65535)", text_of(grid)));
    }
    if (kernel.max_threads_per_cta != 0 && threads > kernel.max_threads_per_cta) {
        refuse(fmt::format("block of {} threads exceeds the kernel's .maxntid of {}", threads,
                           kernel.max_threads_per_cta));
    }
}

void read_special(SpecialRegister special, const WarpIdentity& warp, std::uint32_t* low, std::uint32_t* high) {
    using enum SpecialRegister;
    if (is_one_of(special, tid_x, tid_y, tid_z)) { return read_thread_index(special, warp, low); }
    const bool is_mask = is_one_of(special, lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt);
    if (is_mask || special == laneid) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) { low[lane] = is_mask ? lanemask(special, lane) : lane; }
        return;
    }
    const std::uint64_t value = uniform_value(special, warp);
    std::fill(low, low + kWarpSize, static_cast<std::uint32_t>(value));
    if (is_one_of(special, clock64, globaltimer, gridid)) {
        std::fill(high, high + kWarpSize, static_cast<std::uint32_t>(value >> 32));
    }
}

}  // namespace lookahead::isa
