// `report`: pages of charts from runs and sweeps, and papers' figures from sweeps.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files/writable.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/named_files.h"
#include "experiments/cli/session.h"
#include "experiments/figures/draw_figure.h"

namespace lookahead::cli {

namespace {

bool is_sweep(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored) || std::filesystem::path(path).filename() == "index.h5";
}

}  // namespace

void add_report_command(Command program, Session& session) {
    struct Options {
        std::vector<std::string> files;
        std::string figure;
        std::string out;
        std::string python;
        std::vector<std::string> baseline;
        std::optional<std::uint64_t> run_pages;
        bool force = false;
    };
    Command command =
        program.add_command("report",
                            "Make a page of charts from result files or from a sweep; or, with --figure, a paper's "
                            "figure from a sweep, compared with the original.");
    const auto options = std::make_shared<Options>();
    command.add_option("FILE", options->files, "Result files of runs; or the folder of a sweep, as STUDY.sweep")
        .required();
    command.add_option("--figure", options->figure, "A paper's figure, such as caps/fig10");
    command
        .add_option("--out", options->out,
                    "Page to write [report.html, or if that exists report-2.html ..]; or image of the figure; without "
                    "it only its table is printed")
        .not_empty();
    command.add_unlisted("-o", options->out);
    command.add_flag("--force", options->force, "Also replace a file that is not a report");
    command
        .add_option("--baseline", options->baseline,
                    "AXIS=VALUE, the baseline of a sweep's page [the first value of each axis]; may be repeated")
        .one_value_each();
    command.add_option("--run-pages", options->run_pages,
                       "Number of a sweep's runs that get a separate page, in a folder next to the sweep's page [24]");
    command
        .add_option("--python", options->python,
                    "Python with h5py, pandas and matplotlib [the first python3 of PATH and /usr/bin that has them]")
        .not_empty();
    session.on(command, [&session, options] {
        if (session.transport.size() > 1) { throw ConfigurationError("make a report without mpirun"); }
        const bool of_sweep = std::ranges::any_of(options->files, is_sweep);
        if (of_sweep || !options->figure.empty()) {
            if (options->files.size() > 1) {
                throw ConfigurationError(of_sweep && options->figure.empty()
                                             ? "a page shows one sweep, or result files; give one folder"
                                             : "a figure shows one sweep; give one folder");
            }
        }
        const bool has_study_options = !options->baseline.empty() || options->run_pages.has_value();
        if (has_study_options && (!of_sweep || !options->figure.empty())) {
            throw ConfigurationError("--baseline and --run-pages are for the page of a sweep");
        }
        if (!options->out.empty()) {
            const auto is_one = [](const std::string& path) { return has_text(path, "lookahead report"); };
            require_writable(options->out, {"one that lookahead report wrote", is_one}, options->force);
        }
        if (options->python.empty()) { options->python = find_python(); }
        if (options->figure.empty()) {
            const std::string page = options->out.empty() ? free_path("report.html") : options->out;
            return of_sweep ? write_study_page(options->python, options->files.front(),
                                               {page, options->baseline, options->run_pages})
                            : write_page(options->python, options->files, page);
        }
        return draw_figure(options->python, options->figure, options->files.front(), options->out);
    });
}

}  // namespace lookahead::cli
