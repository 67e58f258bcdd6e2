#include "experiments/checkpoint/checkpoint.h"

#include <fmt/core.h>

#include <cstring>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "experiments/results/provenance.h"
#include "hdf5_schemas/checkpoint_schema.h"
#include "hdf5_schemas/validate.h"

namespace lookahead {

namespace {

namespace schema = checkpoint_schema;
using hdf5::Dataset;
using hdf5::Group;

void write_bytes(Group& group, const DatasetName& name, const std::string& bytes) {
    std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
    if (!bytes.empty()) {
        std::memcpy(words.data(), bytes.data(), bytes.size());
    }
    group.write_column<std::uint32_t>(name.name, words, meaning_of(name));
}

/// Gives out the bytes of a dataset piece by piece.
class ByteReader {
  public:
    ByteReader(const std::string& path, const Group& group, const DatasetName& name)
        : place_(fmt::format("{}: {}/{}", path, group.name(), name.name)),
          words_(group.open_dataset(name.name).read<std::uint32_t>()) {}

    std::string take(std::uint64_t bytes) {
        if (bytes > words_.size() * sizeof(std::uint32_t) - at_) {
            throw InputError(fmt::format("{} is too short: {} bytes are to begin at {}", place_, bytes, at_));
        }
        std::string taken(reinterpret_cast<const char*>(words_.data()) + at_, bytes);
        at_ += bytes;
        return taken;
    }

  private:
    std::string place_;
    std::vector<std::uint32_t> words_;
    std::uint64_t at_ = 0;
};

void write_run(Group& root, const Checkpoint& checkpoint) {
    root.set_attribute(schema::kSchemaAttribute, schema::kId);
    root.set_attribute(schema::kSchemaVersionAttribute, schema::kVersion);
    root.set_attribute(schema::kGitRevisionAttribute, git_revision());
    root.set_attribute(schema::kRunIdAttribute, checkpoint.run_id);
    root.set_attribute(schema::kWorkloadAttribute, checkpoint.workload);
    root.set_attribute(schema::kSizeAttribute, checkpoint.size);
    root.set_attribute(schema::kSeedAttribute, checkpoint.seed);
    root.set_attribute(schema::kMachineAttribute, checkpoint.machine);
    root.set_attribute(schema::kMaxCyclesAttribute, checkpoint.max_cycles);
    root.set_attribute(schema::kMaxInstructionsAttribute, checkpoint.max_instructions);
    root.set_attribute(schema::kTimeFsAttribute, std::int64_t{checkpoint.state.time});
    root.set_attribute(schema::kCycleAttribute, checkpoint.cycle);
    root.create_group(schema::kConfigGroup)
        .write_scalar(schema::kConfigToml.name, checkpoint.configuration.effective_toml(),
                      meaning_of(schema::kConfigToml));
    std::vector<std::string> files;
    std::vector<std::string> hashes;
    for (const auto& [file, hash] : checkpoint.inputs) {
        files.push_back(file);
        hashes.push_back(hash);
    }
    Group inputs = root.create_group(schema::kInputsGroup);
    inputs.write_texts(schema::kInputsFile.name, files, meaning_of(schema::kInputsFile));
    inputs.write_texts(schema::kInputsHash.name, hashes, meaning_of(schema::kInputsHash));
}

void write_processes(Group table, Group contents, const Checkpoint& checkpoint) {
    const auto& processes = checkpoint.state.processes;
    std::vector<std::uint64_t> ids;
    std::vector<std::uint64_t> state_bytes;
    std::vector<std::uint64_t> message_bytes;
    std::vector<std::uint64_t> traffic_hashes;
    std::vector<std::uint64_t> state_hashes;
    std::string states;
    std::string messages;
    for (const ProcessCheckpoint& process : processes) {
        ids.push_back(process.id);
        state_bytes.push_back(process.state.size());
        message_bytes.push_back(process.messages.size());
        traffic_hashes.push_back(process.traffic_hash);
        state_hashes.push_back(process.state_hash);
        states += process.state;
        messages += process.messages;
    }
    Dataset scale = table.write_column<std::uint64_t>(schema::kProcessesId.name, ids, meaning_of(schema::kProcessesId));
    scale.make_scale(schema::kProcessesId.name);
    const auto column = [&](const DatasetName& name, const std::vector<std::uint64_t>& values) {
        table.write_column<std::uint64_t>(name.name, values, meaning_of(name)).attach_scale(0, scale);
    };
    table.write_texts(schema::kProcessesName.name, checkpoint.names, meaning_of(schema::kProcessesName))
        .attach_scale(0, scale);
    column(schema::kProcessesStateBytes, state_bytes);
    column(schema::kProcessesMessageBytes, message_bytes);
    column(schema::kProcessesTrafficHash, traffic_hashes);
    column(schema::kProcessesStateHash, state_hashes);
    const std::string configuration = checkpoint.configuration.to_bytes();
    contents.set_attribute(schema::kContentsConfigurationBytesAttribute, std::uint64_t{configuration.size()});
    contents.set_attribute(schema::kContentsSeriesBytesAttribute, std::uint64_t{checkpoint.series.size()});
    write_bytes(contents, schema::kContentsConfiguration, configuration);
    write_bytes(contents, schema::kContentsStates, states);
    write_bytes(contents, schema::kContentsMessages, messages);
    write_bytes(contents, schema::kContentsSeries, checkpoint.series);
}

template <class T>
T attribute(const Group& group, const char* name) {
    return std::get<T>(group.attribute(name));
}

void read_run(const Group& root, Checkpoint& checkpoint) {
    checkpoint.run_id = root.text_attribute(schema::kRunIdAttribute);
    checkpoint.workload = root.text_attribute(schema::kWorkloadAttribute);
    checkpoint.size = root.text_attribute(schema::kSizeAttribute);
    checkpoint.seed = attribute<std::uint64_t>(root, schema::kSeedAttribute);
    checkpoint.machine = root.text_attribute(schema::kMachineAttribute);
    checkpoint.max_cycles = attribute<std::uint64_t>(root, schema::kMaxCyclesAttribute);
    checkpoint.max_instructions = attribute<std::uint64_t>(root, schema::kMaxInstructionsAttribute);
    checkpoint.cycle = attribute<std::uint64_t>(root, schema::kCycleAttribute);
    checkpoint.state.time = attribute<std::int64_t>(root, schema::kTimeFsAttribute);
    const Group inputs = root.open_group(schema::kInputsGroup);
    const auto files = inputs.open_dataset(schema::kInputsFile.name).read_texts();
    const auto hashes = inputs.open_dataset(schema::kInputsHash.name).read_texts();
    for (std::size_t i = 0; i < files.size(); ++i) {
        checkpoint.inputs.emplace_back(files[i], hashes[i]);
    }
}

void read_processes(const std::string& path, const Group& root, Checkpoint& checkpoint) {
    const Group table = root.open_group(schema::kProcessesGroup);
    const Group contents = root.open_group(schema::kContentsGroup);
    const auto column = [&](const DatasetName& name) { return table.open_dataset(name.name).read<std::uint64_t>(); };
    const auto ids = column(schema::kProcessesId);
    const auto state_bytes = column(schema::kProcessesStateBytes);
    const auto message_bytes = column(schema::kProcessesMessageBytes);
    const auto traffic_hashes = column(schema::kProcessesTrafficHash);
    const auto state_hashes = column(schema::kProcessesStateHash);
    checkpoint.names = table.open_dataset(schema::kProcessesName.name).read_texts();
    ByteReader states(path, contents, schema::kContentsStates);
    ByteReader messages(path, contents, schema::kContentsMessages);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        checkpoint.state.processes.push_back({static_cast<LpId>(ids[i]), states.take(state_bytes[i]),
                                              messages.take(message_bytes[i]), traffic_hashes[i], state_hashes[i]});
    }
    const auto whole = [&](const DatasetName& name, const char* size) {
        return ByteReader(path, contents, name).take(attribute<std::uint64_t>(contents, size));
    };
    checkpoint.series = whole(schema::kContentsSeries, schema::kContentsSeriesBytesAttribute);
    checkpoint.configuration =
        Configuration::from_bytes(whole(schema::kContentsConfiguration, schema::kContentsConfigurationBytesAttribute));
}

void check_inputs(const std::string& path, const Checkpoint& checkpoint) {
    for (const auto& [file, hash] : checkpoint.inputs) {
        if (hash_of_file(file) != hash) {
            throw InputError(fmt::format("{}: {}, which its run reads, has changed since", path, file));
        }
    }
}

}  // namespace

void write_checkpoint(const Checkpoint& checkpoint, const std::string& path) {
    hdf5::OutputFile file(path);
    {
        Group root = file.root();
        write_run(root, checkpoint);
        write_processes(root.create_group(schema::kProcessesGroup), root.create_group(schema::kContentsGroup),
                        checkpoint);
    }
    file.commit();
}

Checkpoint read_checkpoint(const std::string& path) {
    require_valid(path, schema::kId);
    const hdf5::InputFile file(path);
    const Group root = file.root();
    const std::string revision = root.text_attribute(schema::kGitRevisionAttribute);
    if (revision != git_revision()) {
        throw InputError(
            fmt::format("{}: written by revision {} of the program, which alone can go on from it; this is {}", path,
                        revision, git_revision()));
    }
    Checkpoint checkpoint;
    read_run(root, checkpoint);
    read_processes(path, root, checkpoint);
    check_inputs(path, checkpoint);
    return checkpoint;
}

}  // namespace lookahead
