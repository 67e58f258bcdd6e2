// The workload `ptx`: one launch of a kernel from the user's file.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "core/text/read_number.h"
#include "experiments/workloads/ptx/arguments.h"
#include "experiments/workloads/ptx/kernel_name.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

struct PtxParameters {
    LOOKAHEAD_PARAMETER(std::string, file, {}, {.help = "The PTX file."});
    LOOKAHEAD_PARAMETER(
        std::string, kernel, {},
        {.help = "The kernel's name, as in the file or in the source; empty: the only one in the file."});
    LOOKAHEAD_PARAMETER(std::string, grid, "1", {.help = "CTAs of the grid: X, X,Y or X,Y,Z."});
    LOOKAHEAD_PARAMETER(std::string, block, "32", {.help = "Threads per CTA: X, X,Y or X,Y,Z."});
    LOOKAHEAD_PARAMETER(
        std::string, arguments, {},
        {.help = "The kernel's parameters, separated by blanks: TYPE[N] (a buffer of random elements), TYPE[N]=V (a "
                 "filled buffer), TYPE:V (a scalar), TYPE(N) or TYPE(N)=V (an array that is passed whole) or "
                 "{WORD,WORD,...} (a structure), with TYPE one of u8, s8, u16, s16, u32, s32, u64, s64, f32, f64."});
    LOOKAHEAD_PARAMETER(std::int64_t, dynamic_shared, 0, {0, 1 << 20, "byte"},
                        {.help = "Dynamic shared memory per CTA."});
    LOOKAHEAD_ALL_DECLARED;
};

namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& right) {
    throw ConfigurationError("ptx.{} is '{}': give {}", key, value, right);
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

class PtxFile : public Workload {
  public:
    using Parameters = PtxParameters;

    PtxFile(const Parameters& parameters, const WorkloadContext& context)
        : file_(parameters.file), seed_(context.seed) {
        if (file_.empty()) { throw ConfigurationError("the workload ptx needs a file: give --set file=FILE.ptx"); }
        std::ifstream in(file_, std::ios::binary);
        if (!in || std::filesystem::is_directory(file_)) {
            throw InputError("{}: cannot be read{}", file_, (in ? ": it is a folder; give a PTX file" : ""));
        }
        text_.assign(std::istreambuf_iterator<char>(in), {});
        configuration_.grid = parse_dimensions("grid", parameters.grid);
        configuration_.block = parse_dimensions("block", parameters.block);
        configuration_.dynamic_shared_bytes = static_cast<std::uint32_t>(parameters.dynamic_shared);
        arguments_ = parse_arguments(parameters.arguments);
        const ptx::Module module = ptx::parse_module(text_, file_, ptx::Refusal::of_kernel);
        const ptx::Function& kernel = choose_kernel(module, parameters.kernel);
        check_arguments(kernel, arguments_);
        kernel_ = kernel.name;
        parameter_bytes_ = kernel.parameter_bytes;
        for (const ptx::Parameter& parameter : kernel.parameters) { offsets_.push_back(parameter.offset); }
    }

    ProgramCode code() const override { return {text_, file_}; }

    void run(Device& device) override {
        XorShift32 random(seed_);
        std::vector<std::byte> packed(parameter_bytes_);
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            pack(device, arguments_[i], random, packed.data() + offsets_[i]);
        }
        device.launch(kernel_, configuration_, packed);
    }

    CheckReport check() const override { return {Outputs::unchecked, "kernels of files have no CPU reference"}; }

  private:
    static void pack(Device& device, const KernelArgument& argument, XorShift32& random, std::byte* to) {
        using Kind = KernelArgument::Kind;
        if (argument.kind == Kind::scalar) {
            std::memcpy(to, &argument.bits, argument.element_bytes);
        } else if (argument.kind == Kind::array) {
            std::ranges::copy(make_elements(argument, random), to);
        } else if (argument.kind == Kind::buffer) {
            const DeviceAddress address = device.upload(make_elements(argument, random));
            std::memcpy(to, &address, sizeof address);
        }
        for (std::size_t i = 0; i < argument.members.size(); ++i) {
            pack(device, argument.members[i], random, to + argument.offsets[i]);
        }
    }

    static std::vector<std::byte> make_elements(const KernelArgument& argument, XorShift32& random) {
        std::vector<std::byte> bytes(argument.elements * argument.element_bytes);
        for (std::uint64_t i = 0; i < argument.elements; ++i) {
            const std::uint64_t bits =
                argument.random ? value_bits(argument, random.next_float(), random.next() >> 1) : argument.bits;
            std::memcpy(bytes.data() + i * argument.element_bytes, &bits, argument.element_bytes);
        }
        return bytes;
    }

    std::string file_, kernel_, text_;
    std::uint32_t seed_;
    LaunchConfiguration configuration_;
    std::vector<KernelArgument> arguments_;
    std::vector<std::uint64_t> offsets_;  ///< of the kernel's parameters
    std::uint64_t parameter_bytes_ = 0;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(Workload, PtxFile, "ptx", "One launch of a kernel from any PTX file; outputs unchecked.", "")

}  // namespace lookahead
