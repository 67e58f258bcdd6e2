#include "experiments/sweep/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "components/machine/machine.h"
#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "core/state/state_hasher.h"
#include "experiments/machines/brought_transforms.h"
#include "experiments/machines/machines.h"
#include "experiments/results/provenance.h"
#include "hdf5_schemas/run_schema.h"

namespace lookahead {

namespace {

/// A point's accumulated changes: the study's, then those of each axis in order.
struct Choice {
    std::string machine;
    std::vector<std::string> options;
    std::vector<std::string> settings;
    std::vector<std::string> labels;
};

std::vector<Choice> choices(const Study& study) {
    std::vector<Choice> all{{study.machine, study.options, {}, {}}};
    for (const Axis& axis : study.axes) {
        std::vector<Choice> longer;
        for (const Choice& choice : all) {
            for (const AxisValue& value : axis.values) {
                Choice next = choice;
                next.machine = value.machine.empty() ? next.machine : value.machine;
                next.options.insert(next.options.end(), value.options.begin(), value.options.end());
                next.settings.insert(next.settings.end(), value.settings.begin(), value.settings.end());
                next.labels.push_back(value.name);
                longer.push_back(std::move(next));
            }
        }
        all = std::move(longer);
    }
    return all;
}

/// The determinants of a point's machine, without those of its workload.
std::vector<std::string> machine_of(const Choice& choice) {
    std::vector<std::string> texts{choice.machine};
    texts.insert(texts.end(), choice.options.begin(), choice.options.end());
    return texts;
}

/// Machines already read: thousands of points differ in only one key.
using Machines = std::map<std::string, Configuration>;

Configuration configuration_of(const Choice& choice, Machines& machines) {
    auto known = machines.find(choice.machine);
    if (known == machines.end()) { known = machines.emplace(choice.machine, load_machine(choice.machine)).first; }
    Configuration configuration = known->second;
    for (const std::string& option : choice.options) { configuration.override_value(option); }
    bring_transforms(configuration);
    return configuration;
}

void check_machine(const Configuration& configuration) {
    gpu::Machine(configuration, {}, [](Device&) {}).check_processes();
}

/// The workload's own settings, and after them the axes'.
std::vector<std::string> settings_of(const Study& study, const std::string& workload, const Choice& choice) {
    const auto own = study.settings.find(workload);
    std::vector<std::string> all = own == study.settings.end() ? std::vector<std::string>{} : own->second;
    all.insert(all.end(), choice.settings.begin(), choice.settings.end());
    return all;
}

RunRequest request_of(const Study& study, const std::string& workload, const Choice& choice,
                      const Configuration& configuration) {
    RunRequest request;
    request.workload = workload_of(workload);
    if (!has_own_inputs(request.workload)) {
        request.size = study.size;
        request.context = {parse_size(study.size), study.seed};
    }
    request.machine = choice.machine;
    request.max_instructions = study.max_instructions;
    request.configuration = configuration;
    if (request.workload != workload) {
        request.configuration.override_value(fmt::format("{}.file={}", request.workload, workload));
    }
    for (const std::string& setting : settings_of(study, workload, choice)) {
        request.configuration.override_value(fmt::format("{}.{}", request.workload, setting));
    }
    return request;
}

std::vector<std::string> arguments_of(const Study& study, const std::string& workload, const Choice& choice) {
    std::vector<std::string> arguments{workload, "--machine", choice.machine};
    if (!has_own_inputs(workload_of(workload))) {
        arguments.insert(arguments.end(), {"--size", study.size, "--seed", std::to_string(study.seed)});
    }
    for (const std::string& option : choice.options) { arguments.insert(arguments.end(), {"-o", option}); }
    for (const std::string& setting : settings_of(study, workload, choice)) {
        arguments.insert(arguments.end(), {"--set", setting});
    }
    if (study.max_instructions != 0) {
        arguments.insert(arguments.end(), {"--max-instructions", std::to_string(study.max_instructions)});
    }
    return arguments;
}

std::string name_of(const Study& study, const std::string& workload, const Choice& choice) {
    std::string name = workload;
    for (std::size_t i = 0; i < choice.labels.size(); ++i) {
        name += fmt::format(", {} {}", study.axes[i].name, choice.labels[i]);
    }
    return name;
}

}  // namespace

std::string program_hash() {
    const std::string id = build_id();
    return id.empty() ? hash_of_file("/proc/self/exe") : id;
}

std::vector<SweepPoint> plan_sweep(const Study& study) {
    check_study(study);
    const std::string program = program_hash();
    const std::vector<Choice> all = choices(study);
    std::vector<SweepPoint> points;
    std::set<std::vector<std::string>> checked;
    Machines machines;
    for (const std::string& workload : study.workloads) {
        for (const Choice& choice : all) {
            try {
                const Configuration configuration = configuration_of(choice, machines);
                const RunRequest request = request_of(study, workload, choice, configuration);
                if (checked.insert(machine_of(choice)).second) { check_machine(configuration); }
                make_variant<Workload>(request.workload, request.configuration,
                                       request.context);  // checks its keys
                std::vector<std::string> inputs = input_files(request.workload, request.configuration);
                std::ranges::transform(inputs, inputs.begin(), hash_of_file);
                points.push_back({workload, choice.labels, arguments_of(study, workload, choice),
                                  point_key(run_id_of(request), program, inputs)});
            } catch (const ConfigurationError& error) {
                throw ConfigurationError("study {}, point ({}): {}", study.name, name_of(study, workload, choice),
                                         error.what());
            }
        }
    }
    return points;
}

Json points_to_json(std::span<const SweepPoint> points) {
    Json::Array all;
    all.reserve(points.size());
    for (const SweepPoint& point : points) {
        all.push_back(Json::Array{point.key, point.workload, point.labels, point.arguments});
    }
    return all;
}

std::vector<SweepPoint> points_from_json(const Json& all) {
    constexpr std::size_t kColumns = 4;
    std::vector<SweepPoint> points;
    points.reserve(all.elements().size());
    for (const Json& row : all.elements()) {
        const Json::Array& columns = row.elements();
        if (columns.size() != kColumns) {
            throw JsonError(fmt::format("{} is not a point: key, workload, labels, arguments", row.text()));
        }
        points.push_back({columns[1].as_text(), columns[2].as_texts(), columns[3].as_texts(), columns[0].as_text()});
    }
    return points;
}

std::string point_key(const std::string& run_id, const std::string& program,
                      const std::vector<std::string>& input_hashes) {
    StateHasher hasher;
    hasher.add_bytes(run_id.data(), run_id.size());
    hasher.add_bytes(program.data(), program.size());
    for (const std::string& hash : input_hashes) { hasher.add_bytes(hash.data(), hash.size()); }
    return hash_text(hasher.value());
}

std::string fault_of_result(const SweepPoint& point, const std::string& file, const std::string& program) {
    const hdf5::InputFile result(file);
    const hdf5::Group root = result.root();
    const hdf5::Group meta = root.open_group(run_schema::kMetaGroup);
    if (meta.text_attribute(run_schema::kMetaProgramHashAttribute) != build_id()) {
        return "a program other than the sweep's ran the point: start the sweep again";
    }
    const auto inputs = meta.attribute_as<std::vector<std::string>>(run_schema::kMetaInputHashesAttribute);
    return point_key(root.text_attribute(run_schema::kRunIdAttribute), program, inputs) == point.key
               ? ""
               : "the point ran on files that have changed since the sweep was planned: start the sweep again";
}

}  // namespace lookahead
