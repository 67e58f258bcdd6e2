#include "experiments/trace/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "components/frontend/native/decode.h"
#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "components/isa/launch.h"
#include "components/isa/memory_access.h"
#include "core/error/error.h"

namespace lookahead {
namespace {

/// The registers that an instruction's text names, "R4" or "RZ", in their order.
std::vector<std::string> registers_in(std::string_view text) {
    std::vector<std::string> registers;
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t begin = 0; begin < text.size();) {
        if (!is_word(text[begin])) {
            ++begin;
            continue;
        }
        const std::size_t end =
            std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_word) - text.begin();
        const std::string_view word = text.substr(begin, end - begin);
        const bool is_number =
            word.size() > 1 && std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (word == "RZ") { registers.emplace_back("R255"); }
        if (word[0] == 'R' && is_number) { registers.emplace_back(word); }
        begin = end;
    }
    return registers;
}

/// "2 R4 R5 ".
std::string with_count(const std::vector<std::string>& registers) {
    return fmt::format("{} {}{}", registers.size(), fmt::join(registers, " "), registers.empty() ? "" : " ");
}

bool is_traced_access(const isa::Instruction& instruction) {
    return isa::is_memory(instruction.operation) && instruction.space != isa::Space::constant;
}

}  // namespace

TraceRecorder::TraceRecorder(std::string folder, const native::Cubin& cubin, const isa::KernelTable& kernels)
    : folder_(std::move(folder)), cubin_(cubin), kernels_(kernels), statics_(kernels.size()) {}

/// By machine instruction, what the native one that it is part of has in a trace.
std::vector<TraceRecorder::Static> TraceRecorder::statics_of(std::uint32_t number) const {
    const isa::Kernel& kernel = kernels_[number];
    std::vector<Static> all(kernel.code.size());
    for (std::size_t i = 0; i < kernel.entries.size(); ++i) {
        const std::uint32_t begin = kernel.entries[i];
        const std::uint32_t end = i + 1 < kernel.entries.size() ? kernel.entries[i + 1] : kernel.own_size();
        // A native instruction has one line: at its access to memory, or at its first part.
        const auto access = std::find_if(kernel.code.begin() + begin, kernel.code.begin() + end, is_traced_access);
        const bool accesses = access != kernel.code.begin() + end;
        Static& to = all[accesses ? static_cast<std::size_t>(access - kernel.code.begin()) : begin];
        to.begins = true;
        to.address = i * isa::kNativeInstructionBytes;
        const native::Instruction instruction = native::decode(cubin_.kernels[number].code[i], cubin_.architecture);
        std::string text = native::text_of(instruction, to.address);
        if (text.starts_with('@')) { text.erase(0, text.find(' ') + 1); }
        const std::size_t name_ends = std::min(text.find(' '), text.size());
        std::string opcode = text.substr(0, name_ends);
        if (accesses) {
            const auto parts = std::count_if(access, kernel.code.begin() + end, is_traced_access);
            to.width =
                isa::lane_bytes(*access) * (access->space == isa::Space::local ? static_cast<unsigned>(parts) : 1);
            if (instruction.has_wide_address()) { opcode.insert(std::min(opcode.find('.'), opcode.size()), ".E"); }
        }
        std::vector<std::string> sources = registers_in(text.substr(name_ends));
        std::vector<std::string> destinations;
        const bool writes =
            std::any_of(kernel.code.begin() + begin, kernel.code.begin() + end, [&](const isa::Instruction& part) {
                return part.destination_rows != 0 && part.destination < kernel.allocated_registers;
            });
        if (writes && !sources.empty()) {
            destinations = {sources.front()};
            sources.erase(sources.begin());
        }
        to.words = fmt::format("{}{} {}", with_count(destinations), opcode, with_count(sources));
    }
    return all;
}

void TraceRecorder::executing(const ExecutionPlace& place, isa::LaneMask active, const std::uint32_t* registers,
                              const isa::LaneMask*) {
    const Static& of = statics_[kernel_][place.pc];
    if (!of.begins) { return; }
    const isa::Dim3& ctaid = place.ctaid;
    Warp& warp =
        warps_[{(std::uint64_t{ctaid.z} * grid_.y + ctaid.y) * grid_.x + ctaid.x, place.first_thread / isa::kWarpSize}];
    ++warp.instructions;
    fmt::format_to(std::back_inserter(warp.lines), "{:04x} {:08x} {}{} ", of.address, active, of.words, of.width);
    if (of.width != 0 && active != 0) {
        const isa::Instruction& instruction = place.kernel.code[place.pc];
        const auto row = [&](const isa::Operand& operand, unsigned word) {
            const unsigned first =
                operand.kind == isa::Operand::Kind::reg ? operand.index : place.kernel.registers + operand.index;
            return registers + std::size_t{first + word} * isa::kWarpSize;
        };
        std::array<std::uint64_t, isa::kWarpSize> addresses{};
        const isa::Operand& address = instruction.source[0];
        const std::uint32_t* const low = row(address, 0);
        isa::compute_addresses(instruction, low, address.rows > 1 ? row(address, 1) : nullptr, active,
                               addresses.data());
        if (const isa::Operand& base = instruction.source[3]; base.kind != isa::Operand::Kind::none) {
            isa::add_base(instruction, low, row(base, 0), row(base, base.rows - 1u), active, addresses.data());
        }
        warp.lines += "0 ";
        for (isa::LaneMask rest = active; rest != 0; rest &= rest - 1) {
            fmt::format_to(std::back_inserter(warp.lines), "{:#x} ",
                           addresses[static_cast<std::size_t>(std::countr_zero(rest))]);
        }
    } else if (of.width != 0) {
        warp.lines += "1 0x0 0 ";
    }
    warp.lines += '\n';
}

void TraceRecorder::copy_to_device(DeviceAddress destination, std::span<const std::byte> source) {
    device_->copy_to_device(destination, source);
    list_ += fmt::format("MemcpyHtoD,{:#018x},{}\n", destination, source.size());
}

void TraceRecorder::launch(std::string_view name, const LaunchConfiguration& configuration,
                           std::span<const std::byte> parameters) {
    const auto found = std::ranges::find(kernels_, name, &isa::Kernel::name);
    if (found != kernels_.end() && found->refusal.empty()) {
        kernel_ = static_cast<std::uint32_t>(found - kernels_.begin());
        if (statics_[kernel_].empty()) { statics_[kernel_] = statics_of(kernel_); }
    }
    warps_.clear();
    grid_ = configuration.grid;
    device_->launch(name, configuration, parameters);
    const std::string file = fmt::format("kernel-{}.traceg", ++launches_);
    const auto size = [](const isa::Dim3& dimensions) {
        return fmt::format("({},{},{})", dimensions.x, dimensions.y, dimensions.z);
    };
    std::string text = fmt::format(
        "-kernel name = {}\n-kernel id = {}\n-grid dim = {}\n-block dim = {}\n-shmem = {}\n-nregs = {}\n-binary "
        "version = {}\n"
        "-cuda stream id = 0\n-shmem base_addr = {:#018x}\n-local mem base_addr = {:#018x}\n-nvbit version = none\n"
        "-accelsim tracer version = 3\n\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
        "mem_width "
        "[adrrescompress?] [mem_addresses]\n",
        name, launches_, size(configuration.grid), size(configuration.block),
        found->static_shared_bytes + configuration.dynamic_shared_bytes, found->registers_per_thread(),
        cubin_.architecture, isa::kSharedWindowBase, isa::kLocalWindowBase);
    std::uint64_t last = ~std::uint64_t{0};
    for (const auto& [place, warp] : warps_) {
        if (place.first != last) {
            const isa::Dim3 cta = isa::cta_position(grid_, place.first);
            text += fmt::format("{}\n#BEGIN_TB\n\nthread block = {},{},{}\n",
                                last == ~std::uint64_t{0} ? "" : "\n#END_TB\n", cta.x, cta.y, cta.z);
            last = place.first;
        }
        text += fmt::format("\nwarp = {}\ninsts = {}\n{}", place.second, warp.instructions, warp.lines);
    }
    text += "\n#END_TB\n";
    write(file, text);
    list_ += fmt::format("{}\n", file);
}

void TraceRecorder::finish() {
    write("kernelslist.g", list_);
}

void TraceRecorder::write(const std::string& name, const std::string& text) const {
    const std::string path = (std::filesystem::path(folder_) / name).string();
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) { throw InputError("{}: cannot be written", path); }
}

}  // namespace lookahead
