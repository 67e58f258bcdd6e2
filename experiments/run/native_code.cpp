#include "experiments/run/native_code.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/frontend/native/lower.h"
#include "components/sm/simt/simt_model.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"

namespace lookahead {

LOOKAHEAD_REGISTER_PARAMETERS(ProgramParameters, "program", "Which of a program's codes is run.")

namespace {

namespace fs = std::filesystem;

std::vector<std::byte> read_whole(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in || fs::is_directory(path)) { throw InputError("{}: cannot be read; give a cubin", path.string()); }
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    const auto all = std::as_bytes(std::span(bytes));
    return {all.begin(), all.end()};
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

fs::path find_ptxas() {
    std::vector<fs::path> folders;
    const auto add = [&folders](const char* variable, const char* below) {
        const char* const value = std::getenv(variable);
        std::string rest = value == nullptr ? "" : value;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            folders.push_back(fs::path(rest.substr(0, end)) / below);
            rest.erase(0, end + 1);
        }
    };
    add("PATH", "");
    add("CUDA_HOME", "bin");
    folders.emplace_back("/usr/local/cuda/bin");
    for (const fs::path& folder : folders) {
        const fs::path program = folder / "ptxas";
        if (::access(program.c_str(), X_OK) == 0 && !fs::is_directory(program)) { return program; }
    }
    throw InputError(
        "program.code = native: ptxas is in no folder of PATH, in $CUDA_HOME/bin or /usr/local/cuda/bin; install "
        "CUDA's "
        "compiler, or give program.cubin=FILE");
}

/// Runs the program with its messages in a file; returns its exit status, or -1.
int run_program(const std::vector<std::string>& words, const fs::path& messages) {
    std::vector<char*> arguments;
    for (const std::string& word : words) { arguments.push_back(const_cast<char*>(word.c_str())); }
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        if (std::freopen(messages.c_str(), "w", stdout) == nullptr || ::dup2(1, 2) < 0) { std::_Exit(127); }
        ::execv(arguments[0], arguments.data());
        std::_Exit(127);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) { return -1; }
    return WEXITSTATUS(status);
}

std::vector<std::byte> compile(std::string_view ptx, std::string_view file, unsigned architecture) {
    const fs::path ptxas = find_ptxas();
    const TemporaryFolder folder;
    const fs::path source = folder / "code.ptx", result = folder / "code.cubin", messages = folder / "messages";
    std::ofstream(source, std::ios::binary) << ptx;
    const int status = run_program(
        {ptxas.string(), fmt::format("-arch=sm_{}", architecture), "-o", result.string(), source.string()}, messages);
    if (status != 0) {
        std::ifstream in(messages);
        std::string first;
        std::getline(in, first);
        throw InputError("{}: {} cannot compile it for sm_{}: {}", file, ptxas.string(), architecture, first);
    }
    return read_whole(result);
}

}  // namespace

bool runs_native_code(const Configuration& configuration) {
    return configuration.read<ProgramParameters>("program").code == "native";
}

native::Cubin native_program(std::string_view ptx, std::string_view file, const Configuration& configuration) {
    const auto parameters = configuration.read<ProgramParameters>("program");
    const unsigned architecture = configuration.read<finaliser::IsaOptions>("isa").native;
    if (architecture == 0) {
        throw ConfigurationError(
            "program.code = native: the machine executes no native code (isa.native = 0); h100 executes that of sm_90");
    }
    if (finaliser::configured_transform(configuration) != nullptr) {
        throw ConfigurationError(
            "program.code = native: kernel.transform = {} changes what the finaliser makes of PTX, and native code "
            "stays "
            "as it is; use kernel.transform = none or program.code = ptx",
            chosen_variant<finaliser::KernelTransform>(configuration));
    }
    const std::string name = parameters.cubin.empty() ? std::string(file) : parameters.cubin;
    const std::vector<std::byte> bytes =
        parameters.cubin.empty() ? compile(ptx, file, architecture) : read_whole(parameters.cubin);
    native::Cubin cubin = native::read_cubin(bytes, name);
    if (cubin.architecture != architecture) {
        throw ConfigurationError("{} is for sm_{}; the machine executes the code of sm_{} (isa.native)", name,
                                 cubin.architecture, architecture);
    }
    return cubin;
}

isa::KernelTable native_kernels(std::string_view ptx, std::string_view file, const Configuration& configuration) {
    const auto parameters = configuration.read<ProgramParameters>("program");
    return native::lower(native_program(ptx, file, configuration), parameters.cubin.empty() ? file : parameters.cubin,
                         gpu::simt_model(configuration) == isa::SimtModel::convergence_barrier);
}

}  // namespace lookahead
