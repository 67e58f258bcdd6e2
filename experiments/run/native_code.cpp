#include "experiments/run/native_code.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/frontend/native/lower.h"
#include "components/frontend/ptx/device_library.h"
#include "components/sm/pipeline/hazards.h"
#include "components/sm/simt/simt_model.h"
#include "core/error/error.h"
#include "core/files/shell_command.h"
#include "core/files/writable.h"
#include "core/param/parameter_registry.h"

namespace lookahead {

LOOKAHEAD_REGISTER_PARAMETERS(ProgramParameters, "program", "Which of a program's codes is run.")

namespace {

namespace fs = std::filesystem;

std::string read_cubin_file(const std::string& path) {
    if (auto bytes = read_file(path)) { return *std::move(bytes); }
    throw InputError("{}: cannot be read; give a cubin", path);
}

/// A folder of its own, which goes with this object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "lookahead-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) { throw InputError("{}: no folder can be made here", name); }
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    fs::path operator/(const char* name) const { return path_ / name; }

  private:
    fs::path path_;
};

/// "; the program has native code for sm_75, sm_80".
std::string cubins_of(const ProgramCode& code) {
    std::string text;
    for (const cudart::CubinImage& each : code.cubins) {
        text += fmt::format("{} sm_{}", text.empty() ? "; the program has native code for" : ",", each.architecture);
    }
    return text;
}

/// The function that failed assertions call.
constexpr std::string_view kAssertion = "__assertfail";
constexpr std::string_view kAssertionBody =
    ".visible .func __assertfail(.param .b64 text, .param .b64 file, .param .b32 line, .param .b64 function, "
    ".param .b64 size)\n{\ntrap;\nret;\n}\n";

/// The PTX with bodies of the functions that CUDA's runtime provides, and whether it calls any.
std::pair<std::string, bool> with_runtime_functions(std::string_view ptx) {
    std::string text(ptx), bodies;
    constexpr std::string_view kExternal = ".extern .func";
    const auto declares = [&](std::string_view name) {
        for (std::size_t at = text.find(kExternal); at != std::string::npos; at = text.find(kExternal, at + 1)) {
            const std::size_t end = text.find(';', at), named = text.find(name, at);
            if (named >= end || text.find_first_of(" \n(", named) != named + name.size()) { continue; }
            text.replace(at, kExternal.size(), ".visible .func");
            return true;
        }
        return false;
    };
    for (const ptx::LibraryPart& part : ptx::device_library()) {
        bool needed = !part.mention.empty() && text.find(part.mention) != std::string::npos;
        for (const ptx::LibraryFunction& function : part.functions) { needed |= declares(function.name); }
        if (needed) { bodies += part.ptx.substr(part.ptx.find('\n', part.ptx.find(".address_size"))); }
    }
    if (declares(kAssertion)) { bodies += kAssertionBody; }
    return {text + '\n' + bodies, !bodies.empty()};
}

std::string compile(const ProgramCode& code, std::string_view text, unsigned architecture) {
    const TemporaryFolder folder;
    const fs::path source = folder / "code.ptx", result = folder / "code.cubin";
    std::ofstream(source, std::ios::binary) << text;
    const CommandEnd end = run_shell_command(
        fmt::format("PATH=\"$PATH:${{CUDA_HOME:-/usr/local/cuda}}/bin:/usr/local/cuda/bin\" ptxas -arch=sm_{} -o {} {}",
                    architecture, shell_word(result), shell_word(source)));
    constexpr int kNotFound = 127;
    if (end.status == kNotFound) {
        throw InputError(
            "program.code = native: ptxas is in no folder of PATH, in $CUDA_HOME/bin or /usr/local/cuda/bin; install "
            "CUDA's compiler, or give program.cubin=FILE{}",
            cubins_of(code));
    }
    if (end.status != 0) {
        throw InputError("{}: ptxas cannot compile it for sm_{}: {}", code.file, architecture,
                         end.output.substr(0, end.output.find('\n')));
    }
    return read_cubin_file(result);
}

/// The program's cubin for the architecture; if it has none, or calls functions that are not in it, what ptxas makes.
std::string own_or_compiled(const ProgramCode& code, unsigned architecture) {
    const auto [text, calls_runtime] = with_runtime_functions(code.text);
    const auto own = std::ranges::find(code.cubins, architecture, &cudart::CubinImage::architecture);
    if (own == code.cubins.end() || calls_runtime) { return compile(code, text, architecture); }
    return {reinterpret_cast<const char*>(own->bytes.data()), own->bytes.size()};
}

}  // namespace

bool runs_native_code(const Configuration& configuration) {
    const auto parameters = configuration.read<ProgramParameters>("program");
    const bool native = parameters.code == "native";
    if (!native && !parameters.cubin.empty()) {
        throw ConfigurationError("program.cubin = {} is for program.code = native", parameters.cubin);
    }
    return native;
}

native::Cubin native_program(const ProgramCode& code, const Configuration& configuration) {
    const auto parameters = configuration.read<ProgramParameters>("program");
    const unsigned architecture = configuration.read<finaliser::IsaOptions>("isa").native;
    if (architecture == 0) {
        throw ConfigurationError(
            "program.code = native: the machine executes no native code (isa.native = 0); h100 executes that of sm_90");
    }
    if (finaliser::configured_transform(configuration) != nullptr) {
        throw ConfigurationError(
            "program.code = native: kernel.transform = {} changes what the finaliser makes of PTX, and native code "
            "stays as it is; use kernel.transform = none or program.code = ptx",
            chosen_variant<finaliser::KernelTransform>(configuration));
    }
    const std::string name = parameters.cubin.empty() ? std::string(code.file) : parameters.cubin;
    const std::string bytes =
        parameters.cubin.empty() ? own_or_compiled(code, architecture) : read_cubin_file(parameters.cubin);
    native::Cubin cubin = native::read_cubin(std::as_bytes(std::span(bytes)), name);
    if (cubin.architecture != architecture) {
        throw ConfigurationError("{} is for sm_{}; the machine executes the code of sm_{} (isa.native)", name,
                                 cubin.architecture, architecture);
    }
    return cubin;
}

isa::KernelTable native_kernels(const ProgramCode& code, const Configuration& configuration) {
    const auto parameters = configuration.read<ProgramParameters>("program");
    const isa::SimtModel simt = gpu::simt_model(configuration);
    isa::KernelTable kernels =
        native::lower(native_program(code, configuration), parameters.cubin.empty() ? code.file : parameters.cubin,
                      simt == isa::SimtModel::convergence_barrier);
    const gpu::DecodeOptions options = gpu::decode_options(configuration.read<gpu::SmParameters>("sm"), simt, false);
    if (!options.control_words) { return kernels; }
    const auto timing = configuration.read<gpu::TimingParameters>("sm.timing");
    for (isa::Kernel& kernel : kernels) {
        if (!kernel.refusal.empty()) { continue; }
        if (const std::string hazard = gpu::control_word_hazard(kernel, timing, options); !hazard.empty()) {
            kernel.refusal = fmt::format(
                "{}: kernel {}: sm.dependences = control_words: {}; shorten sm.timing's latencies, or use "
                "sm.dependences = scoreboard",
                kernel.source_file, kernel.name, hazard);
        }
    }
    return kernels;
}

}  // namespace lookahead
