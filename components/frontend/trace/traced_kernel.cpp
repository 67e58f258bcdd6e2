#include "components/frontend/trace/traced_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>

#include "components/frontend/trace/packed_trace.h"
#include "components/frontend/trace/trace_text.h"
#include "components/frontend/trace/traced_form.h"
#include "components/isa/address_space.h"
#include "components/isa/launch.h"
#include "components/isa/memory_access.h"
#include "core/error/error.h"

namespace lookahead::trace {
namespace {

/// "(8,1,1)" or "0,0,0".
isa::Dim3 dimensions(std::string_view text) {
    if (text.starts_with('(') && text.ends_with(')')) { text = text.substr(1, text.size() - 2); }
    std::uint32_t sizes[3] = {};
    for (std::uint32_t& size : sizes) {
        const std::size_t end = std::min(text.find(','), text.size());
        size = number<std::uint32_t>(text.substr(0, end), "size; three are needed, as in (8,1,1)");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {sizes[0], sizes[1], sizes[2]};
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// A line of an instruction.
struct Line {
    std::uint64_t address = 0;
    isa::LaneMask lanes = 0;
    TracedInstruction instruction;
    std::array<std::uint64_t, isa::kWarpSize> addresses{};  ///< of the lanes, by ascending lane
    unsigned count = 0;
};

std::uint32_t register_number(std::string_view word) {
    if (!word.starts_with('R')) { throw InputError("'{}' is no register; one is R0 to R255", word); }
    const auto value = number<std::uint32_t>(word.substr(1), "register; one is R0 to R255");
    if (value > kZeroRegister) { throw InputError("'{}' is no register; one is R0 to R255", word); }
    return value;
}

void read_registers(Words& words, std::vector<std::uint32_t>& registers) {
    registers.resize(number<std::uint8_t>(words.next(), "count of registers"));
    for (std::uint32_t& each : registers) { each = register_number(words.next()); }
}

/// The addresses after the width: a list, a first one and a stride, or a first one and the differences. The tracer
/// writes one difference less than there are lanes.
void read_addresses(Words& words, Line& line) {
    const std::string_view mode = words.next();
    line.count = static_cast<unsigned>(std::popcount(line.lanes));
    if (line.count == 0) { return; }
    const auto address = [&] { return number<std::uint64_t>(words.next(), "address", 16); };
    const auto difference = [&] { return number<std::uint64_t>(words.next(), "distance of addresses"); };
    line.addresses[0] = address();
    if (mode == "0") {
        for (unsigned i = 1; i < line.count; ++i) { line.addresses[i] = address(); }
    } else if (mode == "1") {
        const std::uint64_t stride = difference();
        for (unsigned i = 1; i < line.count; ++i) { line.addresses[i] = line.addresses[i - 1] + stride; }
    } else if (mode == "2") {
        for (unsigned i = 1; i < line.count; ++i) { line.addresses[i] = line.addresses[i - 1] + difference(); }
    } else {
        throw InputError("'{}' is no form of addresses: 0 is a list, 1 a stride, 2 differences", mode);
    }
}

/// Takes the lines of a trace and makes its kernel.
class KernelReader {
  public:
    KernelReader(TracedKernel& to, AccessedMemory& accessed) : to_(to), header_(to.header), accessed_(accessed) {}

    void take_header(std::string_view line) { header_.take(line); }
    void end_header() {
        header_.check();
        warps_ = header_.warps();
        to_.recording = std::make_shared<isa::Recording>(warps_ * header_.grid.count());
        to_.kernel.literals.assign(4, 0);
    }

    /// The lines that follow are of this CTA, and then of this warp.
    void begin_cta(const isa::Dim3& place) {
        end_warp();
        const isa::Dim3& grid = header_.grid;
        if (place.x >= grid.x || place.y >= grid.y || place.z >= grid.z) {
            throw InputError("CTA {},{},{} is not in the grid of {} x {} x {}", place.x, place.y, place.z, grid.x,
                             grid.y, grid.z);
        }
        cta_ = (std::uint64_t{place.z} * grid.y + place.y) * grid.x + place.x;
    }
    void begin_warp(std::uint32_t warp) {
        end_warp();
        if (warp >= warps_) { throw InputError("a CTA has {} warps; warp {} is none of them", warps_, warp); }
        const std::uint64_t number = cta_ * warps_ + warp;
        if (to_.recording->has(number)) { throw InputError("warp {} of the CTA is in the trace twice", warp); }
        to_.recording->begin_warp(number);
        in_warp_ = true;
        left_ = isa::initial_mask(header_.block.count(), warp * isa::kWarpSize);
    }
    void take_instruction(std::string_view text) {
        if (!in_warp_) { throw InputError("an instruction comes before 'warp = NUMBER'"); }
        if (left_ == 0) { throw InputError("an instruction follows the exit of all lanes of the warp"); }
        read_line(text);
        const std::uint32_t place = place_of_line();
        const isa::Instruction& instruction = code_[place];
        for (unsigned part = 0; part < parts_of(instruction); ++part) {
            if (line_.count != 0) {
                add_access(number_of(place, part), instruction, part);
            } else {
                to_.recording->add(number_of(place, part), line_.lanes);
            }
        }
        if (instruction.operation == isa::Operation::exit) { left_ &= ~line_.lanes; }
    }

    /// After the last line: the kernel, but for its name and file.
    void finish() {
        end_warp();
        for (std::uint64_t warp = 0; warp < to_.recording->warps(); ++warp) {
            if (to_.recording->has(warp)) { continue; }
            to_.recording->begin_warp(warp);
            to_.recording->add(kAddedExit, isa::kFullMask);
        }
        make_code();
        isa::Kernel& kernel = to_.kernel;
        kernel.registers = kRegisters;
        kernel.allocated_registers = std::max(header_.registers, 1u);
        kernel.predicates = 1;
        kernel.static_shared_bytes = std::max(header_.shared_bytes, shared_bytes_);
        kernel.local_bytes = local_bytes_;
        kernel.instruction_bytes = header_.instruction_bytes();
        kernel.recording = to_.recording;
    }

  private:
    void read_line(std::string_view text) {
        Words words(text);
        if (header_.has_lines) { words.next(); }
        line_.address = number<std::uint64_t>(words.next(), "address of an instruction", 16);
        line_.lanes = number<std::uint32_t>(words.next(), "mask of lanes", 16);
        read_registers(words, line_.instruction.destinations);
        line_.instruction.opcode = words.next();
        if (line_.instruction.opcode.empty()) { throw InputError("the line ends before the instruction's name"); }
        read_registers(words, line_.instruction.sources);
        line_.instruction.width = number<std::uint32_t>(words.next(), "width of an access");
        line_.count = 0;
        if (line_.instruction.width != 0) { read_addresses(words, line_); }
    }

    /// Local memory is accessed by words, as in the machine's other code: a wide access has a part for each.
    static unsigned parts_of(const isa::Instruction& instruction) {
        return instruction.space == isa::Space::local ? instruction.vector : 1;
    }
    /// The number in the records of a part of the instruction at the place, until make_code numbers the parts.
    static std::uint32_t number_of(std::uint32_t place, unsigned part) { return (place + 1) * kMostParts + part; }

    /// Lays out the code: an exit that the trace does not have, and the parts of each instruction. Places at which no
    /// warp executed anything have NOPs.
    void make_code() {
        std::vector<isa::Instruction>& code = to_.kernel.code;
        code.resize(1);
        code[0].operation = isa::Operation::exit;
        code[0].guard = 0;
        std::vector<std::uint32_t> numbers(number_of(static_cast<std::uint32_t>(code_.size()), 0), 0);
        for (std::uint32_t place = 0; place < code_.size(); ++place) {
            const unsigned parts = parts_of(code_[place]);
            for (unsigned part = 0; part < parts; ++part) {
                numbers[number_of(place, part)] = static_cast<std::uint32_t>(code.size());
                isa::Instruction& to = code.emplace_back(code_[place]);
                if (parts == 1) { continue; }
                to.vector = 1;
                if (isa::is_load(to.operation)) {
                    to.destination = static_cast<std::uint16_t>(to.destination + part);
                    to.destination_rows = 1;
                } else {
                    to.source[1].index = static_cast<std::uint16_t>(to.source[1].index + part);
                    to.source[1].rows = 1;
                }
            }
        }
        to_.recording->renumber(numbers);
    }

    /// The number of the line's instruction; its first line makes it.
    std::uint32_t place_of_line() {
        constexpr std::uint64_t kMostInstructions = 1 << 20;
        const std::uint64_t place = line_.address / header_.instruction_bytes();
        if (place >= kMostInstructions) {
            throw InputError("the instruction's address {:#x} is beyond a kernel's code", line_.address);
        }
        if (place >= code_.size()) {
            code_.resize(place + 1);
            traced_.resize(place + 1);
        }
        if (traced_[place].opcode.empty()) {
            code_[place] = machine_form(line_.instruction, to_.kernel.first_literal_row());
            traced_[place] = line_.instruction;
        } else if (traced_[place] != line_.instruction) {
            throw InputError("the instruction at {:#x} was {} before, with other registers or width", line_.address,
                             traced_[place].opcode);
        }
        return static_cast<std::uint32_t>(place);
    }

    /// Adds the record with this number of a part of an access.
    void add_access(std::uint32_t number, const isa::Instruction& instruction, unsigned part) {
        using isa::Space;
        const std::uint32_t bytes = isa::lane_bytes(instruction) / parts_of(instruction);
        std::array<std::uint64_t, isa::kWarpSize> own = line_.addresses;
        const std::span<std::uint64_t> addresses(own.data(), line_.count);
        const Space space = space_of_access(instruction, addresses);
        const std::uint64_t base = space == Space::shared ? header_.shared_base : header_.local_base;
        for (std::uint64_t& address : addresses) {
            if (space == Space::global) {
                accessed_.include(address, bytes);
                continue;
            }
            if (address >= base && base != 0) { address -= base; }
            address += std::uint64_t{part} * bytes;
            std::uint32_t& most = space == Space::shared ? shared_bytes_ : local_bytes_;
            constexpr std::uint64_t kMost = 1 << 20;
            if (address + bytes > kMost) {
                throw InputError("the address {:#x} is beyond a {} memory", address,
                                 space == Space::shared ? "CTA's shared" : "thread's local");
            }
            most = std::max(most, static_cast<std::uint32_t>((address + bytes + 3) / 4 * 4));
            if (instruction.space == Space::generic) {
                if (space == Space::local && bytes > 4) {
                    throw InputError("a generic access of {} bytes to local memory is not simulated", bytes);
                }
                address += space == Space::shared ? isa::kSharedWindowBase : isa::kLocalWindowBase;
            }
        }
        to_.recording->add(number, line_.lanes, addresses, space == Space::global);
    }

    /// Where the access goes: a generic one is shared or local if its first address is in such a window.
    isa::Space space_of_access(const isa::Instruction& instruction, std::span<const std::uint64_t> addresses) const {
        if (instruction.space != isa::Space::generic) { return instruction.space; }
        const auto within = [&](std::uint64_t base) {
            return base != 0 && addresses.front() - base < isa::kSharedWindowBytes;
        };
        return within(header_.shared_base)  ? isa::Space::shared
               : within(header_.local_base) ? isa::Space::local
                                            : isa::Space::global;
    }

    /// Lanes that the trace does not let exit do so at the warp's end.
    void end_warp() {
        if (in_warp_ && left_ != 0) { to_.recording->add(kAddedExit, isa::kFullMask); }
        in_warp_ = false;
    }

    /// The number of an exit that the trace does not have.
    static constexpr std::uint32_t kAddedExit = 0;
    static constexpr unsigned kMostParts = 4;

    TracedKernel& to_;
    TraceHeader& header_;
    AccessedMemory& accessed_;
    std::uint64_t warps_ = 0;
    std::uint64_t cta_ = 0;
    Line line_;
    std::vector<TracedInstruction> traced_;  ///< by number; without opcode where no line was
    std::vector<isa::Instruction> code_;     ///< by number
    std::uint32_t shared_bytes_ = 0, local_bytes_ = 0;
    isa::LaneMask left_ = 0;  ///< of the warp's lanes, those that have not exited
    bool in_warp_ = false;
};

void read_text(const std::string& path, KernelReader& reader) {
    LineReader lines(path);
    bool in_header = true;
    for (std::string_view text; lines.next(text);) {
        at_line(path, lines.number(), [&] {
            const std::string_view line = trimmed(text);
            const auto value = [&] { return trimmed(line.substr(std::min(line.find('=') + 1, line.size()))); };
            if (line.empty() || line.starts_with("#END_TB") || line.starts_with("insts")) { return; }
            if (line.starts_with('#')) {
                if (line.starts_with("#BEGIN_TB") && in_header) {
                    reader.end_header();
                    in_header = false;
                }
            } else if (in_header) {
                reader.take_header(line);
            } else if (line.starts_with("thread block")) {
                reader.begin_cta(dimensions(value()));
            } else if (line.starts_with("warp")) {
                reader.begin_warp(number<std::uint32_t>(value(), "warp"));
            } else {
                reader.take_instruction(line);
            }
        });
    }
    if (in_header) { throw InputError("{}: this is no trace of a kernel: it has no #BEGIN_TB", path); }
}

void read_packed(const std::string& path, KernelReader& reader) {
    const PackedTrace packed(path);
    std::uint64_t number_of_line = 0;
    const auto for_each_line = [&](std::string_view text, auto take) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = trimmed(text.substr(0, end));
            ++number_of_line;
            if (!line.empty() && !line.starts_with('#')) {
                at_line(path, number_of_line, [&] { take(line); });
            }
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    };
    for_each_line(packed.header(), [&](std::string_view line) { reader.take_header(line); });
    at_line(path, number_of_line, [&] { reader.end_header(); });
    for (const PackedTrace::Cta& cta : packed.ctas()) {
        at_line(path, number_of_line, [&] { reader.begin_cta(cta.place); });
        for (std::uint32_t warp = 0; warp < cta.warps.size(); ++warp) {
            if (cta.warps[warp].instructions == 0) { continue; }
            at_line(path, number_of_line, [&] { reader.begin_warp(warp); });
            for_each_line(packed.text_of(cta.warps[warp]),
                          [&](std::string_view line) { reader.take_instruction(line); });
        }
    }
}

}  // namespace

void TraceHeader::take(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with('-') || equals == std::string_view::npos) {
        throw InputError("'{}' is no line of a trace's header, which are -KEY = VALUE", line.substr(0, 40));
    }
    const std::string_view key = trimmed(line.substr(1, equals - 1)), value = trimmed(line.substr(equals + 1));
    if (key == "kernel name") { name = shown(value); }
    if (key == "kernel id") { id = number<std::uint32_t>(value, "number of a launch"); }
    if (key == "grid dim") { grid = dimensions(value); }
    if (key == "block dim") { block = dimensions(value); }
    if (key == "shmem") { shared_bytes = number<std::uint32_t>(value, "size of shared memory"); }
    if (key == "nregs") { registers = number<std::uint32_t>(value, "count of registers"); }
    if (key == "binary version") { binary_version = number<std::uint32_t>(value, "architecture"); }
    if (key == "shmem base_addr") { shared_base = number<std::uint64_t>(value, "address", 16); }
    if (key == "local mem base_addr") { local_base = number<std::uint64_t>(value, "address", 16); }
    if (key == "accelsim tracer version") { version = number<std::uint32_t>(value, "version of the tracer"); }
    if (key == "enable lineinfo") { has_lines = value == "1"; }
    if (key == "cluster dim" && dimensions(value).count() != 1) {
        throw InputError("clusters of CTAs ({}) are not simulated", value);
    }
}

void TraceHeader::check() const {
    const auto require = [](bool given, const char* key) {
        if (!given) { throw InputError("the header has no '-{} = ...', or 0", key); }
    };
    require(!name.empty(), "kernel name");
    require(grid.count() != 0, "grid dim");
    require(block.count() != 0, "block dim");
    require(binary_version != 0, "binary version");
    constexpr std::uint32_t kFirst = 3, kLast = 6;
    if (version < kFirst || version > kLast) {
        throw InputError("the trace is of version {} of the tracer; versions {} to {} can be read", version, kFirst,
                         kLast);
    }
    constexpr std::uint64_t kMostWarps = std::uint64_t{1} << 32;
    if (block.count() > 1024 || grid.count() > kMostWarps / warps()) {
        throw InputError("a grid of {} CTAs of {} threads is larger than any GPU's", grid.count(), block.count());
    }
}

std::uint32_t TraceHeader::warps() const {
    return isa::warps_per_cta(block);
}

TracedKernel read_traced_kernel(const std::string& path, AccessedMemory& accessed) {
    TracedKernel traced;
    KernelReader reader(traced, accessed);
    if (path.ends_with(".tracez")) {
        read_packed(path, reader);
    } else {
        read_text(path, reader);
    }
    reader.finish();
    traced.kernel.source_file = path;
    return traced;
}

}  // namespace lookahead::trace
