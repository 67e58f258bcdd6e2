#include "experiments/results/run_writer.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include "core/hdf5/file.h"
#include "experiments/results/activity.h"
#include "hdf5_schemas/run_schema.h"
#include "hdf5_schemas/table_writer.h"

namespace lookahead {

namespace {

namespace schema = run_schema;

void write_summary(hdf5::Group& root, const RunRecord& record) {
    root.set_attribute(schema::kSchemaAttribute, schema::kId);
    root.set_attribute(schema::kSchemaVersionAttribute, schema::kVersion);
    root.set_attribute(schema::kDefaultAttribute, schema::kActivityGroup);
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
    root.set_attribute(schema::kThreadIpcAttribute, record.thread_ipc());
    root.set_attribute(schema::kKernelsAttribute, static_cast<std::uint64_t>(record.kernels.size()));
}

void write_meta(hdf5::Group group, const RunMeta& meta) {
    using Input = std::pair<std::string, std::string>;
    group.set_attribute(schema::kMetaArgvAttribute, std::span<const std::string>(meta.argv));
    group.set_attribute(schema::kMetaGitRevisionAttribute, meta.git_revision);
    group.set_attribute(schema::kMetaProgramHashAttribute, meta.program_hash);
    group.set_attribute(schema::kMetaCompilerAttribute, meta.compiler);
    group.set_attribute(schema::kMetaHostAttribute, meta.host);
    group.set_attribute(schema::kMetaRanksAttribute, std::int64_t{meta.ranks});
    group.set_attribute(schema::kMetaSyncAttribute, meta.sync);
    group.set_attribute(schema::kMetaPartitionAttribute, meta.partition);
    group.set_attribute(schema::kMetaStartedAttribute, meta.started);
    group.set_attribute(schema::kMetaWallSAttribute, meta.wall_s);
    group.set_attribute(schema::kMetaWarpInstructionsPerSAttribute, meta.warp_instructions_per_s);
    group.set_attribute(schema::kMetaPeakRssBytesAttribute, meta.peak_rss_bytes);
    group.set_attribute(schema::kMetaInputFilesAttribute,
                        std::span<const std::string>(column_of(meta.inputs, &Input::first)));
    group.set_attribute(schema::kMetaInputHashesAttribute,
                        std::span<const std::string>(column_of(meta.inputs, &Input::second)));
}

void write_config(hdf5::Group group, const RunRecord& record) {
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

void write_components(hdf5::Group group, const std::vector<ComponentRow>& rows) {
    TableWriter table(group, schema::kComponentsId, numbers_below<std::uint32_t>(rows.size()));
    table.write(schema::kComponentsName, rows, &ComponentRow::name);
    table.write(schema::kComponentsKind, rows, &ComponentRow::kind);
    table.write(schema::kComponentsParent, rows, &ComponentRow::parent);
    table.finish();
}

void write_counters(hdf5::Group group, const std::vector<CounterGroup>& groups) {
    for (const CounterGroup& counters : groups) {
        auto kind = group.create_group(counters.kind);
        TableWriter table(kind, schema::kCountersEachComponent, counters.components);
        for (const CounterColumn& column : counters.columns) {
            table.write(column.name, {column.unit, column.description, long_name_of(column.name)}, column.values);
        }
        table.finish();
    }
}

/// Names the data that viewers of NeXus files draw for a group.
void set_drawn(hdf5::Group& group, std::string_view signal, std::vector<std::string> axes) {
    group.set_attribute(schema::kActivityNXClassAttribute, "NXdata");
    group.set_attribute(schema::kActivitySignalAttribute, signal);
    group.set_attribute(schema::kActivityAxesAttribute, std::span<const std::string>(axes));
}

/// The name of an axis without numbers.
constexpr const char* kNoAxis = ".";

void write_kernels(hdf5::Group group, const RunRecord& record) {
    const auto& rows = record.kernels;
    TableWriter table(group, schema::kKernelsId, column_of(rows, &KernelRow::id));
    table.write(schema::kKernelsName, rows, &KernelRow::name);
    table.write(schema::kKernelsStream, rows, &KernelRow::stream);
    table.write(schema::kKernelsGridX, rows, [](const KernelRow& row) { return row.grid[0]; });
    table.write(schema::kKernelsGridY, rows, [](const KernelRow& row) { return row.grid[1]; });
    table.write(schema::kKernelsGridZ, rows, [](const KernelRow& row) { return row.grid[2]; });
    table.write(schema::kKernelsBlockX, rows, [](const KernelRow& row) { return row.block[0]; });
    table.write(schema::kKernelsBlockY, rows, [](const KernelRow& row) { return row.block[1]; });
    table.write(schema::kKernelsBlockZ, rows, [](const KernelRow& row) { return row.block[2]; });
    table.write(schema::kKernelsRegisters, rows, &KernelRow::registers);
    table.write(schema::kKernelsSharedBytes, rows, &KernelRow::shared_bytes);
    table.write(schema::kKernelsStartFs, rows, &KernelRow::start_fs);
    table.write(schema::kKernelsEndFs, rows, &KernelRow::end_fs);
    table.write(schema::kKernelsCycles, rows, &KernelRow::cycles);
    table.write(schema::kKernelsWarpInstructions, rows, &KernelRow::warp_instructions);
    table.write(schema::kKernelsThreadInstructions, rows, &KernelRow::thread_instructions);
    table.finish();
    set_drawn(group, schema::kKernelsCycles.name, {schema::kKernelsId.name});
}

void write_kernel_counters(hdf5::Group group, const RunRecord& record) {
    const auto kernel = write_scale(group, schema::kKernelCountersKernel, column_of(record.kernels, &KernelRow::id));
    const auto counter = write_scale(group, schema::kKernelCountersCounter, record.kernel_counters.counters);
    write_scaled(group, schema::kKernelCountersCounts, record.kernel_counters.values, {&kernel, &counter});
}

void write_instructions(hdf5::Group group, const InstructionCounts& instructions) {
    using Row = InstructionCounts::Row;
    using Counter = InstructionCounts::Counter;
    const auto& rows = instructions.rows;
    TableWriter table(group, schema::kInstructionsInstruction, numbers_below<std::uint64_t>(rows.size()));
    table.write(schema::kInstructionsKernel, rows, &Row::kernel_name);
    table.write(schema::kInstructionsPc, rows, &Row::pc);
    table.write(schema::kInstructionsText, rows, &Row::text);
    table.write(schema::kInstructionsPtxLine, rows, &Row::line);
    table.write(schema::kInstructionsPtx, rows, &Row::ptx);
    table.write(schema::kInstructionsCudaFile, rows, &Row::cuda_file);
    table.write(schema::kInstructionsCudaLine, rows, &Row::cuda_line);
    table.finish();
    TableWriter counters(group, schema::kInstructionsCounter, column_of(instructions.counters, &Counter::name));
    counters.write(schema::kInstructionsUnit, instructions.counters, &Counter::unit);
    counters.write(schema::kInstructionsMeaning, instructions.counters, &Counter::description);
    counters.finish();
    write_scaled(group, schema::kInstructionsCounts, instructions.values, {&table.scale(), &counters.scale()});
}

void write_stalls(hdf5::Group group, const StallSeries& stalls) {
    const auto cycle = write_scale(group, schema::kStallsCycle, stalls.cycles);
    const auto component = write_scale(group, schema::kStallsComponent, stalls.components);
    const auto cause = write_scale(group, schema::kStallsCause, stalls.causes);
    write_scaled(group, schema::kStallsSchedulerCycles, stalls.values, {&cycle, &component, &cause});
    set_drawn(group, schema::kStallsSchedulerCycles.name, {schema::kStallsCycle.name, kNoAxis, kNoAxis});
}

void write_latency(hdf5::Group group, const LatencySamples& latency) {
    TableWriter table(group, schema::kLatencySample, numbers_below<std::uint64_t>(latency.sms.size()));
    table.write(schema::kLatencySm, latency.sms);
    table.write(schema::kLatencySlice, latency.slices);
    table.write(schema::kLatencyServed, latency.served);
    table.write(schema::kLatencySource, latency.sources);
    table.write(schema::kLatencyStartFs, latency.start_fs);
    table.write(schema::kLatencyEndFs, latency.end_fs);
    table.finish();
    const auto stage = write_scale(group, schema::kLatencyStage, latency.stages);
    write_scaled(group, schema::kLatencyDurationsFs, latency.durations_fs, {&table.scale(), &stage});
}

void write_activity(hdf5::Group group, const RunRecord& record) {
    const ActivitySeries activity = activity_of(record);
    const auto cycle = write_scale(group, schema::kActivityCycle, activity.cycles);
    write_scaled(group, schema::kActivityIpc, activity.ipc, {&cycle});
    set_drawn(group, schema::kActivityIpc.name, {schema::kActivityCycle.name});
}

void write_series(hdf5::Group group, const std::vector<SeriesGroup>& all) {
    for (const SeriesGroup& series : all) {
        auto kind = group.create_group(series.kind);
        const auto cycle = write_scale(kind, schema::kSeriesEachCycle, series.cycles);
        const auto component = write_scale(kind, schema::kSeriesEachComponent, series.components);
        std::vector<hdf5::Dataset> columns;
        for (const CounterColumn& column : series.columns) {
            columns.push_back(
                kind.write_array<std::uint64_t>(column.name, column.values, shape_of({&cycle, &component}),
                                                {column.unit, column.description, long_name_of(column.name)}));
        }
        hdf5::attach_scales(columns, {&cycle.dataset, &component.dataset});
        if (!series.columns.empty()) {
            const auto issued = std::ranges::find(series.columns, kWarpInstructions, &CounterColumn::name);
            set_drawn(kind, issued == series.columns.end() ? series.columns.front().name : kWarpInstructions,
                      {schema::kSeriesEachCycle.name, kNoAxis});
        }
    }
}

void write_histogram(hdf5::Group group, const HistogramRecord& histogram) {
    const auto about = [&](const char* sentence) { return fmt::format("{} {}", histogram.description, sentence); };
    const std::vector<std::uint64_t> lower_edges(histogram.edges.begin(), histogram.edges.end() - 1);
    TableWriter table(group, schema::kHistogramsEachEachComponent, histogram.components);
    write_scale(group, schema::kHistogramsEachEachEdges.name,
                {histogram.unit, about("Edges of the bins."), schema::kHistogramsEachEachEdges.long_name},
                histogram.edges);
    const auto bin =
        write_scale(group, schema::kHistogramsEachEachBin.name,
                    {histogram.unit, about("Least value of the bin."), long_name_of(histogram.name)}, lower_edges);
    hdf5::Dataset counts = group.write_array<std::uint64_t>(
        schema::kHistogramsEachEachCounts.name, histogram.counts, shape_of({&table.scale(), &bin}),
        {"", about("Values from an edge up to the next."), schema::kHistogramsEachEachCounts.long_name});
    table.write(schema::kHistogramsEachEachUnderflow.name,
                {"", about("Values below the first edge."), schema::kHistogramsEachEachUnderflow.long_name},
                histogram.underflow);
    table.write(schema::kHistogramsEachEachOverflow.name,
                {"", about("Values from the last edge up."), schema::kHistogramsEachEachOverflow.long_name},
                histogram.overflow);
    table.finish();
    attach_scales(counts, {&table.scale(), &bin});
    set_drawn(group, schema::kHistogramsEachEachCounts.name, {kNoAxis, schema::kHistogramsEachEachBin.name});
}

void write_histograms(hdf5::Group group, const std::vector<HistogramRecord>& histograms) {
    for (const HistogramRecord& histogram : histograms) {
        hdf5::Group kind =
            group.has(histogram.kind) ? group.open_group(histogram.kind) : group.create_group(histogram.kind);
        write_histogram(kind.create_group(histogram.name), histogram);
    }
}

void write_energy_events(hdf5::Group group, const std::vector<EventRow>& rows) {
    TableWriter table(group, schema::kEnergyEventsId, numbers_below<std::uint32_t>(rows.size()));
    table.write(schema::kEnergyEventsComponent, rows, [](const EventRow& row) { return row.event.component; });
    table.write(schema::kEnergyEventsUnit, rows, [](const EventRow& row) { return row.event.unit; });
    table.write(schema::kEnergyEventsCounter, rows, [](const EventRow& row) { return row.event.counter; });
    table.write(schema::kEnergyEventsJoulesPerCount, rows, [](const EventRow& row) { return row.event.joules; });
    table.write(schema::kEnergyEventsCount, rows, &EventRow::count);
    table.write(schema::kEnergyEventsJoules, rows, &EventRow::joules);
    table.write(schema::kEnergyEventsSource, rows, [](const EventRow& row) { return row.event.source; });
    table.finish();
}

void write_energy_statics(hdf5::Group group, const std::vector<StaticRow>& rows) {
    TableWriter table(group, schema::kEnergyStaticId, numbers_below<std::uint32_t>(rows.size()));
    table.write(schema::kEnergyStaticComponent, rows, [](const StaticRow& row) { return row.power.component; });
    table.write(schema::kEnergyStaticUnit, rows, [](const StaticRow& row) { return row.power.unit; });
    table.write(schema::kEnergyStaticPer, rows, [](const StaticRow& row) { return row.power.per; });
    table.write(schema::kEnergyStaticWatts, rows, [](const StaticRow& row) { return row.power.watts; });
    table.write(schema::kEnergyStaticInstances, rows, &StaticRow::instances);
    table.write(schema::kEnergyStaticJoules, rows, &StaticRow::joules);
    table.write(schema::kEnergyStaticSource, rows, [](const StaticRow& row) { return row.power.source; });
    table.finish();
}

void write_energy(hdf5::Group group, const RunRecord& record) {
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
    std::vector<std::string> names;
    std::vector<double> joules;
    for (const ComponentEnergy& component : energy.components) {
        names.push_back(component.name);
        joules.insert(joules.end(), {component.dynamic_j, component.static_j});
    }
    const auto components = write_scale(group, schema::kEnergyComponent, names);
    const auto categories = write_scale(group, schema::kEnergyCategory, std::vector<std::string>{"dynamic", "static"});
    const auto kernels = write_scale(group, schema::kEnergyKernel, column_of(record.kernels, &KernelRow::id));
    write_scaled(group, schema::kEnergyJoules, joules, {&components, &categories});
    write_scaled(group, schema::kEnergyKernelJoules, record.kernel_energies.joules,
                 {&kernels, &components, &categories});
    write_scaled(group, schema::kEnergyKernelEnergyDelay, record.kernel_energies.energy_delay_js, {&kernels});
    write_energy_events(group.create_group(schema::kEnergyEventsGroup), energy.events);
    write_energy_statics(group.create_group(schema::kEnergyStaticGroup), energy.statics);
}

void write_window_lengths(hdf5::Group& group, const StoredColumn& ranks, const std::vector<EngineRow>& rows) {
    constexpr std::size_t kLengths = std::tuple_size_v<decltype(EngineStatistics::window_lengths)>;
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; i < kLengths; ++i) { lengths.push_back(std::uint64_t{1} << i); }
    std::vector<std::uint64_t> counts;
    for (const EngineRow& row : rows) {
        counts.insert(counts.end(), row.statistics.window_lengths.begin(), row.statistics.window_lengths.end());
    }
    auto scale = write_scale(group, schema::kEngineWindowLength, lengths);
    write_scaled(group, schema::kEngineWindowLengths, counts, {&ranks, &scale});
}

void write_engine(hdf5::Group& group, const std::vector<EngineRow>& rows) {
    TableWriter table(group, schema::kEngineRank, numbers_below<std::int32_t>(rows.size()));
    const auto statistic = [&](const DatasetName& name, auto member) {
        table.write(name, rows, [member](const EngineRow& row) { return row.statistics.*member; });
    };
    table.write(schema::kEngineProcesses, rows, &EngineRow::processes);
    table.write(schema::kEngineThreads, rows, &EngineRow::threads);
    table.write(schema::kEnginePeakRssBytes, rows, &EngineRow::peak_rss_bytes);
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
    write_window_lengths(group, table.scale(), rows);
}

/// The names of the processes with loads, which come first among the components.
std::vector<std::string> process_names(const RunRecord& record) {
    return column_of(std::span(record.components).first(record.profile.loads.size()), &ComponentRow::name);
}

void write_processes(hdf5::Group group, const RunRecord& record) {
    const RunProfile& profile = record.profile;
    TableWriter table(group, schema::kEnginePerProcessProcess, process_names(record));
    table.write(schema::kEnginePerProcessRank, std::vector<std::int32_t>(profile.rank.begin(), profile.rank.end()));
    table.write(schema::kEnginePerProcessComputeSeconds, profile.loads, &ProcessLoad::seconds);
    table.write(schema::kEnginePerProcessAdvances, profile.loads, &ProcessLoad::advances);
    table.finish();
}

void write_windows(hdf5::Group group, const RunRecord& record) {
    const WindowLog& log = record.profile.windows;
    const std::size_t windows = log.start.size();
    const auto process = write_scale(group, schema::kEnginePerWindowProcess,
                                     log.messages.empty() ? std::vector<std::string>() : process_names(record));
    TableWriter table(group, schema::kEnginePerWindowWindow, numbers_below<std::uint64_t>(windows));
    table.write(schema::kEnginePerWindowStartFs, log.start);
    table.finish();
    write_scaled(group, schema::kEnginePerWindowComputeNs, log.nanoseconds, {&table.scale(), &process});
    write_scaled(group, schema::kEnginePerWindowMessages, log.messages, {&process, &process});
}

void write_record(hdf5::Group root, const RunRecord& record) {
    write_summary(root, record);
    write_meta(root.create_group(schema::kMetaGroup), record.meta);
    write_config(root.create_group(schema::kConfigGroup), record);
    write_components(root.create_group(schema::kComponentsGroup), record.components);
    write_counters(root.create_group(schema::kCountersGroup), record.counters);
    write_kernels(root.create_group(schema::kKernelsGroup), record);
    write_kernel_counters(root.create_group(schema::kKernelCountersGroup), record);
    write_instructions(root.create_group(schema::kInstructionsGroup), record.instructions);
    write_activity(root.create_group(schema::kActivityGroup), record);
    write_series(root.create_group(schema::kSeriesGroup), record.series);
    write_stalls(root.create_group(schema::kStallsGroup), record.stalls);
    write_latency(root.create_group(schema::kLatencyGroup), record.latency);
    write_histograms(root.create_group(schema::kHistogramsGroup), record.histograms);
    write_energy(root.create_group(schema::kEnergyGroup), record);
    hdf5::Group engine = root.create_group(schema::kEngineGroup);
    write_engine(engine, record.engine);
    write_processes(engine.create_group(schema::kEnginePerProcessGroup), record);
    write_windows(engine.create_group(schema::kEnginePerWindowGroup), record);
}

}  // namespace

std::string write_run(const RunRecord& record, const std::string& path, const std::function<std::string()>& other) {
    hdf5::OutputFile file(path);
    write_record(file.root(), record);
    if (other) {
        file.commit_beside(other);
    } else {
        file.commit();
    }
    return file.path();
}

}  // namespace lookahead
