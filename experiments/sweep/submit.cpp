#include "experiments/sweep/submit.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

#include "core/error/error.h"
#include "experiments/sweep/slurm_template.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

namespace {

/// Refuses characters with a meaning inside a shell's '"', and line ends, which would end an #SBATCH line.
void require_plain(const std::string& what, const std::string& text) {
    if (text.find_first_of("\"$`\\\n") != std::string::npos) {
        throw ConfigurationError("the " + what + " '" + text + "' has a character that a job's script cannot have: " +
                                 "one of \" $ ` \\ or a new line");
    }
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) { text += (text.empty() ? "\"" : " \"") + word + "\""; }
    return text;
}

std::string name_of_sweep(const std::string& folder) {
    return std::filesystem::path(folder).stem().string();
}

}  // namespace

std::string job_script(const SlurmJob& job) {
    std::string more = job.partition.empty() ? "" : "#SBATCH --partition=" + job.partition + "\n";
    more += job.array > 1 ? "#SBATCH --array=0-" + std::to_string(job.array - 1) + "\n" : "";
    const std::map<std::string, std::string> values{{"NAME", name_of_sweep(job.folder)},
                                                    {"NODES", std::to_string(job.nodes)},
                                                    {"TASKS", std::to_string(job.tasks_per_node)},
                                                    {"TIME", job.time},
                                                    {"GRACE", std::to_string(job.grace_s)},
                                                    {"FOLDER", job.folder},
                                                    {"MPIRUN", job.mpirun},
                                                    {"BINDING", "--bind-to core"},
                                                    {"PROGRAM", job.program},
                                                    {"STUDY", job.study},
                                                    {"MORE", more},
                                                    {"OPTIONS", joined(job.options)}};
    for (const char* each : {"FOLDER", "PROGRAM", "STUDY", "MPIRUN", "TIME"}) { require_plain(each, values.at(each)); }
    require_plain("PARTITION", job.partition);
    std::string text = kSlurmTemplate;
    for (const auto& [name, value] : values) {
        const std::string mark = "@" + name + "@";
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
            text.replace(at, mark.size(), value);
        }
    }
    return text;
}

std::string write_job(const SlurmJob& job) {
    SweepFolder(job.folder).write("job.sbatch", job_script(job));
    return job.folder + "/job.sbatch";
}

std::string submit_job(const std::string& script) {
    std::FILE* const pipe = ::popen(("sbatch \"" + script + "\" 2>&1").c_str(), "re");
    if (pipe == nullptr) { throw ConfigurationError("sbatch cannot be started"); }
    std::string said;
    std::array<char, 256> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) { said += piece.data(); }
    const int status = ::pclose(pipe);
    while (!said.empty() && said.back() == '\n') { said.pop_back(); }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw ConfigurationError("sbatch does not take " + script + ": " + said +
                                 "; the script stays, and may be submitted by hand");
    }
    return said;
}

}  // namespace lookahead
