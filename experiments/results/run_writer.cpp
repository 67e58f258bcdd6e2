#include "experiments/results/run_writer.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "experiments/results/draft_group.h"
#include "hdf5_schemas/run_schema.h"

namespace lookahead {

namespace {

namespace schema = run_schema;
using hdf5::Dataset;
using hdf5::Group;
using hdf5::Meaning;

/// Writes the columns of a table; finish() attaches all of them to the table's scale.
class Table {
  public:
    Table(DraftGroup& group, DraftDataset& scale) : group_(group), scale_(scale) {}

    template <class T>
    void write(const DatasetName& name, const std::vector<T>& values) {
        write(name.name, meaning_of(name), values);
    }
    template <class T>
    void write(const std::string& name, const Meaning& meaning, const std::vector<T>& values) {
        LOOKAHEAD_ASSERT(values.size() == scale_.size(), "the column " + name + " is not as long as its table");
        columns_.push_back(&group_.write(name, meaning, values));
    }
    /// The column of one member of all rows.
    template <class Rows, class Member>
    void write(const DatasetName& name, const Rows& rows, Member member) {
        std::vector<std::decay_t<decltype(member(rows.front()))>> values;
        values.reserve(rows.size());
        for (const auto& row : rows) {
            values.push_back(member(row));
        }
        write(name, values);
    }

    void finish() { scale_.attach_to_columns(columns_); }

  private:
    DraftGroup& group_;
    DraftDataset& scale_;
    std::vector<DraftDataset*> columns_;
};

template <class T>
DraftDataset& write_scale(DraftGroup& group, const char* name, const Meaning& meaning, const std::vector<T>& values) {
    DraftDataset& scale = group.write(name, meaning, values);
    scale.make_scale(name);
    return scale;
}

template <class T>
DraftDataset& write_scale(DraftGroup& group, const DatasetName& name, const std::vector<T>& values) {
    return write_scale(group, name.name, meaning_of(name), values);
}

/// An array of 64-bit numbers with a scale for each dimension.
template <class T>
void write_scaled(DraftGroup& group, const std::string& name, const Meaning& meaning, const std::vector<T>& values,
                  std::initializer_list<const DraftDataset*> scales) {
    std::vector<std::uint64_t> shape;
    for (const DraftDataset* scale : scales) {
        shape.push_back(scale->size());
    }
    DraftDataset& dataset = group.write(name, meaning, values, shape);
    unsigned dimension = 0;
    for (const DraftDataset* scale : scales) {
        dataset.attach_scale(dimension++, *scale);
    }
}

template <class T>
void write_scaled(DraftGroup& group, const DatasetName& name, const std::vector<T>& values,
                  std::initializer_list<const DraftDataset*> scales) {
    write_scaled(group, name.name, meaning_of(name), values, scales);
}

/// 0, 1, … count - 1.
template <class T>
std::vector<T> numbers(std::size_t count) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), T{0});
    return values;
}

void write_summary(Group& root, const RunRecord& record) {
    root.set_attribute(schema::kSchemaAttribute, schema::kId);
    root.set_attribute(schema::kSchemaVersionAttribute, schema::kVersion);
    root.set_attribute(schema::kRunIdAttribute, record.run_id);
    root.set_attribute(schema::kConfigHashAttribute, hash_text(record.config_hash));
    root.set_attribute(schema::kStateHashAttribute, hash_text(record.state_hash));
    root.set_attribute(schema::kStatusAttribute, record.status);
    root.set_attribute(schema::kOutputsAttribute, record.outputs);
    root.set_attribute(schema::kMessageAttribute, record.message);
    root.set_attribute(schema::kWorkloadAttribute, record.workload);
    root.set_attribute(schema::kSizeAttribute, record.size);
    root.set_attribute(schema::kMachineAttribute, record.machine);
    root.set_attribute(schema::kSeedAttribute, record.seed);
    root.set_attribute(schema::kTimeFsAttribute, record.time_fs);
    root.set_attribute(schema::kCyclesAttribute, record.cycles);
    root.set_attribute(schema::kWarpInstructionsAttribute, record.warp_instructions);
    root.set_attribute(schema::kThreadInstructionsAttribute, record.thread_instructions);
    root.set_attribute(schema::kIpcAttribute, record.ipc());
    root.set_attribute(schema::kKernelsAttribute, static_cast<std::uint64_t>(record.kernels.size()));
}

void write_meta(Group& group, const RunMeta& meta) {
    std::vector<std::string> files;
    std::vector<std::string> hashes;
    for (const auto& [file, hash] : meta.inputs) {
        files.push_back(file);
        hashes.push_back(hash);
    }
    group.set_attribute(schema::kMetaArgvAttribute, std::span<const std::string>(meta.argv));
    group.set_attribute(schema::kMetaGitRevisionAttribute, meta.git_revision);
    group.set_attribute(schema::kMetaCompilerAttribute, meta.compiler);
    group.set_attribute(schema::kMetaHostAttribute, meta.host);
    group.set_attribute(schema::kMetaRanksAttribute, std::int64_t{meta.ranks});
    group.set_attribute(schema::kMetaSyncAttribute, meta.sync);
    group.set_attribute(schema::kMetaPartitionAttribute, meta.partition);
    group.set_attribute(schema::kMetaStartedAttribute, meta.started);
    group.set_attribute(schema::kMetaWallSAttribute, meta.wall_s);
    group.set_attribute(schema::kMetaWarpInstructionsPerSAttribute, meta.warp_instructions_per_s);
    group.set_attribute(schema::kMetaPeakRssBytesAttribute, meta.peak_rss_bytes);
    group.set_attribute(schema::kMetaInputFilesAttribute, std::span<const std::string>(files));
    group.set_attribute(schema::kMetaInputHashesAttribute, std::span<const std::string>(hashes));
}

void write_config(Group& group, const RunRecord& record) {
    group.set_attribute(schema::kConfigTomlAttribute, record.config_toml);
    for (const EffectiveEntry& entry : record.config) {
        Dataset dataset = std::visit(
            [&]<class T>(const T& value) {
                if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
                    return group.write_scalar(entry.key, value, {entry.unit, entry.help});
                } else {
                    return group.write_scalar<T>(entry.key, value, {entry.unit, entry.help});
                }
            },
            entry.value);
        dataset.set_attribute("source", entry.source);
    }
}

void write_components(DraftGroup& group, const std::vector<ComponentRow>& rows) {
    DraftDataset& scale = write_scale(group, schema::kComponentsId, numbers<std::uint32_t>(rows.size()));
    Table table(group, scale);
    table.write(schema::kComponentsName, rows, [](const ComponentRow& row) { return row.name; });
    table.write(schema::kComponentsKind, rows, [](const ComponentRow& row) { return row.kind; });
    table.write(schema::kComponentsParent, rows, [](const ComponentRow& row) { return row.parent; });
    table.finish();
}

void write_counters(DraftGroup& group, const std::vector<CounterGroup>& groups) {
    for (const CounterGroup& counters : groups) {
        DraftGroup& kind = group.child(counters.kind);
        DraftDataset& scale = write_scale(kind, schema::kCountersEachComponent, counters.components);
        Table table(kind, scale);
        for (const CounterColumn& column : counters.columns) {
            table.write(column.name, {column.unit, column.description}, column.values);
        }
        table.finish();
    }
}

void write_kernels(DraftGroup& group, const RunRecord& record) {
    const auto& rows = record.kernels;
    std::vector<std::uint64_t> ids;
    for (const KernelRow& row : rows) {
        ids.push_back(row.id);
    }
    DraftDataset& scale = write_scale(group, schema::kKernelsId, ids);
    Table table(group, scale);
    table.write(schema::kKernelsName, rows, [](const KernelRow& row) { return row.name; });
    table.write(schema::kKernelsStream, rows, [](const KernelRow& row) { return row.stream; });
    table.write(schema::kKernelsGridX, rows, [](const KernelRow& row) { return row.grid[0]; });
    table.write(schema::kKernelsGridY, rows, [](const KernelRow& row) { return row.grid[1]; });
    table.write(schema::kKernelsGridZ, rows, [](const KernelRow& row) { return row.grid[2]; });
    table.write(schema::kKernelsBlockX, rows, [](const KernelRow& row) { return row.block[0]; });
    table.write(schema::kKernelsBlockY, rows, [](const KernelRow& row) { return row.block[1]; });
    table.write(schema::kKernelsBlockZ, rows, [](const KernelRow& row) { return row.block[2]; });
    table.write(schema::kKernelsRegisters, rows, [](const KernelRow& row) { return row.registers; });
    table.write(schema::kKernelsSharedBytes, rows, [](const KernelRow& row) { return row.shared_bytes; });
    table.write(schema::kKernelsStartFs, rows, [](const KernelRow& row) { return row.start_fs; });
    table.write(schema::kKernelsEndFs, rows, [](const KernelRow& row) { return row.end_fs; });
    table.write(schema::kKernelsCycles, rows, [](const KernelRow& row) { return row.cycles; });
    table.write(schema::kKernelsWarpInstructions, rows, [](const KernelRow& row) { return row.warp_instructions; });
    table.write(schema::kKernelsThreadInstructions, rows, [](const KernelRow& row) { return row.thread_instructions; });
    for (const Column& column : record.kernel_columns) {
        std::visit(
            [&](const auto& values) {
                table.write(column.name, {column.unit, column.description}, values);
            },
            column.values);
    }
    table.finish();
}

std::vector<std::uint64_t> launches_of(const RunRecord& record) {
    std::vector<std::uint64_t> launches;
    for (const KernelRow& row : record.kernels) {
        launches.push_back(row.id);
    }
    return launches;
}

void write_kernel_counters(DraftGroup& group, const RunRecord& record) {
    const DraftDataset& kernel = write_scale(group, schema::kKernelCountersKernel, launches_of(record));
    const DraftDataset& counter = write_scale(group, schema::kKernelCountersCounter, record.kernel_counters.counters);
    write_scaled(group, schema::kKernelCountersCounts, record.kernel_counters.values, {&kernel, &counter});
}

void write_stalls(DraftGroup& group, const StallSeries& stalls) {
    const DraftDataset& cycle = write_scale(group, schema::kStallsCycle, stalls.cycles);
    const DraftDataset& component = write_scale(group, schema::kStallsComponent, stalls.components);
    const DraftDataset& cause = write_scale(group, schema::kStallsCause, stalls.causes);
    write_scaled(group, schema::kStallsSchedulerCycles, stalls.values, {&cycle, &component, &cause});
}

void write_latency(DraftGroup& group, const LatencySamples& latency) {
    std::vector<std::uint64_t> numbers(latency.sms.size());
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    const DraftDataset& sample = write_scale(group, schema::kLatencySample, numbers);
    const DraftDataset& stage = write_scale(group, schema::kLatencyStage, latency.stages);
    const auto write_names = [&](const DatasetName& name, const std::vector<std::string>& names) {
        group.write(name.name, meaning_of(name), names).attach_scale(0, sample);
    };
    write_names(schema::kLatencySm, latency.sms);
    write_names(schema::kLatencySlice, latency.slices);
    write_names(schema::kLatencyServed, latency.served);
    write_names(schema::kLatencySource, latency.sources);
    write_scaled(group, schema::kLatencyStartFs, latency.start_fs, {&sample});
    write_scaled(group, schema::kLatencyEndFs, latency.end_fs, {&sample});
    write_scaled(group, schema::kLatencyDurationsFs, latency.durations_fs, {&sample, &stage});
}

void write_series(DraftGroup& group, const std::vector<SeriesGroup>& all) {
    for (const SeriesGroup& series : all) {
        DraftGroup& kind = group.child(series.kind);
        const DraftDataset& cycle = write_scale(kind, schema::kSeriesEachCycle, series.cycles);
        const DraftDataset& component = write_scale(kind, schema::kSeriesEachComponent, series.components);
        for (const CounterColumn& column : series.columns) {
            write_scaled(kind, column.name, {column.unit, column.description}, column.values, {&cycle, &component});
        }
    }
}

void write_histogram(DraftGroup& group, const HistogramRecord& histogram) {
    const auto about = [&](const char* sentence) { return histogram.description + " " + sentence; };
    const std::vector<std::uint64_t> lower_edges(histogram.edges.begin(), histogram.edges.end() - 1);
    DraftDataset& component = write_scale(group, schema::kHistogramsEachEachComponent, histogram.components);
    write_scale(group, schema::kHistogramsEachEachEdges.name, {histogram.unit, about("Edges of the bins.")},
                histogram.edges);
    const DraftDataset& bin = write_scale(group, schema::kHistogramsEachEachBin.name,
                                          {histogram.unit, about("Least value of the bin.")}, lower_edges);
    const std::uint64_t shape[] = {histogram.components.size(), lower_edges.size()};
    DraftDataset& counts = group.write(schema::kHistogramsEachEachCounts.name,
                                       {"", about("Values from an edge up to the next.")}, histogram.counts, shape);
    Table table(group, component);
    table.write(schema::kHistogramsEachEachUnderflow.name, {"", about("Values below the first edge.")},
                histogram.underflow);
    table.write(schema::kHistogramsEachEachOverflow.name, {"", about("Values from the last edge up.")},
                histogram.overflow);
    table.finish();
    counts.attach_scale(0, component);
    counts.attach_scale(1, bin);
}

void write_histograms(DraftGroup& group, const std::vector<HistogramRecord>& histograms) {
    for (const HistogramRecord& histogram : histograms) {
        write_histogram(group.child(histogram.kind).child(histogram.name), histogram);
    }
}

void write_energy_events(DraftGroup& group, const std::vector<EventRow>& rows) {
    DraftDataset& scale = write_scale(group, schema::kEnergyEventsId, numbers<std::uint32_t>(rows.size()));
    Table table(group, scale);
    table.write(schema::kEnergyEventsComponent, rows, [](const EventRow& row) { return row.event.component; });
    table.write(schema::kEnergyEventsUnit, rows, [](const EventRow& row) { return row.event.unit; });
    table.write(schema::kEnergyEventsCounter, rows, [](const EventRow& row) { return row.event.counter; });
    table.write(schema::kEnergyEventsJoulesPerCount, rows, [](const EventRow& row) { return row.event.joules; });
    table.write(schema::kEnergyEventsCount, rows, [](const EventRow& row) { return row.count; });
    table.write(schema::kEnergyEventsJoules, rows, [](const EventRow& row) { return row.joules; });
    table.write(schema::kEnergyEventsSource, rows, [](const EventRow& row) { return row.event.source; });
    table.finish();
}

void write_energy_statics(DraftGroup& group, const std::vector<StaticRow>& rows) {
    DraftDataset& scale = write_scale(group, schema::kEnergyStaticId, numbers<std::uint32_t>(rows.size()));
    Table table(group, scale);
    table.write(schema::kEnergyStaticComponent, rows, [](const StaticRow& row) { return row.power.component; });
    table.write(schema::kEnergyStaticUnit, rows, [](const StaticRow& row) { return row.power.unit; });
    table.write(schema::kEnergyStaticPer, rows, [](const StaticRow& row) { return row.power.per; });
    table.write(schema::kEnergyStaticWatts, rows, [](const StaticRow& row) { return row.power.watts; });
    table.write(schema::kEnergyStaticInstances, rows, [](const StaticRow& row) { return row.instances; });
    table.write(schema::kEnergyStaticJoules, rows, [](const StaticRow& row) { return row.joules; });
    table.write(schema::kEnergyStaticSource, rows, [](const StaticRow& row) { return row.power.source; });
    table.finish();
}

/// What there is an energy of, and the components' energies.
void write_energy_tables(DraftGroup& group, const EnergyReport& energy) {
    std::vector<std::string> names;
    std::vector<double> joules;
    for (const ComponentEnergy& component : energy.components) {
        names.push_back(component.name);
        joules.insert(joules.end(), {component.dynamic_j, component.static_j});
    }
    const DraftDataset& components = write_scale(group, schema::kEnergyComponent, names);
    const DraftDataset& categories =
        write_scale(group, schema::kEnergyCategory, std::vector<std::string>{"dynamic", "static"});
    write_scaled(group, schema::kEnergyJoules, joules, {&components, &categories});
    write_energy_events(group.child(schema::kEnergyEventsGroup), energy.events);
    write_energy_statics(group.child(schema::kEnergyStaticGroup), energy.statics);
}

void write_energy(DraftGroup& group, const RunRecord& record) {
    const EnergyReport& energy = record.energy;
    group.group().set_attribute(schema::kEnergyTableAttribute, energy.table);
    group.group().set_attribute(schema::kEnergyDescriptionAttribute, energy.description);
    group.group().set_attribute(schema::kEnergyTomlAttribute, energy.toml);
    group.group().set_attribute(schema::kEnergyBusyFsAttribute, energy.busy_fs);
    group.group().set_attribute(schema::kEnergyDynamicJAttribute, energy.dynamic_j);
    group.group().set_attribute(schema::kEnergyStaticJAttribute, energy.static_j);
    group.group().set_attribute(schema::kEnergyTotalJAttribute, energy.total_j);
    group.group().set_attribute(schema::kEnergyAverageWAttribute, energy.average_w);
    group.group().set_attribute(schema::kEnergyEnergyDelayJsAttribute, energy.energy_delay_js);
    const DraftDataset& kernels = write_scale(group, schema::kEnergyKernel, launches_of(record));
    write_scaled(
        group, schema::kEnergyKernelJoules, record.kernel_energies.joules,
        {&kernels, &group.dataset(schema::kEnergyComponent.name), &group.dataset(schema::kEnergyCategory.name)});
    write_scaled(group, schema::kEnergyKernelEnergyDelay, record.kernel_energies.energy_delay_js, {&kernels});
}

void write_window_lengths(DraftGroup& group, const DraftDataset& ranks, const std::vector<EngineRow>& rows) {
    constexpr std::size_t kLengths = std::tuple_size_v<decltype(EngineStatistics::window_lengths)>;
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; i < kLengths; ++i) {
        lengths.push_back(std::uint64_t{1} << i);
    }
    std::vector<std::uint64_t> counts;
    for (const EngineRow& row : rows) {
        counts.insert(counts.end(), row.statistics.window_lengths.begin(), row.statistics.window_lengths.end());
    }
    DraftDataset& scale = write_scale(group, schema::kEngineWindowLength, lengths);
    write_scaled(group, schema::kEngineWindowLengths, counts, {&ranks, &scale});
}

void write_engine(DraftGroup& group, const std::vector<EngineRow>& rows) {
    DraftDataset& scale = write_scale(group, schema::kEngineRank, numbers<std::int32_t>(rows.size()));
    Table table(group, scale);
    const auto statistic = [&](const DatasetName& name, auto member) {
        table.write(name, rows, [member](const EngineRow& row) { return row.statistics.*member; });
    };
    table.write(schema::kEngineProcesses, rows, [](const EngineRow& row) { return row.processes; });
    table.write(schema::kEnginePeakRssBytes, rows, [](const EngineRow& row) { return row.peak_rss_bytes; });
    statistic(schema::kEngineComputeSeconds, &EngineStatistics::compute_seconds);
    statistic(schema::kEngineBlockedSeconds, &EngineStatistics::blocked_seconds);
    statistic(schema::kEngineEvents, &EngineStatistics::events);
    statistic(schema::kEngineAdvances, &EngineStatistics::advances);
    statistic(schema::kEngineRemoteMessages, &EngineStatistics::remote_messages);
    statistic(schema::kEngineRemoteBytes, &EngineStatistics::remote_bytes);
    statistic(schema::kEnginePackets, &EngineStatistics::packets);
    statistic(schema::kEngineNullMessages, &EngineStatistics::null_messages);
    statistic(schema::kEngineWindows, &EngineStatistics::windows);
    statistic(schema::kEngineInnerWindows, &EngineStatistics::inner_windows);
    statistic(schema::kEngineEpochs, &EngineStatistics::epochs);
    table.finish();
    write_window_lengths(group, scale, rows);
}

void write_processes(DraftGroup& group, const RunRecord& record) {
    const RunProfile& profile = record.profile;
    std::vector<std::string> names;
    for (std::size_t lp = 0; lp < profile.loads.size(); ++lp) {
        names.push_back(record.components[lp].name);
    }
    DraftDataset& scale = write_scale(group, schema::kEnginePerProcessProcess, names);
    Table table(group, scale);
    table.write(schema::kEnginePerProcessRank, std::vector<std::int32_t>(profile.rank.begin(), profile.rank.end()));
    table.write(schema::kEnginePerProcessComputeSeconds, profile.loads, [](const ProcessLoad& l) { return l.seconds; });
    table.write(schema::kEnginePerProcessAdvances, profile.loads, [](const ProcessLoad& l) { return l.advances; });
    table.finish();
}

void write_windows(DraftGroup& group, const RunRecord& record) {
    const WindowLog& log = record.profile.windows;
    const std::size_t windows = log.start.size();
    std::vector<std::string> names;
    for (std::size_t lp = 0; lp < record.profile.loads.size() && !log.messages.empty(); ++lp) {
        names.push_back(record.components[lp].name);
    }
    const DraftDataset& process = write_scale(group, schema::kEnginePerWindowProcess, names);
    DraftDataset& scale = write_scale(group, schema::kEnginePerWindowWindow, numbers<std::uint64_t>(windows));
    Table table(group, scale);
    table.write(schema::kEnginePerWindowStartFs, log.start);
    table.finish();
    write_scaled(group, schema::kEnginePerWindowComputeNs, log.nanoseconds, {&scale, &process});
    write_scaled(group, schema::kEnginePerWindowMessages, log.messages, {&process, &process});
}

/// What has as many values before the run as after it.
void write_tables(DraftGroup& root, const RunRecord& record) {
    write_components(root.child(schema::kComponentsGroup), record.components);
    write_counters(root.child(schema::kCountersGroup), record.counters);
    write_histograms(root.child(schema::kHistogramsGroup), record.histograms);
    write_energy_tables(root.child(schema::kEnergyGroup), record.energy);
    write_engine(root.child(schema::kEngineGroup), record.engine);
}

void write_results(DraftGroup& root, const RunRecord& record) {
    write_summary(root.group(), record);
    write_meta(root.child(schema::kMetaGroup).group(), record.meta);
    write_kernels(root.child(schema::kKernelsGroup), record);
    write_series(root.child(schema::kSeriesGroup), record.series);
    write_kernel_counters(root.child(schema::kKernelCountersGroup), record);
    write_stalls(root.child(schema::kStallsGroup), record.stalls);
    write_latency(root.child(schema::kLatencyGroup), record.latency);
    write_energy(root.child(schema::kEnergyGroup), record);
    DraftGroup& engine = root.child(schema::kEngineGroup);
    write_processes(engine.child(schema::kEnginePerProcessGroup), record);
    write_windows(engine.child(schema::kEnginePerWindowGroup), record);
}

/// Whether the tables of both have the same texts and the same sizes.
bool same_tables(const RunRecord& a, const RunRecord& b) {
    const auto same_columns = [](const CounterGroup& x, const CounterGroup& y) {
        return x.kind == y.kind && x.components == y.components &&
               std::ranges::equal(x.columns, y.columns, {}, &CounterColumn::name, &CounterColumn::name);
    };
    const auto same_histogram = [](const HistogramRecord& x, const HistogramRecord& y) {
        return x.kind == y.kind && x.name == y.name && x.components == y.components && x.edges == y.edges;
    };
    return a.config_hash == b.config_hash && a.components == b.components &&
           std::ranges::equal(a.counters, b.counters, same_columns) &&
           std::ranges::equal(a.histograms, b.histograms, same_histogram) && a.energy.toml == b.energy.toml &&
           a.energy.components.size() == b.energy.components.size() &&
           a.energy.events.size() == b.energy.events.size() && a.energy.statics.size() == b.energy.statics.size() &&
           a.engine.size() == b.engine.size();
}

}  // namespace

/// The file as far as it is written.
class RunFile::Contents {
  public:
    Contents(const std::string& path, const RunRecord& record)
        : file_(path, hdf5::Commit::renamed),  // can be computed again
          root_(file_.root()) {
        write_config(root_->child(schema::kConfigGroup).group(), record);
        write_tables(*root_, record);
    }

    void write_tables_again(const RunRecord& record) { write_tables(*root_, record); }

    void complete(const RunRecord& record) {
        write_results(*root_, record);
        root_.reset();
        file_.commit();
    }

  private:
    hdf5::OutputFile file_;
    std::optional<DraftGroup> root_;
};

RunFile::RunFile(std::string path, bool drafts) : path_(std::move(path)) {
    if (drafts) {
        drafting_ = std::async(std::launch::async, &RunFile::work, this, order_.get_future());
    }
}

RunFile::~RunFile() {
    if (drafting_.valid()) {
        order({});
        drafting_.wait();
    }
}

void RunFile::work(std::future<std::function<RunRecord()>> order) {
    // The C library gives a thread its part of the heap with its first block: early, it gets one that nobody else uses.
    draft_.components.reserve(1);
    if (const auto make_record = order.get()) {
        draft_ = make_record();
        contents_ = std::make_unique<Contents>(path_, draft_);
    }
}

void RunFile::order(std::function<RunRecord()> make_record) {
    if (!std::exchange(ordered_, true)) {
        order_.set_value(std::move(make_record));
    }
}

void RunFile::draft(std::function<RunRecord()> make_record) {
    order(std::move(make_record));
}

void RunFile::wait() {
    if (drafting_.valid()) {
        order({});
        drafting_.get();
    }
}

void RunFile::write(const RunRecord& record) {
    wait();
    if (contents_ != nullptr && same_tables(draft_, record)) {
        contents_->write_tables_again(record);
    } else {
        contents_.reset();
        contents_ = std::make_unique<Contents>(path_, record);
    }
    contents_->complete(record);
}

void write_run(const RunRecord& record, const std::string& path) {
    RunFile(path).write(record);
}

}  // namespace lookahead
