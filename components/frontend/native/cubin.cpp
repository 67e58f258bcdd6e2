#include "components/frontend/native/cubin.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "components/frontend/native/decode.h"
#include "components/isa/address_space.h"
#include "core/error/error.h"

namespace lookahead::native {
namespace {

// The ELF format (System V ABI, "Object Files"), 64 bits, little-endian.
constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint32_t kNoBits = 8;
constexpr std::uint32_t kRelocations = 9, kRelocationsWithAddends = 4;
constexpr std::uint8_t kObject = 1;

struct FileHeader {
    unsigned char identification[16];
    std::uint16_t type, machine;
    std::uint32_t version;
    std::uint64_t entry, program_headers, section_headers;
    std::uint32_t flags;
    std::uint16_t header_bytes, program_header_bytes, program_header_count;
    std::uint16_t section_header_bytes, section_count, names;
};
static_assert(sizeof(FileHeader) == 64);

struct SectionHeader {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, size;
    std::uint32_t link, info;
    std::uint64_t alignment, entry_bytes;
};
static_assert(sizeof(SectionHeader) == 64);

struct SymbolEntry {
    std::uint32_t name;
    std::uint8_t info, other;
    std::uint16_t section;
    std::uint64_t value, size;
};
static_assert(sizeof(SymbolEntry) == 24);

struct Relocation {
    std::uint64_t offset, info;
    std::int64_t addend;
    std::uint32_t symbol() const { return static_cast<std::uint32_t>(info >> 32); }
    std::uint32_t type() const { return static_cast<std::uint32_t>(info); }
};

/// Attributes of the sections .nv.info; their numbers are those of public assemblers (CuAssembler, maxas).
enum Attribute : std::uint8_t {
    kMaxThreads = 0x05,
    kParameterBank = 0x0a,
    kRequiredThreads = 0x10,
    kStackBytes = 0x12,
    kParameter = 0x17,
    kRegisters = 0x2f,
};

/// Relocations: 64 bits of data, also as a generic address; the low and the high word of an address as an instruction's
/// immediate.
constexpr std::uint32_t kAddress64 = 2, kGenericAddress64 = 4, kAddressLow = 56, kAddressHigh = 57;
constexpr unsigned kImmediateByte = 4;

class Reader {
  public:
    Reader(std::span<const std::byte> bytes, std::string_view file) : bytes_(bytes), file_(file) {}

    Cubin read() {
        read_headers();
        for (std::uint32_t i = 0; i < sections_.size(); ++i) { add_kernel(i); }
        if (cubin_.kernels.empty()) { refuse("it has no kernel"); }
        read_attributes();
        place_variables();
        for (const SectionHeader& section : sections_) { relocate(section); }
        for (CubinKernel& kernel : cubin_.kernels) { place_constants(kernel); }
        return std::move(cubin_);
    }

  private:
    template <class... Arguments>
    [[noreturn]] void refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
        throw InputError("{}: this is no complete cubin: {}", file_,
                         fmt::format(format, std::forward<Arguments>(arguments)...));
    }

    std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const {
        if (offset > bytes_.size() || size > bytes_.size() - offset) {
            refuse("{} bytes at {} are outside its {} bytes", size, offset, bytes_.size());
        }
        return bytes_.subspan(offset, size);
    }
    template <class T>
    T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, part(offset, sizeof value).data(), sizeof value);
        return value;
    }
    std::span<const std::byte> contents(const SectionHeader& section) const {
        return section.type == kNoBits ? std::span<const std::byte>() : part(section.offset, section.size);
    }
    std::string text(const SectionHeader& strings, std::uint32_t offset) const {
        const std::span<const std::byte> all = contents(strings);
        if (offset >= all.size()) { refuse("a name is at {} of {} bytes", offset, all.size()); }
        const auto* const first = reinterpret_cast<const char*>(all.data()) + offset;
        const void* const end = std::memchr(first, 0, all.size() - offset);
        if (end == nullptr) { refuse("a name has no end"); }
        return first;
    }
    const SectionHeader* find(std::string_view name) const {
        const auto found = std::ranges::find(names_, name);
        return found == names_.end() ? nullptr : &sections_[static_cast<std::size_t>(found - names_.begin())];
    }
    const SectionHeader& section(std::uint32_t index) const {
        if (index >= sections_.size()) { refuse("it names section {} of {}", index, sections_.size()); }
        return sections_[index];
    }

    void read_headers() {
        if (!is_cubin(bytes_)) { refuse("it does not begin as one"); }
        const auto header = at<FileHeader>(0);
        // The architecture moved with ABI version 8 (CUDA 13).
        constexpr unsigned kAbiVersion = 8;
        cubin_.architecture = header.identification[kAbiVersion] >= 8 ? header.flags >> 8 & 0xff : header.flags & 0xff;
        if (cubin_.architecture < 70 || cubin_.architecture > 121) {
            throw InputError("{}: it is for sm_{}; native code of sm_70 to sm_121 is read", file_, cubin_.architecture);
        }
        for (unsigned i = 0; i < header.section_count; ++i) {
            sections_.push_back(at<SectionHeader>(header.section_headers + std::uint64_t{i} * sizeof(SectionHeader)));
        }
        const SectionHeader& strings = section(header.names);
        for (const SectionHeader& each : sections_) { names_.push_back(text(strings, each.name)); }
        const SectionHeader* const symbols = find(".symtab");
        if (symbols == nullptr) { refuse("it has no symbols"); }
        for (std::uint64_t i = 0; i < symbols->size / sizeof(SymbolEntry); ++i) {
            symbols_.push_back(at<SymbolEntry>(symbols->offset + i * sizeof(SymbolEntry)));
            symbol_names_.push_back(text(section(symbols->link), symbols_.back().name));
        }
    }

    void add_kernel(std::uint32_t index) {
        constexpr std::string_view kCode = ".text.";
        if (!names_[index].starts_with(kCode)) { return; }
        CubinKernel kernel;
        kernel.name = names_[index].substr(kCode.size());
        const std::span<const std::byte> code = contents(sections_[index]);
        if (code.size() % sizeof(Word) != 0) { refuse("the code of {} has {} bytes", kernel.name, code.size()); }
        kernel.code.resize(code.size() / sizeof(Word));
        std::memcpy(kernel.code.data(), code.data(), code.size());
        for (const SymbolEntry& symbol : symbols_) {
            constexpr std::uint8_t kFunction = 2;
            const bool is_function = symbol.section == index && (symbol.info & 0xf) == kFunction && symbol.value != 0;
            if (is_function && symbol.value < code.size() && symbol.size <= code.size() - symbol.value) {
                kernel.functions.emplace_back(static_cast<std::uint32_t>(symbol.value / sizeof(Word)),
                                              static_cast<std::uint32_t>((symbol.value + symbol.size) / sizeof(Word)));
            }
        }
        if (const SectionHeader* shared = find(fmt::format(".nv.shared.{}", kernel.name))) {
            kernel.shared_bytes = static_cast<std::uint32_t>(shared->size);
        }
        if (const SectionHeader* own = find(fmt::format(".nv.constant2.{}", kernel.name))) {
            const auto bytes = contents(*own);
            kernel.constants.assign(bytes.begin(), bytes.end());
        }
        cubin_.kernels.push_back(std::move(kernel));
    }

    CubinKernel* kernel_of(std::uint32_t symbol) {
        if (symbol >= symbol_names_.size()) { refuse("an attribute names symbol {}", symbol); }
        return kernel_named(symbol_names_[symbol]);
    }
    CubinKernel* kernel_named(std::string_view name) {
        const auto found = std::ranges::find(cubin_.kernels, name, &CubinKernel::name);
        return found == cubin_.kernels.end() ? nullptr : &*found;
    }

    void read_attributes() {
        constexpr std::string_view kInfo = ".nv.info";
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            if (!names_[i].starts_with(kInfo)) { continue; }
            const std::string_view of =
                std::string_view(names_[i]).substr(std::min(names_[i].size(), kInfo.size() + 1));
            read_attributes(contents(sections_[i]), of.empty() ? nullptr : kernel_named(of));
        }
        constexpr std::uint32_t kMostRegisters = 255, kMostStackBytes = 512 * 1024;  // of a thread
        for (CubinKernel& kernel : cubin_.kernels) {
            if (kernel.code.empty()) { kernel.refusal = "it has no code"; }
            if (kernel.registers == 0 || kernel.registers > kMostRegisters) {
                kernel.refusal =
                    fmt::format("it has {} registers; there are 1 to {}", kernel.registers, kMostRegisters);
            }
            if (kernel.stack_bytes > kMostStackBytes) {
                kernel.refusal = fmt::format("it needs {} bytes of local memory; a thread has at most {}",
                                             kernel.stack_bytes, kMostStackBytes);
            }
        }
    }

    /// `of`: the kernel of the section; none in the module's.
    void read_attributes(std::span<const std::byte> bytes, CubinKernel* of) {
        constexpr std::uint8_t kWithBytes = 4;
        while (bytes.size() >= 4) {
            const auto format = static_cast<std::uint8_t>(bytes[0]);
            const auto attribute = static_cast<std::uint8_t>(bytes[1]);
            const auto size = static_cast<std::size_t>(bytes[2]) | static_cast<std::size_t>(bytes[3]) << 8;
            bytes = bytes.subspan(4);
            if (format != kWithBytes) { continue; }
            if (size > bytes.size()) { refuse("attribute {:#x} has {} of {} bytes", attribute, bytes.size(), size); }
            std::vector<std::uint32_t> words(size / 4);
            std::memcpy(words.data(), bytes.data(), words.size() * 4);
            bytes = bytes.subspan(size);
            take_attribute(attribute, words, of);
        }
    }

    void take_attribute(std::uint8_t attribute, const std::vector<std::uint32_t>& words, CubinKernel* of) {
        const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : 0; };
        if (attribute == kRegisters || attribute == kStackBytes) {
            CubinKernel* const kernel = kernel_of(word(0));
            if (kernel == nullptr) { return; }
            (attribute == kRegisters ? kernel->registers : kernel->stack_bytes) = word(1);
        } else if (of == nullptr) {
            return;
        } else if (attribute == kMaxThreads || attribute == kRequiredThreads) {
            of->max_threads = word(0) * std::max(word(1), 1u) * std::max(word(2), 1u);
        } else if (attribute == kParameterBank) {
            of->parameter_base = word(1) & 0xffff;
            of->parameter_bytes = word(1) >> 16;
        } else if (attribute == kParameter) {
            const std::size_t number = word(1) & 0xffff;
            if (number >= of->parameter_offsets.size()) {
                of->parameter_offsets.resize(number + 1);
                of->parameter_sizes.resize(number + 1);
            }
            of->parameter_offsets[number] = word(1) >> 16;
            of->parameter_sizes[number] = word(2) >> 18;
        }
    }

    /// The next address of a memory, after which `bytes` bytes are taken.
    static std::uint64_t take_place(std::uint64_t& next, std::uint64_t bytes) {
        constexpr std::uint64_t kAlignment = isa::kAllocationAlignment;
        return std::exchange(next, next + (bytes + kAlignment - 1) / kAlignment * kAlignment);
    }

    /// Puts a section of variables at the next address of its memory.
    void place_section(std::string_view name, std::uint64_t& next, bool is_constant) {
        const SectionHeader* const of = find(name);
        if (of == nullptr || of->size == 0) { return; }
        if (of->size > isa::kModuleBytes / 4) { refuse("section {} has {} bytes", name, of->size); }
        const std::uint64_t address = take_place(next, of->size);
        const auto number = static_cast<std::uint32_t>(of - sections_.data());
        addresses_.resize(sections_.size());
        addresses_[number] = address;
        if (is_constant) {
            cubin_.constants_address = address;
            cubin_.constants_bytes = of->size;
        }
        // Code may read several variables at once, so the section is one, with names in it.
        const std::span<const std::byte> bytes = contents(*of);
        cubin_.variables.push_back(
            {std::string(name), address, of->size, is_constant, true, {bytes.begin(), bytes.end()}});
        for (std::size_t i = 0; i < symbols_.size(); ++i) {
            const SymbolEntry& symbol = symbols_[i];
            if (symbol.section != number || (symbol.info & 0xf) != kObject || symbol.size == 0) { continue; }
            if (symbol.value > of->size || symbol.size > of->size - symbol.value) {
                refuse("variable {} is outside its section", symbol_names_[i]);
            }
            cubin_.variables.push_back({symbol_names_[i], address + symbol.value, 0, is_constant, false, {}});
        }
    }

    void place_variables() {
        addresses_.resize(sections_.size());
        std::uint64_t global = isa::kModuleBase;
        place_section(".nv.global.init", global, false);
        place_section(".nv.global", global, false);
        place_section(".nv.constant3", next_constant_, true);
        std::ranges::stable_sort(cubin_.variables, {}, &isa::ModuleVariable::address);
        if (const SectionHeader* of = find(".nv.constant4")) {
            const auto bytes = contents(*of);
            cubin_.addresses.assign(bytes.begin(), bytes.end());
        }
    }

    /// Puts the kernel's bank 2 into memory if LDC computes addresses in it.
    void place_constants(CubinKernel& kernel) {
        const auto computes = [](const Word& word) {
            constexpr std::uint64_t kLoad = 0x182, kBank = 2, kZero = 255;
            return word.bits(0, 9) == kLoad && word.bits(54, 5) == kBank && word.bits(24, 8) != kZero;
        };
        if (kernel.constants.empty() || std::ranges::none_of(kernel.code, computes)) { return; }
        kernel.constants_address = take_place(next_constant_, kernel.constants.size());
        cubin_.variables.push_back({fmt::format(".nv.constant2.{}", kernel.name), kernel.constants_address,
                                    kernel.constants.size(), true, true, kernel.constants});
    }

    /// The address of the relocation's symbol; nothing if it is none of memory.
    std::optional<std::uint64_t> target(const Relocation& relocation) const {
        if (relocation.symbol() >= symbols_.size()) { refuse("a relocation names symbol {}", relocation.symbol()); }
        const SymbolEntry& symbol = symbols_[relocation.symbol()];
        if (symbol.section >= addresses_.size() || addresses_[symbol.section] == 0) { return std::nullopt; }
        return addresses_[symbol.section] + symbol.value + static_cast<std::uint64_t>(relocation.addend);
    }

    /// The bytes of a section in which addresses are filled in; nothing for others.
    std::span<std::byte> changed_by_relocation(std::string_view section, CubinKernel* kernel) {
        if (kernel != nullptr) { return std::as_writable_bytes(std::span(kernel->code)); }
        if (section == ".nv.constant4") { return cubin_.addresses; }
        for (isa::ModuleVariable& variable : cubin_.variables) {
            if (variable.bytes != 0 && variable.name == section) { return variable.contents; }
        }
        return {};
    }

    void relocate(const SectionHeader& header) {
        if (header.type != kRelocations && header.type != kRelocationsWithAddends) { return; }
        const std::string_view of = names_[header.info < names_.size() ? header.info : 0];
        constexpr std::string_view kCode = ".text.";
        CubinKernel* const kernel = of.starts_with(kCode) ? kernel_named(of.substr(kCode.size())) : nullptr;
        const std::span<std::byte> bytes = changed_by_relocation(of, kernel);
        if (bytes.empty()) { return; }
        const std::uint64_t entry = header.type == kRelocations ? 16 : 24;
        for (std::uint64_t place = 0; place + entry <= header.size; place += entry) {
            Relocation relocation{};
            std::memcpy(&relocation, part(header.offset + place, entry).data(), entry);
            const std::uint32_t type = relocation.type();
            const bool is_word = kernel != nullptr && (type == kAddressLow || type == kAddressHigh);
            const bool is_pair = kernel == nullptr && (type == kAddress64 || type == kGenericAddress64);
            const std::uint64_t at = relocation.offset + (is_word ? kImmediateByte : 0);
            const std::uint64_t width = is_word ? 4 : 8;
            if (at > bytes.size() || width > bytes.size() - at) { refuse("a relocation is outside {}", of); }
            const std::optional<std::uint64_t> address = target(relocation);
            if (!address || !(is_word || is_pair)) {
                if (kernel != nullptr) {
                    kernel->refusal = fmt::format("it refers to {}, which is no variable of the module (relocation {})",
                                                  symbol_names_[relocation.symbol()], type);
                }
                continue;
            }
            std::uint64_t value = *address;
            if (header.type == kRelocations && is_pair) {
                std::uint64_t addend = 0;
                std::memcpy(&addend, bytes.data() + at, sizeof addend);
                value += addend;
            }
            if (type == kAddressHigh && is_word) { value >>= 32; }
            std::memcpy(bytes.data() + at, &value, width);
        }
    }

    std::span<const std::byte> bytes_;
    std::string_view file_;
    std::vector<SectionHeader> sections_;
    std::vector<std::string> names_;
    std::vector<SymbolEntry> symbols_;
    std::vector<std::string> symbol_names_;
    std::uint64_t next_constant_ = isa::kConstantBase;
    std::vector<std::uint64_t> addresses_;  ///< by section: where its variables are; 0: nowhere
    Cubin cubin_;
};

}  // namespace

bool is_cubin(std::span<const std::byte> bytes) {
    FileHeader header;
    if (bytes.size() < sizeof header) { return false; }
    std::memcpy(&header, bytes.data(), sizeof header);
    constexpr unsigned char kBegin[] = {0x7f, 'E', 'L', 'F', 2, 1};
    return std::memcmp(header.identification, kBegin, sizeof kBegin) == 0 && header.machine == kMachineCuda;
}

Cubin read_cubin(std::span<const std::byte> bytes, std::string_view file) {
    return Reader(bytes, file).read();
}

}  // namespace lookahead::native
