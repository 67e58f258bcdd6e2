#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error/error.h"

namespace lookahead {

/// The modules of experiments/analysis/lookahead_analysis that draw, as one script, whose first argument is the module that
/// is to be run.
std::string_view figures_script();

/// Gives the script to `python`, a program found in PATH, which writes an HTML page of charts from result files. The exit
/// code is the script's.
ExitCode write_page(const std::string& python, const std::vector<std::string>& files, const std::string& page);

/// Gives the script to `python`, a program found in PATH, which prints a paper's figure as a table of ours with the
/// paper's figures beside it, and draws it to `image` unless that is empty. `sweep` is the folder of the figure's study. The exit code is the script's.
ExitCode draw_figure(const std::string& python, const std::string& figure, const std::string& sweep,
                     const std::string& image);

}  // namespace lookahead
