#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace lookahead {

/// A paper that uses a workload, as the paper's folder in experiments/studies says.
struct InPaper {
    std::string_view paper;  ///< "CAPS"
    std::string_view name;   ///< the workload's in the paper
    std::string_view kind;   ///< the class that the paper gives it: "irregular"
};

/// What a workload's `workload.toml` says of it, and which papers use it: the manifest is all of these together.
struct ManifestEntry {
    std::string_view name;
    std::string_view description;
    std::string_view suite;           ///< and what it is called there
    std::span<const InPaper> papers;  ///< in the papers' order

    /// Whether the paper of this name uses it.
    bool is_in(std::string_view paper) const {
        return std::ranges::find(papers, paper, &InPaper::paper) != papers.end();
    }
};

/// In the order of their names.
std::span<const ManifestEntry> workload_manifest();

}  // namespace lookahead
