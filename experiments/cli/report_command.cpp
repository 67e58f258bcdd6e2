// `report`: papers' figures from sweeps.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "experiments/cli/commands.h"
#include "experiments/cli/session.h"
#include "experiments/figures/draw_figure.h"

namespace lookahead::cli {

void add_report_command(CLI::App& program, Session& session) {
    struct Options {
        std::string sweep;
        std::string figure;
        std::string out;
        std::string python = "python3";
    };
    CLI::App* command =
        program.add_subcommand("report", "A paper's figure from a sweep, with the paper's own beside it.");
    const auto options = std::make_shared<Options>();
    command->add_option("SWEEP", options->sweep, "Folder of the figure's sweep, with its index.h5")->required();
    command->add_option("--figure", options->figure, "Which one, as caps/fig10")->required();
    command->add_option("--out,-o", options->out, "Image to draw; without it only the table is printed");
    command->add_option("--python", options->python, "Python with h5py, pandas and matplotlib")->capture_default_str();
    command->callback([&session, options] {
        session.action = [&session, options] {
            if (session.transport.size() > 1) {
                throw ConfigurationError("a report is made without mpirun");
            }
            return draw_figure(options->python, options->figure, options->sweep, options->out);
        };
    });
}

}  // namespace lookahead::cli
