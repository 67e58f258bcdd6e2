#include "experiments/results/run_writer.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error/error.h"
#include "core/hdf5/memory_file.h"
#include "core/heap/heap.h"
#include "experiments/results/table_groups.h"
#include "hdf5_schemas/run_schema.h"

namespace lookahead {

namespace {

namespace schema = run_schema;
using hdf5::Meaning;

/// A one-dimensional dataset.
template <class Group, class T>
typename Group::Column write_column(Group& group, const std::string& name, const Meaning& meaning,
                                    const std::vector<T>& values) {
    const std::uint64_t rows = values.size();
    return group.write(name, meaning, values, std::span(&rows, 1));
}

template <class Group, class T>
typename Group::Column write_scale(Group& group, const char* name, const Meaning& meaning,
                                   const std::vector<T>& values) {
    auto scale = write_column(group, name, meaning, values);
    scale.make_scale(name);
    return scale;
}

template <class Group, class T>
typename Group::Column write_scale(Group& group, const DatasetName& name, const std::vector<T>& values) {
    return write_scale(group, name.name, meaning_of(name), values);
}

/// Writes the columns of a table; finish() attaches all of them to the table's scale.
template <class Group>
class Table {
  public:
    using Column = typename Group::Column;

    Table(Group& group, Column& scale) : group_(group), scale_(scale) {}

    template <class T>
    void write(const DatasetName& name, const std::vector<T>& values) {
        write(name.name, meaning_of(name), values);
    }
    template <class T>
    void write(const std::string& name, const Meaning& meaning, const std::vector<T>& values) {
        LOOKAHEAD_ASSERT(values.size() == scale_.size, "the column " + name + " is not as long as its table");
        columns_.push_back(write_column(group_, name, meaning, values));
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

    void finish() { Group::attach(std::move(columns_), {&scale_}); }

  private:
    Group& group_;
    Column& scale_;
    std::vector<Column> columns_;
};

/// An array of numbers with a scale for each dimension.
template <class Group, class T>
void write_scaled(Group& group, const std::string& name, const Meaning& meaning, const std::vector<T>& values,
                  std::initializer_list<const typename Group::Column*> scales) {
    std::vector<std::uint64_t> shape;
    for (const auto* scale : scales) {
        shape.push_back(scale->size);
    }
    auto column = group.write(name, meaning, values, shape);
    unsigned dimension = 0;
    for (const auto* scale : scales) {
        column.attach_scale(dimension++, *scale);
    }
}

template <class Group, class T>
void write_scaled(Group& group, const DatasetName& name, const std::vector<T>& values,
                  std::initializer_list<const typename Group::Column*> scales) {
    write_scaled(group, name.name, meaning_of(name), values, scales);
}

/// 0, 1, … count - 1.
template <class T>
std::vector<T> numbers(std::size_t count) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), T{0});
    return values;
}

void write_summary(FileGroup& root, const RunRecord& record) {
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

void write_meta(FileGroup group, const RunMeta& meta) {
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

void write_config(FileGroup parent, const RunRecord& record) {
    hdf5::Group& group = parent.group();
    group.set_attribute(schema::kConfigTomlAttribute, record.config_toml);
    for (const EffectiveEntry& entry : record.config) {
        hdf5::Dataset dataset = std::visit(
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

template <class Group>
void write_components(Group group, const std::vector<ComponentRow>& rows) {
    auto scale = write_scale(group, schema::kComponentsId, numbers<std::uint32_t>(rows.size()));
    Table table(group, scale);
    table.write(schema::kComponentsName, rows, [](const ComponentRow& row) { return row.name; });
    table.write(schema::kComponentsKind, rows, [](const ComponentRow& row) { return row.kind; });
    table.write(schema::kComponentsParent, rows, [](const ComponentRow& row) { return row.parent; });
    table.finish();
}

template <class Group>
void write_counters(Group group, const std::vector<CounterGroup>& groups) {
    for (const CounterGroup& counters : groups) {
        auto kind = group.child(counters.kind);
        auto scale = write_scale(kind, schema::kCountersEachComponent, counters.components);
        Table table(kind, scale);
        for (const CounterColumn& column : counters.columns) {
            table.write(column.name, {column.unit, column.description}, column.values);
        }
        table.finish();
    }
}

template <class Group>
void write_kernels(Group group, const RunRecord& record) {
    const auto& rows = record.kernels;
    std::vector<std::uint64_t> ids;
    for (const KernelRow& row : rows) {
        ids.push_back(row.id);
    }
    auto scale = write_scale(group, schema::kKernelsId, ids);
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

template <class Group>
void write_kernel_counters(Group group, const RunRecord& record) {
    const auto kernel = write_scale(group, schema::kKernelCountersKernel, launches_of(record));
    const auto counter = write_scale(group, schema::kKernelCountersCounter, record.kernel_counters.counters);
    write_scaled(group, schema::kKernelCountersCounts, record.kernel_counters.values, {&kernel, &counter});
}

void write_stalls(FileGroup group, const StallSeries& stalls) {
    const auto cycle = write_scale(group, schema::kStallsCycle, stalls.cycles);
    const auto component = write_scale(group, schema::kStallsComponent, stalls.components);
    const auto cause = write_scale(group, schema::kStallsCause, stalls.causes);
    write_scaled(group, schema::kStallsSchedulerCycles, stalls.values, {&cycle, &component, &cause});
}

void write_latency(FileGroup group, const LatencySamples& latency) {
    auto sample = write_scale(group, schema::kLatencySample, numbers<std::uint64_t>(latency.sms.size()));
    Table table(group, sample);
    table.write(schema::kLatencySm, latency.sms);
    table.write(schema::kLatencySlice, latency.slices);
    table.write(schema::kLatencyServed, latency.served);
    table.write(schema::kLatencySource, latency.sources);
    table.write(schema::kLatencyStartFs, latency.start_fs);
    table.write(schema::kLatencyEndFs, latency.end_fs);
    table.finish();
    const auto stage = write_scale(group, schema::kLatencyStage, latency.stages);
    write_scaled(group, schema::kLatencyDurationsFs, latency.durations_fs, {&sample, &stage});
}

void write_series(FileGroup group, const std::vector<SeriesGroup>& all) {
    for (const SeriesGroup& series : all) {
        auto kind = group.child(series.kind);
        const auto cycle = write_scale(kind, schema::kSeriesEachCycle, series.cycles);
        const auto component = write_scale(kind, schema::kSeriesEachComponent, series.components);
        const std::uint64_t shape[] = {cycle.size, component.size};
        std::vector<FileColumn> columns;
        for (const CounterColumn& column : series.columns) {
            columns.push_back(kind.write(column.name, {column.unit, column.description}, column.values, shape));
        }
        FileGroup::attach(std::move(columns), {&cycle, &component});
    }
}

template <class Group>
void write_histogram(Group group, const HistogramRecord& histogram) {
    const auto about = [&](const char* sentence) { return histogram.description + " " + sentence; };
    const std::vector<std::uint64_t> lower_edges(histogram.edges.begin(), histogram.edges.end() - 1);
    auto component = write_scale(group, schema::kHistogramsEachEachComponent, histogram.components);
    write_scale(group, schema::kHistogramsEachEachEdges.name, {histogram.unit, about("Edges of the bins.")},
                histogram.edges);
    const auto bin = write_scale(group, schema::kHistogramsEachEachBin.name,
                                 {histogram.unit, about("Least value of the bin.")}, lower_edges);
    const std::uint64_t shape[] = {histogram.components.size(), lower_edges.size()};
    auto counts = group.write(schema::kHistogramsEachEachCounts.name,
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

template <class Group>
void write_histograms(Group group, const std::vector<HistogramRecord>& histograms) {
    for (const HistogramRecord& histogram : histograms) {
        write_histogram(group.child(histogram.kind).child(histogram.name), histogram);
    }
}

template <class Group>
void write_energy_events(Group group, const std::vector<EventRow>& rows) {
    auto scale = write_scale(group, schema::kEnergyEventsId, numbers<std::uint32_t>(rows.size()));
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

template <class Group>
void write_energy_statics(Group group, const std::vector<StaticRow>& rows) {
    auto scale = write_scale(group, schema::kEnergyStaticId, numbers<std::uint32_t>(rows.size()));
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
template <class Group>
void write_energy_tables(Group group, const EnergyReport& energy) {
    std::vector<std::string> names;
    std::vector<double> joules;
    for (const ComponentEnergy& component : energy.components) {
        names.push_back(component.name);
        joules.insert(joules.end(), {component.dynamic_j, component.static_j});
    }
    const auto components = write_scale(group, schema::kEnergyComponent, names);
    const auto categories = write_scale(group, schema::kEnergyCategory, std::vector<std::string>{"dynamic", "static"});
    write_scaled(group, schema::kEnergyJoules, joules, {&components, &categories});
    write_energy_events(group.child(schema::kEnergyEventsGroup), energy.events);
    write_energy_statics(group.child(schema::kEnergyStaticGroup), energy.statics);
}

void write_energy(FileGroup group, const RunRecord& record) {
    const EnergyReport& energy = record.energy;
    group.set_attribute(schema::kEnergyTableAttribute, energy.table);
    group.set_attribute(schema::kEnergyDescriptionAttribute, energy.description);
    group.set_attribute(schema::kEnergyTomlAttribute, energy.toml);
    group.set_attribute(schema::kEnergyBusyFsAttribute, energy.busy_fs);
    group.set_attribute(schema::kEnergyDynamicJAttribute, energy.dynamic_j);
    group.set_attribute(schema::kEnergyStaticJAttribute, energy.static_j);
    group.set_attribute(schema::kEnergyTotalJAttribute, energy.total_j);
    group.set_attribute(schema::kEnergyAverageWAttribute, energy.average_w);
    group.set_attribute(schema::kEnergyEnergyDelayJsAttribute, energy.energy_delay_js);
    const auto kernels = write_scale(group, schema::kEnergyKernel, launches_of(record));
    const auto components = group.column(schema::kEnergyComponent.name);
    const auto categories = group.column(schema::kEnergyCategory.name);
    write_scaled(group, schema::kEnergyKernelJoules, record.kernel_energies.joules,
                 {&kernels, &components, &categories});
    write_scaled(group, schema::kEnergyKernelEnergyDelay, record.kernel_energies.energy_delay_js, {&kernels});
}

template <class Group>
void write_window_lengths(Group& group, const auto& ranks, const std::vector<EngineRow>& rows) {
    constexpr std::size_t kLengths = std::tuple_size_v<decltype(EngineStatistics::window_lengths)>;
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; i < kLengths; ++i) {
        lengths.push_back(std::uint64_t{1} << i);
    }
    std::vector<std::uint64_t> counts;
    for (const EngineRow& row : rows) {
        counts.insert(counts.end(), row.statistics.window_lengths.begin(), row.statistics.window_lengths.end());
    }
    auto scale = write_scale(group, schema::kEngineWindowLength, lengths);
    write_scaled(group, schema::kEngineWindowLengths, counts, {&ranks, &scale});
}

template <class Group>
void write_engine(Group group, const std::vector<EngineRow>& rows) {
    auto scale = write_scale(group, schema::kEngineRank, numbers<std::int32_t>(rows.size()));
    Table table(group, scale);
    const auto statistic = [&](const DatasetName& name, auto member) {
        table.write(name, rows, [member](const EngineRow& row) { return row.statistics.*member; });
    };
    table.write(schema::kEngineProcesses, rows, [](const EngineRow& row) { return row.processes; });
    table.write(schema::kEngineThreads, rows, [](const EngineRow& row) { return row.threads; });
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
    statistic(schema::kEngineSharedWindows, &EngineStatistics::shared_windows);
    statistic(schema::kEngineEpochs, &EngineStatistics::epochs);
    table.finish();
    write_window_lengths(group, scale, rows);
}

template <class Group>
void write_processes(Group group, const RunRecord& record) {
    const RunProfile& profile = record.profile;
    std::vector<std::string> names;
    for (std::size_t lp = 0; lp < profile.loads.size(); ++lp) {
        names.push_back(record.components[lp].name);
    }
    auto scale = write_scale(group, schema::kEnginePerProcessProcess, names);
    Table table(group, scale);
    table.write(schema::kEnginePerProcessRank, std::vector<std::int32_t>(profile.rank.begin(), profile.rank.end()));
    table.write(schema::kEnginePerProcessComputeSeconds, profile.loads, [](const ProcessLoad& l) { return l.seconds; });
    table.write(schema::kEnginePerProcessAdvances, profile.loads, [](const ProcessLoad& l) { return l.advances; });
    table.finish();
}

template <class Group>
void write_windows(Group group, const RunRecord& record) {
    const WindowLog& log = record.profile.windows;
    const std::size_t windows = log.start.size();
    std::vector<std::string> names;
    for (std::size_t lp = 0; lp < record.profile.loads.size() && !log.messages.empty(); ++lp) {
        names.push_back(record.components[lp].name);
    }
    const auto process = write_scale(group, schema::kEnginePerWindowProcess, names);
    auto scale = write_scale(group, schema::kEnginePerWindowWindow, numbers<std::uint64_t>(windows));
    Table table(group, scale);
    table.write(schema::kEnginePerWindowStartFs, log.start);
    table.finish();
    write_scaled(group, schema::kEnginePerWindowComputeNs, log.nanoseconds, {&scale, &process});
    write_scaled(group, schema::kEnginePerWindowMessages, log.messages, {&process, &process});
}

/// What has as many values before the run as after it.
template <class Group>
void write_tables(Group root, const RunRecord& record) {
    write_components(root.child(schema::kComponentsGroup), record.components);
    write_counters(root.child(schema::kCountersGroup), record.counters);
    write_histograms(root.child(schema::kHistogramsGroup), record.histograms);
    write_energy_tables(root.child(schema::kEnergyGroup), record.energy);
    auto engine = root.child(schema::kEngineGroup);
    write_processes(engine.child(schema::kEnginePerProcessGroup), record);
    write_windows(engine.child(schema::kEnginePerWindowGroup), record);
    write_engine(std::move(engine), record.engine);
}

/// What has as many values before the run as after it if every kernel of the program is launched once, in order.
template <class Group>
void write_launches(Group root, const RunRecord& record) {
    write_kernels(root.child(schema::kKernelsGroup), record);
    write_kernel_counters(root.child(schema::kKernelCountersGroup), record);
}

void write_results(FileGroup root, const RunRecord& record) {
    write_summary(root, record);
    write_meta(root.child(schema::kMetaGroup), record.meta);
    write_series(root.child(schema::kSeriesGroup), record.series);
    write_stalls(root.child(schema::kStallsGroup), record.stalls);
    write_latency(root.child(schema::kLatencyGroup), record.latency);
    write_energy(root.child(schema::kEnergyGroup), record);
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
           a.engine.size() == b.engine.size() && a.profile.loads.size() == b.profile.loads.size() &&
           a.profile.windows.start.size() == b.profile.windows.start.size() &&
           a.profile.windows.messages.size() == b.profile.windows.messages.size();
}

/// Whether the tables of both that have a row for each launch have the same texts and the same sizes.
bool same_launches(const RunRecord& a, const RunRecord& b) {
    return std::ranges::equal(a.kernels, b.kernels, {}, &KernelRow::name, &KernelRow::name) &&
           std::ranges::equal(a.kernel_columns, b.kernel_columns, {}, &Column::name, &Column::name) &&
           a.kernel_counters.counters == b.kernel_counters.counters;
}

}  // namespace

/// A file with the configuration, the tables and the launches of a record; the configuration is there already.
struct RunFile::Draft {
    RunRecord record;
    NumberPlaces tables;    ///< of write_tables()
    NumberPlaces launches;  ///< of write_launches()
    hdf5::FileImage image;

    Draft(hdf5::MemoryFile& file, RunRecord expected) : record(std::move(expected)) {
        write_tables(FileGroup(file.root(), &tables), record);
        write_launches(FileGroup(file.root(), &launches), record);
        image = file.close();
    }
};

RunFile::RunFile(std::string path, bool drafts) : path_(std::move(path)) {
    if (drafts) {
        std::promise<void> drafted;
        drafted_ = drafted.get_future();
        thread_ = std::thread(&RunFile::work, this, configured_.emplace().get_future(), order_.emplace().get_future(),
                              std::move(drafted));
    }
}

RunFile::~RunFile() {
    if (thread_.joinable()) {
        // An order that is not given any more.
        configured_.reset();
        order_.reset();
        thread_.join();
    }
}

void RunFile::work(std::future<RunRecord> configured, std::future<Order> order, std::promise<void> drafted) {
    constexpr std::size_t kUsual = 8 * 1024 * 1024;  // for the file of a run on gtx480
    prepare_thread_heap(kUsual);
    std::function<void()> next;
    try {
        write_draft(configured, order, next);
    } catch (...) {
        drafted.set_exception(std::current_exception());
        return;
    }
    drafted.set_value();
    if (next) {
        next();
    }
}

void RunFile::write_draft(std::future<RunRecord>& configured, std::future<Order>& order, std::function<void()>& next) {
    const RunRecord beginning = configured.get();
    hdf5::MemoryFile file(path_);
    write_config(FileGroup(file.root()).child(schema::kConfigGroup), beginning);
    Order given = order.get();
    if (given.make_record) {
        RunRecord expected = given.make_record();
        expected.config_hash = beginning.config_hash;
        draft_ = std::make_unique<Draft>(file, std::move(expected));
    }
    next = std::move(given.next);
}

void RunFile::begin(RunRecord configured) {
    if (configured_) {
        configured_->set_value(std::move(configured));
        configured_.reset();
    }
}

void RunFile::draft(std::function<RunRecord()> make_record, std::function<void()> next) {
    if (order_) {
        order_->set_value({std::move(make_record), std::move(next)});
        order_.reset();
    }
}

void RunFile::wait() {
    if (drafted_.valid()) {
        begin({});
        draft({});
        drafted_.get();
    }
}

void RunFile::write(const RunRecord& record) {
    wait();
    const bool has_tables = draft_ != nullptr && same_tables(draft_->record, record);
    const bool has_launches = has_tables && same_launches(draft_->record, record);
    if (has_tables) {
        write_tables(ImageGroup(draft_->image, draft_->tables), record);
    }
    if (has_launches) {
        write_launches(ImageGroup(draft_->image, draft_->launches), record);
    }
    std::optional<hdf5::MemoryFile> file;
    if (has_tables) {
        file.emplace(path_, draft_->image);
    } else {
        file.emplace(path_);
        write_config(FileGroup(file->root()).child(schema::kConfigGroup), record);
        write_tables(FileGroup(file->root()), record);
    }
    if (!has_launches) {
        FileGroup root(file->root());
        root.remove(schema::kKernelsGroup);
        root.remove(schema::kKernelCountersGroup);
        write_launches(std::move(root), record);
    }
    write_results(FileGroup(file->root()), record);
    hdf5::write_image(path_, file->close());
}

void write_run(const RunRecord& record, const std::string& path) {
    RunFile(path).write(record);
}

}  // namespace lookahead
