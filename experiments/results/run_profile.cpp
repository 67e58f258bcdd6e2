#include "experiments/results/run_profile.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "hdf5_schemas/run_schema.h"

namespace lookahead {

namespace {

namespace schema = run_schema;
using hdf5::Group;

Group engine_group(const hdf5::InputFile& file, const std::string& path, const char* name) {
    const Group root = file.root();
    const bool found = root.has(schema::kEngineGroup) && root.open_group(schema::kEngineGroup).has(name);
    if (!found) {
        throw InputError("{}: there is no /engine/{}; give the result file of a run by this version of the program",
                         path, name);
    }
    return root.open_group(schema::kEngineGroup).open_group(name);
}

}  // namespace

std::vector<double> read_process_seconds(const std::string& path, const Model& model) {
    const hdf5::InputFile file(path);
    const Group group = engine_group(file, path, schema::kEnginePerProcessGroup);
    const auto names = group.open_dataset(schema::kEnginePerProcessProcess.name).read_texts();
    const auto seconds = group.open_dataset(schema::kEnginePerProcessComputeSeconds.name).read<double>();
    std::unordered_map<std::string, double> by_name;
    for (std::size_t i = 0; i < names.size(); ++i) { by_name.emplace(names[i], seconds.at(i)); }
    std::vector<double> work;
    for (const LpDescription& process : model.processes()) {
        const auto found = by_name.find(process.name);
        if (found == by_name.end()) {
            throw InputError("{}: the run had no logical process {}; give one from a machine with the same parts", path,
                             process.name);
        }
        // The host works between kernels, when the other processes hardly do. If its time counted, ranks would be
        // unequal while kernels run.
        work.push_back(process.kind == "host" ? 0 : found->second);
    }
    if (std::accumulate(work.begin(), work.end(), 0.0) <= 0) { throw InputError("{}: the run measured no work", path); }
    return work;
}

WindowLog read_window_log(const std::string& path, const Model& model) {
    const hdf5::InputFile file(path);
    const auto names = engine_group(file, path, schema::kEnginePerProcessGroup)
                           .open_dataset(schema::kEnginePerProcessProcess.name)
                           .read_texts();
    const auto processes = model.processes();
    const auto is_named = [](const std::string& name, const LpDescription& process) { return name == process.name; };
    if (!std::equal(names.begin(), names.end(), processes.begin(), processes.end(), is_named)) {
        throw InputError("{}: the run used another machine: its logical processes differ from this machine's", path);
    }
    const Group group = engine_group(file, path, schema::kEnginePerWindowGroup);
    WindowLog log;
    log.start = group.open_dataset(schema::kEnginePerWindowStartFs.name).read<std::int64_t>();
    log.nanoseconds = group.open_dataset(schema::kEnginePerWindowComputeNs.name).read<std::uint32_t>();
    log.messages = group.open_dataset(schema::kEnginePerWindowMessages.name).read<std::uint64_t>();
    if (log.start.empty()) { throw InputError("{}: the run did not log its windows; run it with --log-windows", path); }
    if (log.nanoseconds.size() != log.start.size() * processes.size() ||
        log.messages.size() != processes.size() * processes.size()) {
        throw InputError("{}: the log of windows is damaged: it does not have {} processes in each of its {} windows",
                         path, processes.size(), log.start.size());
    }
    return log;
}

Time read_epoch_length(const std::string& path) {
    constexpr const char* kEpoch = "run.epoch";
    const hdf5::InputFile file(path);
    const Group root = file.root();
    if (!root.has(schema::kConfigGroup) || !root.open_group(schema::kConfigGroup).has(kEpoch)) {
        throw InputError("{}: there is no /config/{}; give the result file of a run", path, kEpoch);
    }
    return root.open_group(schema::kConfigGroup).open_dataset(kEpoch).read<std::int64_t>().at(0) *
           kFemtosecondsPerNanosecond;
}

}  // namespace lookahead
