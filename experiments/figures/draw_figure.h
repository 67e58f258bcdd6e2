#pragma once

#include <cstdint>
#include <optional>
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

struct StudyPageOptions {
    std::string page;                        ///< to write; pages of runs are in a folder beside it
    std::vector<std::string> baseline = {};  ///< "AXIS=VALUE"
    std::optional<std::uint64_t> run_pages;  ///< how many runs get a page; nothing: the script's default
};

/// Likewise, an HTML page of a whole study from the folder of its sweep.
ExitCode write_study_page(const std::string& python, const std::string& sweep, const StudyPageOptions& options);

/// Gives the script to `python`, a program found in PATH, which prints a paper's figure as a table of ours with the
/// paper's figures beside it, and draws it to `image` unless that is empty. `sweep` is the folder of the figure's study. The exit code is the script's.
ExitCode draw_figure(const std::string& python, const std::string& figure, const std::string& sweep,
                     const std::string& image);

}  // namespace lookahead
