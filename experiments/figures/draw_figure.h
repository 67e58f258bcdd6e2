#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error/error.h"

namespace lookahead {

/// The drawing modules of experiments/analysis/lookahead_analysis as one script; its first argument is the module to
/// run.
std::string_view figures_script();

/// The first python3 of PATH and /usr/bin that has the packages which the script needs; "python3" if none has them.
std::string find_python();

/// Runs the script with `python`, found in PATH; it writes an HTML page of charts from result files. Returns the
/// script's exit code.
ExitCode write_page(const std::string& python, const std::vector<std::string>& files, const std::string& page);

struct StudyPageOptions {
    std::string page;                        ///< to write; pages of runs are in a folder beside it
    std::vector<std::string> baseline = {};  ///< "AXIS=VALUE"
    std::optional<std::uint64_t> run_pages;  ///< how many runs get a page; nothing: the script's default
};

/// The same for an HTML page of a whole study, from the folder of its sweep.
ExitCode write_study_page(const std::string& python, const std::string& sweep, const StudyPageOptions& options);

/// Runs the script with `python`, found in PATH; it prints a paper's figure as a table of our figures and the paper's,
/// and draws it to `image` unless that is empty. `sweep`: the folder of the figure's study. Returns the script's exit
/// code.
ExitCode draw_figure(const std::string& python, const std::string& figure, const std::string& sweep,
                     const std::string& image);

}  // namespace lookahead
