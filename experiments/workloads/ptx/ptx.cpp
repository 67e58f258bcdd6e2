// The workload `ptx`: one launch of a kernel from a file of the user's.
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/error/error.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

struct PtxParameters {
    std::string file;
    std::string kernel;
    std::string grid = "1";
    std::string block = "32";
    std::string arguments;
    std::int64_t dynamic_shared = 0;
};

template <>
struct ParametersOf<PtxParameters> {
    inline static const auto list = parameter_list<PtxParameters>(
        text("file", &PtxParameters::file, {.help = "The PTX file."}),
        text("kernel", &PtxParameters::kernel, {.help = "The kernel's name; empty: the only one in the file."}),
        text("grid", &PtxParameters::grid, {.help = "CTAs of the grid: X, X,Y or X,Y,Z."}),
        text("block", &PtxParameters::block, {.help = "Threads of a CTA: X, X,Y or X,Y,Z."}),
        text("arguments", &PtxParameters::arguments,
             {.help = "The kernel's parameters, separated by blanks: TYPE[N] (a buffer of random elements), TYPE[N]=V "
                      "(a filled buffer) or TYPE:V (a scalar), with TYPE one of u32, s32, u64, s64, f32, f64."}),
        integer("dynamic_shared", &PtxParameters::dynamic_shared,
                {.unit = "byte", .min = 0, .max = 1 << 20, .help = "Dynamic shared memory of a CTA."}));
};

namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& right) {
    throw ConfigurationError("ptx." + key + " is '" + value + "': give " + right);
}

template <class T>
bool read_number(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

isa::Dim3 parse_dimensions(const std::string& key, const std::string& text) {
    std::uint32_t sizes[3] = {1, 1, 1};
    std::size_t count = 0;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        if (count == 3 || !read_number(part, sizes[count++])) {
            refuse(key, text, "one to three whole numbers, as in 60 or 16,16");
        }
    }
    return {sizes[0], sizes[1], sizes[2]};
}

/// One parameter of the kernel.
struct Argument {
    bool floating = false;
    std::size_t element_bytes = 4;
    std::uint64_t elements = 0;  ///< 0: a scalar
    bool random = false;
    std::uint64_t bits = 0;  ///< of the scalar or of the filling
};

std::uint64_t value_bits(const Argument& argument, double floating, std::int64_t integer) {
    std::uint64_t bits = 0;
    if (!argument.floating) {
        std::memcpy(&bits, &integer, argument.element_bytes);
    } else if (argument.element_bytes == 8) {
        std::memcpy(&bits, &floating, 8);
    } else {
        const auto single = static_cast<float>(floating);
        std::memcpy(&bits, &single, 4);
    }
    return bits;
}

Argument parse_argument(const std::string& word) {
    constexpr const char* kRight = "words like f32[1024], u32[256]=0 or s32:7";
    Argument argument;
    const std::string type = word.substr(0, 3);
    if (type != "u32" && type != "s32" && type != "u64" && type != "s64" && type != "f32" && type != "f64") {
        refuse("arguments", word, kRight);
    }
    argument.floating = type[0] == 'f';
    argument.element_bytes = type[1] == '6' ? 8 : 4;

    std::string_view rest = std::string_view(word).substr(3);
    std::string_view value;
    if (rest.starts_with(':')) {
        value = rest.substr(1);
    } else {
        const std::size_t close = rest.find(']');
        if (!rest.starts_with('[') || close == std::string_view::npos ||
            !read_number(rest.substr(1, close - 1), argument.elements) || argument.elements == 0) {
            refuse("arguments", word, kRight);
        }
        rest.remove_prefix(close + 1);
        argument.random = rest.empty();
        if (!argument.random && !rest.starts_with('=')) {
            refuse("arguments", word, kRight);
        }
        value = argument.random ? "0" : rest.substr(1);
    }
    double floating = 0;
    std::int64_t integer = 0;
    if (argument.floating ? !read_number(value, floating) : !read_number(value, integer)) {
        refuse("arguments", word, kRight);
    }
    argument.bits = value_bits(argument, floating, integer);
    return argument;
}

/// The entry names in PTX text, in order.
std::vector<std::string> entry_names(const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t at = text.find(".entry"); at != std::string::npos; at = text.find(".entry", at + 1)) {
        std::istringstream rest(text.substr(at + 6, 256));
        std::string name;
        rest >> name;
        names.push_back(name.substr(0, name.find('(')));
    }
    return names;
}

class PtxFile : public Workload {
  public:
    using Parameters = PtxParameters;

    PtxFile(const Parameters& parameters, const WorkloadContext& context)
        : file_(parameters.file), kernel_(parameters.kernel), seed_(context.seed) {
        if (file_.empty()) {
            throw ConfigurationError("the workload ptx needs a file: give --set file=FILE.ptx");
        }
        std::ifstream in(file_, std::ios::binary);
        if (!in) {
            throw InputError(file_ + ": cannot be read");
        }
        text_.assign(std::istreambuf_iterator<char>(in), {});
        configuration_.grid = parse_dimensions("grid", parameters.grid);
        configuration_.block = parse_dimensions("block", parameters.block);
        configuration_.dynamic_shared_bytes = static_cast<std::uint32_t>(parameters.dynamic_shared);
        std::istringstream words(parameters.arguments);
        for (std::string word; words >> word;) {
            arguments_.push_back(parse_argument(word));
        }
        if (kernel_.empty()) {
            choose_only_kernel();
        }
    }

    std::string_view ptx() const override { return text_; }
    std::string ptx_file() const override { return file_; }

    void run(Device& device) override {
        XorShift32 random(seed_);
        std::vector<std::byte> packed;
        for (const Argument& argument : arguments_) {
            const bool buffer = argument.elements > 0;
            const std::uint64_t bits = buffer ? make_buffer(device, argument, random) : argument.bits;
            const std::size_t size = buffer ? sizeof(DeviceAddress) : argument.element_bytes;
            packed.resize((packed.size() + size - 1) / size * size + size);
            std::memcpy(packed.data() + packed.size() - size, &bits, size);
        }
        device.launch(kernel_, configuration_, packed);
    }

    CheckReport check() const override { return {Outputs::unchecked, "kernels of files have no CPU reference"}; }

  private:
    void choose_only_kernel() {
        const auto names = entry_names(text_);
        if (names.size() != 1) {
            throw ConfigurationError(file_ + " has " + std::to_string(names.size()) +
                                     " kernels: name one with --set kernel=NAME");
        }
        kernel_ = names.front();
    }

    static DeviceAddress make_buffer(Device& device, const Argument& argument, XorShift32& random) {
        std::vector<std::byte> bytes(argument.elements * argument.element_bytes);
        for (std::uint64_t i = 0; i < argument.elements; ++i) {
            const std::uint64_t bits =
                argument.random ? value_bits(argument, random.next_float(), random.next() >> 1) : argument.bits;
            std::memcpy(bytes.data() + i * argument.element_bytes, &bits, argument.element_bytes);
        }
        return device.upload(bytes);
    }

    std::string file_, kernel_, text_;
    std::uint32_t seed_;
    LaunchConfiguration configuration_;
    std::vector<Argument> arguments_;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(Workload, PtxFile, "ptx", "One launch of a kernel from any PTX file; outputs unchecked.", "")

}  // namespace lookahead
