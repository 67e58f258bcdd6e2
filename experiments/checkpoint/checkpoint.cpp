#include "experiments/checkpoint/checkpoint.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "experiments/results/provenance.h"
#include "hdf5_schemas/checkpoint_schema.h"
#include "hdf5_schemas/table_writer.h"
#include "hdf5_schemas/validate.h"

namespace lookahead {

namespace {

namespace schema = checkpoint_schema;
using hdf5::Dataset;
using hdf5::Group;

constexpr std::size_t kWordBytes = sizeof(std::uint32_t);

/// Writes bytes into a column of words and fills the last word with zeros.
class ByteColumn {
  public:
    ByteColumn(Group& group, const DatasetName& name)
        : words_(group.create_growing_column<std::uint32_t>(name.name, meaning_of(name))) {}

    void append(std::string_view bytes) {
        waiting_ += bytes;
        if (waiting_.size() >= kBatchBytes) { flush(); }
    }
    void finish() {
        waiting_.resize((waiting_.size() + kWordBytes - 1) / kWordBytes * kWordBytes);
        flush();
    }

  private:
    static constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

    void flush() {
        std::vector<std::uint32_t> words(waiting_.size() / kWordBytes);
        std::memcpy(words.data(), waiting_.data(), words.size() * kWordBytes);
        words_.append<std::uint32_t>(words);
        waiting_.erase(0, words.size() * kWordBytes);
    }

    Dataset words_;
    std::string waiting_;
};

void write_bytes(Group& group, const DatasetName& name, const std::string& bytes) {
    ByteColumn column(group, name);
    column.append(bytes);
    column.finish();
}

std::string read_bytes(const Dataset& column, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t bytes = column.size() * kWordBytes;
    if (first > bytes || count > bytes - first) {
        throw InputError("{}: {} is too short: {} bytes should begin at {}", column.file_name(), column.name(), count,
                         first);
    }
    const std::uint64_t word = first / kWordBytes;
    const std::uint64_t begin = first % kWordBytes;
    const auto words = column.read_part<std::uint32_t>(word, (begin + count + kWordBytes - 1) / kWordBytes);
    return {reinterpret_cast<const char*>(words.data()) + begin, count};
}

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
    root.set_attribute(schema::kTimeFsAttribute, std::int64_t{checkpoint.time});
    root.set_attribute(schema::kCycleAttribute, checkpoint.cycle);
    root.create_group(schema::kConfigGroup)
        .write_scalar(schema::kConfigToml.name, checkpoint.configuration.effective_toml(),
                      meaning_of(schema::kConfigToml));
    using Input = std::pair<std::string, std::string>;
    Group inputs = root.create_group(schema::kInputsGroup);
    inputs.write_texts(schema::kInputsFile.name, column_of(checkpoint.inputs, &Input::first),
                       meaning_of(schema::kInputsFile));
    inputs.write_texts(schema::kInputsHash.name, column_of(checkpoint.inputs, &Input::second),
                       meaning_of(schema::kInputsHash));
}

struct ProcessTable {
    std::vector<std::uint64_t> ids;
    std::vector<std::uint64_t> state_bytes;
    std::vector<std::uint64_t> message_bytes;
    std::vector<std::uint64_t> traffic_hashes;
    std::vector<std::uint64_t> state_hashes;

    /// Visits each column with its name in the file.
    template <class Visitor>
    void columns(Visitor visit) {
        visit(schema::kProcessesStateBytes, state_bytes);
        visit(schema::kProcessesMessageBytes, message_bytes);
        visit(schema::kProcessesTrafficHash, traffic_hashes);
        visit(schema::kProcessesStateHash, state_hashes);
    }
};

void write_table(Group table, ProcessTable& processes, const std::vector<std::string>& names) {
    Dataset scale =
        table.write_column<std::uint64_t>(schema::kProcessesId.name, processes.ids, meaning_of(schema::kProcessesId));
    scale.make_scale(schema::kProcessesId.name);
    table.write_texts(schema::kProcessesName.name, names, meaning_of(schema::kProcessesName)).attach_scale(0, scale);
    processes.columns([&](const DatasetName& name, const std::vector<std::uint64_t>& values) {
        table.write_column<std::uint64_t>(name.name, values, meaning_of(name)).attach_scale(0, scale);
    });
}

ProcessTable read_table(const Group& table) {
    ProcessTable processes;
    processes.ids = table.open_dataset(schema::kProcessesId.name).read<std::uint64_t>();
    processes.columns([&](const DatasetName& name, std::vector<std::uint64_t>& values) {
        values = table.open_dataset(name.name).read<std::uint64_t>();
    });
    return processes;
}

void read_run(const Group& root, Checkpoint& checkpoint) {
    checkpoint.run_id = root.text_attribute(schema::kRunIdAttribute);
    checkpoint.workload = root.text_attribute(schema::kWorkloadAttribute);
    checkpoint.size = root.text_attribute(schema::kSizeAttribute);
    checkpoint.seed = root.attribute_as<std::uint64_t>(schema::kSeedAttribute);
    checkpoint.machine = root.text_attribute(schema::kMachineAttribute);
    checkpoint.max_cycles = root.attribute_as<std::uint64_t>(schema::kMaxCyclesAttribute);
    checkpoint.max_instructions = root.attribute_as<std::uint64_t>(schema::kMaxInstructionsAttribute);
    checkpoint.cycle = root.attribute_as<std::uint64_t>(schema::kCycleAttribute);
    checkpoint.time = root.attribute_as<std::int64_t>(schema::kTimeFsAttribute);
    const Group inputs = root.open_group(schema::kInputsGroup);
    const auto files = inputs.open_dataset(schema::kInputsFile.name).read_texts();
    const auto hashes = inputs.open_dataset(schema::kInputsHash.name).read_texts();
    for (std::size_t i = 0; i < files.size(); ++i) { checkpoint.inputs.emplace_back(files[i], hashes[i]); }
}

void read_contents(const Group& table, const Group& contents, Checkpoint& checkpoint) {
    const auto whole = [&](const DatasetName& name, const char* size) {
        return read_bytes(contents.open_dataset(name.name), 0, contents.attribute_as<std::uint64_t>(size));
    };
    checkpoint.names = table.open_dataset(schema::kProcessesName.name).read_texts();
    checkpoint.series = whole(schema::kContentsSeries, schema::kContentsSeriesBytesAttribute);
    checkpoint.configuration =
        Configuration::from_bytes(whole(schema::kContentsConfiguration, schema::kContentsConfigurationBytesAttribute));
}

void check_inputs(const std::string& path, const Checkpoint& checkpoint) {
    for (const auto& [file, hash] : checkpoint.inputs) {
        if (hash_of_file(file) != hash) {
            throw InputError("{}: {}, which its run reads, has changed since", path, file);
        }
    }
}

/// The start of each of adjacent pieces with these sizes.
std::vector<std::uint64_t> beginnings(const std::vector<std::uint64_t>& sizes) {
    std::vector<std::uint64_t> begins(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), std::uint64_t{0});
    return begins;
}

}  // namespace

struct CheckpointWriter::File {
    explicit File(const std::string& path)
        : output(path),
          contents(output.root().create_group(schema::kContentsGroup)),
          states(std::in_place, *contents, schema::kContentsStates),
          messages(std::in_place, *contents, schema::kContentsMessages) {}

    hdf5::OutputFile output;
    std::optional<Group> contents;
    std::optional<ByteColumn> states;
    std::optional<ByteColumn> messages;
    ProcessTable table;
};

CheckpointWriter::CheckpointWriter(const std::string& path) : file_(std::make_unique<File>(path)) {}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::begin(const ProcessCheckpoint& process) {
    file_->table.ids.push_back(process.id);
    file_->table.state_bytes.push_back(0);
    file_->table.message_bytes.push_back(process.messages.size());
    file_->table.traffic_hashes.push_back(process.traffic_hash);
    file_->table.state_hashes.push_back(process.state_hash);
    file_->messages->append(process.messages);
}

void CheckpointWriter::add_state(std::string_view piece) {
    file_->table.state_bytes.back() += piece.size();
    file_->states->append(piece);
}

void CheckpointWriter::finish(const Checkpoint& checkpoint) {
    file_->states->finish();
    file_->messages->finish();
    Group& contents = *file_->contents;
    const std::string configuration = checkpoint.configuration.to_bytes();
    contents.set_attribute(schema::kContentsConfigurationBytesAttribute, std::uint64_t{configuration.size()});
    contents.set_attribute(schema::kContentsSeriesBytesAttribute, std::uint64_t{checkpoint.series.size()});
    write_bytes(contents, schema::kContentsConfiguration, configuration);
    write_bytes(contents, schema::kContentsSeries, checkpoint.series);
    {
        Group root = file_->output.root();
        write_run(root, checkpoint);
        write_table(root.create_group(schema::kProcessesGroup), file_->table, checkpoint.names);
    }
    // All objects of the file must be closed.
    file_->states.reset();
    file_->messages.reset();
    file_->contents.reset();
    file_->output.commit();
}

struct CheckpointFile::File {
    explicit File(const std::string& path) : input(path) {
        require_valid(input, schema::kId);
        const Group root = input.root();
        const std::string revision = root.text_attribute(schema::kGitRevisionAttribute);
        if (revision != git_revision()) {
            throw InputError(
                "{}: written by revision {} of the program, and only that revision can continue it; this is {}", path,
                revision, git_revision());
        }
        if (!input.has_checksum()) {
            throw InputError("{}: has no checksum, with which every checkpoint ends: it was changed or cut off", path);
        }
        const Group processes = root.open_group(schema::kProcessesGroup);
        const Group contents = root.open_group(schema::kContentsGroup);
        read_run(root, checkpoint);
        read_contents(processes, contents, checkpoint);
        check_inputs(path, checkpoint);
        table = read_table(processes);
        states.emplace(contents.open_dataset(schema::kContentsStates.name));
        messages.emplace(contents.open_dataset(schema::kContentsMessages.name));
        if (!std::ranges::is_sorted(table.ids)) {
            throw InputError("{}: the processes are not in the order of their numbers", path);
        }
        state_begins = beginnings(table.state_bytes);
        message_begins = beginnings(table.message_bytes);
    }

    std::size_t row_of(LpId id) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(table.ids, id) - table.ids.begin());
    }

    hdf5::InputFile input;
    Checkpoint checkpoint;
    ProcessTable table;
    std::optional<Dataset> states;
    std::optional<Dataset> messages;
    std::vector<std::uint64_t> state_begins;
    std::vector<std::uint64_t> message_begins;
};

CheckpointFile::CheckpointFile(const std::string& path) : file_(std::make_unique<File>(path)) {}

CheckpointFile::~CheckpointFile() = default;

const Checkpoint& CheckpointFile::checkpoint() const {
    return file_->checkpoint;
}

std::uint64_t CheckpointFile::state_hash() const {
    const auto& hashes = file_->table.state_hashes;
    return std::accumulate(hashes.begin(), hashes.end(), std::uint64_t{0});
}

std::vector<LpId> CheckpointFile::ids() const {
    return {file_->table.ids.begin(), file_->table.ids.end()};
}

ProcessCheckpoint CheckpointFile::process(LpId id) const {
    const std::size_t row = file_->row_of(id);
    const ProcessTable& table = file_->table;
    return {id, read_bytes(*file_->messages, file_->message_begins[row], table.message_bytes[row]),
            table.traffic_hashes[row], table.state_hashes[row]};
}

ByteSource CheckpointFile::state(LpId id) const {
    const std::size_t row = file_->row_of(id);
    const std::uint64_t begin = file_->state_begins[row];
    return [file = file_.get(), at = begin, end = begin + file_->table.state_bytes[row]](std::span<char> room) mutable {
        const std::size_t count = read_bytes(*file->states, at, std::min<std::uint64_t>(room.size(), end - at))
                                      .copy(room.data(), room.size());
        at += count;
        return count;
    };
}

void remove_abandoned_checkpoints(const std::string& folder, const std::string& workload) {
    std::error_code fault;  // another run may clean up at the same time
    std::filesystem::directory_iterator entries(folder, fault);
    for (; !fault && entries != std::filesystem::directory_iterator(); entries.increment(fault)) {
        const std::string name = entries->path().filename().string();
        if (name.starts_with(fmt::format("{}-", workload)) && name.ends_with(".checkpoint.h5.partial") &&
            ::access(entries->path().c_str(), W_OK) == 0 && !hdf5::is_being_written(entries->path())) {
            std::error_code ignored;
            std::filesystem::remove(entries->path(), ignored);
        }
    }
}

}  // namespace lookahead
