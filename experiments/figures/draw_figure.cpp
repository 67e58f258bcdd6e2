#include "experiments/figures/draw_figure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace lookahead {
namespace {

constexpr int kNoPython = 127;

[[noreturn]] void become_python(int input, std::vector<std::string> arguments) {
    dup2(input, STDIN_FILENO);
    close(input);
    std::vector<char*> words;
    for (std::string& argument : arguments) { words.push_back(argument.data()); }
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(kNoPython);
}

void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return;  // python3 has ended; its exit code tells the reason
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

ExitCode run_script(const std::string& python, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {python, "-"});
    int ends[2];
    if (pipe(ends) != 0) { throw InputError(std::string("no pipe to python3: ") + std::strerror(errno)); }
    const pid_t child = fork();
    if (child < 0) { throw InputError("{} cannot be started: {}", python, std::strerror(errno)); }
    if (child == 0) {
        close(ends[1]);
        become_python(ends[0], std::move(arguments));
    }
    close(ends[0]);
    auto* const before = std::signal(SIGPIPE, SIG_IGN);
    write_all(ends[1], figures_script());
    close(ends[1]);
    std::signal(SIGPIPE, before);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == kNoPython) {
        throw ConfigurationError(
            "{}, which draws figures, is not there; install Python with h5py, pandas and matplotlib, or name one that "
            "has them with --python",
            python);
    }
    return code == 0 ? ExitCode::done : code == 3 ? ExitCode::bad_input : ExitCode::usage;
}

/// Whether the program is a Python that has the packages.
bool has_packages(const std::string& python) {
    constexpr const char* kLook =
        "import sys; from importlib.util import find_spec as has; "
        "sys.exit(not all(map(has, ('h5py', 'numpy', 'pandas', 'matplotlib'))))";
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDWR);
        for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) { dup2(nothing, each); }
        execl(python.c_str(), python.c_str(), "-c", kLook, nullptr);
        _exit(kNoPython);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string find_python() {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(fmt::format("{}:/usr/bin", path == nullptr ? "" : path));
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string python = fmt::format("{}/python3", folder);
        if (!folder.empty() && access(python.c_str(), X_OK) == 0 && has_packages(python)) { return python; }
    }
    return "python3";
}

ExitCode write_page(const std::string& python, const std::vector<std::string>& files, const std::string& page) {
    std::vector<std::string> arguments{"page", "-o", page, "--"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    return run_script(python, std::move(arguments));
}

ExitCode write_study_page(const std::string& python, const std::string& sweep, const StudyPageOptions& options) {
    std::vector<std::string> arguments{"study_page", "-o", options.page};
    for (const std::string& value : options.baseline) { arguments.insert(arguments.end(), {"--baseline", value}); }
    if (options.run_pages) { arguments.insert(arguments.end(), {"--run-pages", std::to_string(*options.run_pages)}); }
    arguments.insert(arguments.end(), {"--", sweep});
    return run_script(python, std::move(arguments));
}

ExitCode draw_figure(const std::string& python, const std::string& figure, const std::string& sweep,
                     const std::string& image) {
    std::vector<std::string> arguments{"figures", figure, sweep};
    if (!image.empty()) { arguments.insert(arguments.end(), {"-o", image}); }
    return run_script(python, std::move(arguments));
}

}  // namespace lookahead
