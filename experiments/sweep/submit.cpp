#include "experiments/sweep/submit.h"

#include <filesystem>
#include <map>

#include "core/error/error.h"
#include "core/files/shell_command.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

namespace {

/// Refuses characters with a meaning inside a shell's '"', and line ends, which would end an #SBATCH line.
void require_plain(const std::string& what, const std::string& text) {
    if (text.find_first_of("\"$`\\\n") != std::string::npos) {
        throw ConfigurationError(
            "the {} '{}' has a character that a job's script cannot contain: one of \" $ ` \\ or a new line", what,
            text);
    }
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) { text += fmt::format("{}{}\"", (text.empty() ? "\"" : " \""), word); }
    return text;
}

std::string name_of_sweep(const std::string& folder) {
    return std::filesystem::path(folder).stem().string();
}

}  // namespace

std::string job_script(const SlurmJob& job) {
    std::string more = job.partition.empty() ? "" : fmt::format("#SBATCH --partition={}\n", job.partition);
    more += job.array > 1 ? fmt::format("#SBATCH --array=0-{}\n", job.array - 1) : "";
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
        const std::string mark = fmt::format("@{}@", name);
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
            text.replace(at, mark.size(), value);
        }
    }
    return text;
}

std::string write_job(const SlurmJob& job) {
    SweepFolder(job.folder).write("job.sbatch", job_script(job));
    return fmt::format("{}/job.sbatch", job.folder);
}

std::string submit_job(const std::string& script) {
    const CommandEnd end = run_shell_command(fmt::format("sbatch {}", shell_word(script)));
    if (end.status != 0) {
        throw ConfigurationError("sbatch rejects {}: {}; the script is kept, and may be submitted by hand", script,
                                 end.output);
    }
    return end.output;
}

}  // namespace lookahead
