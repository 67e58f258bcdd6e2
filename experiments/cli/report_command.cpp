// `report`: pages of charts from runs, papers' figures from sweeps.
#include <memory>
#include <string>
#include <vector>

#include "experiments/cli/commands.h"
#include "experiments/cli/free_path.h"
#include "experiments/cli/session.h"
#include "experiments/figures/draw_figure.h"

namespace lookahead::cli {

void add_report_command(Command program, Session& session) {
    struct Options {
        std::vector<std::string> files;
        std::string figure;
        std::string out;
        std::string python = "python3";
    };
    Command command =
        program.add_command("report",
                            "A page of charts from result files; or, with --figure, a paper's figure from a "
                            "sweep, with the paper's own beside it.");
    const auto options = std::make_shared<Options>();
    command.add_option("FILE", options->files, "Result files of runs; or, with --figure, the folder of its sweep")
        .required();
    command.add_option("--figure", options->figure, "Which figure of a paper, as caps/fig10");
    command.add_option("--out,-o", options->out,
                       "Page to write [report.html, or where that is there report-2.html ..]; or image of the figure, "
                       "without which only its table is printed");
    command.add_option("--python", options->python, "Python with h5py, pandas and matplotlib").show_default();
    command.when_given([&session, options] {
        session.action = [&session, options] {
            if (session.transport.size() > 1) {
                throw ConfigurationError("a report is made without mpirun");
            }
            if (options->figure.empty()) {
                return write_page(options->python, options->files,
                                  options->out.empty() ? free_path("report.html") : options->out);
            }
            if (options->files.size() > 1) {
                throw ConfigurationError("a figure is of one sweep; give one folder");
            }
            return draw_figure(options->python, options->figure, options->files.front(), options->out);
        };
    });
}

}  // namespace lookahead::cli
