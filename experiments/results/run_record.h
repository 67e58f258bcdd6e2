#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "components/energy/energy_report.h"
#include "core/param/configuration.h"
#include "core/sync/engine_statistics.h"
#include "core/sync/process_profile.h"

namespace lookahead {

/// A part of the machine that has statistics; its number is its place in RunRecord::components.
struct ComponentRow {
    std::string name;
    std::string kind;
    std::int32_t parent = -1;  ///< number of the component that it is a part of; -1 for a logical process
};

/// One kernel launch.
struct KernelRow {
    std::uint64_t id = 0;
    std::string name;
    std::uint32_t stream = 0;
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::uint32_t registers = 0;
    std::uint32_t shared_bytes = 0;
    std::int64_t start_fs = 0;
    std::int64_t end_fs = 0;
    std::uint64_t cycles = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
};

/// The values of one counter: a total for each component, or a row of components for each epoch.
struct CounterColumn {
    std::string name;
    std::string unit;
    std::string description;
    std::vector<std::uint64_t> values;
};

/// The counters of one kind, in the order of declaration.
struct CounterGroup {
    std::string kind;
    std::vector<std::string> components;
    std::vector<CounterColumn> columns;
};

/// One histogram of one kind.
struct HistogramRecord {
    std::string kind;
    std::string name;
    std::string unit;
    std::string description;
    std::vector<std::uint64_t> edges;
    std::vector<std::string> components;
    std::vector<std::uint64_t> counts;  ///< [component][bin]
    std::vector<std::uint64_t> underflow;
    std::vector<std::uint64_t> overflow;
};

/// Counters of one kind over time; columns hold [cycle][component].
struct SeriesGroup {
    std::string kind;
    std::vector<std::uint64_t> cycles;
    std::vector<std::string> components;
    std::vector<CounterColumn> columns;
};

/// The counts of each kernel, summed over the components.
struct KernelCounters {
    std::vector<std::string> counters;  ///< "kind.name"
    std::vector<std::uint64_t> values;  ///< [kernel][counter], a row for each of RunRecord::kernels
};

/// Counts by instruction of the launched kernels, summed over the launches and the components.
struct InstructionCounts {
    /// Rows of one kernel follow each other, in the order of its code.
    struct Row {
        std::uint64_t kernel = 0;  ///< index in the run's table of kernels
        std::uint64_t number = 0;  ///< index in the kernel's code
        std::string kernel_name;
        std::uint64_t pc = 0;  ///< bytes from the kernel's begin
        std::string text;
        std::uint32_t line = 0;  ///< of the PTX; 0 if it is not known
        std::string ptx;
        std::uint32_t cuda_line = 0;  ///< of the CUDA source; 0 if it is not known
        std::string cuda_file;
    };
    struct Counter {
        std::string name, unit, description;

        template <class Archive>
        void serialize(Archive& archive, unsigned) {
            archive& name& unit& description;
        }
    };

    std::vector<Row> rows;
    std::vector<Counter> counters;
    std::vector<std::uint64_t> values;  ///< [row][counter]
};

/// How the schedulers spent their cycles over time, by SM.
struct StallSeries {
    std::vector<std::uint64_t> cycles;  ///< ends of the intervals
    std::vector<std::string> components;
    std::vector<std::string> causes;
    std::vector<std::uint64_t> values;  ///< [cycle][component][cause]
};

/// The stages of sampled reads that missed a cache of their SM.
struct LatencySamples {
    std::vector<std::string> stages;
    std::vector<std::string> sms;     ///< by sample
    std::vector<std::string> slices;  ///< by sample
    std::vector<std::string> served;  ///< by sample: hit, merge or dram
    std::vector<std::int64_t> start_fs;
    std::vector<std::int64_t> end_fs;
    std::vector<std::int64_t> durations_fs;  ///< [sample][stage]
    std::vector<std::string> sources;        ///< by sample: global, local, constant, texture or instruction
};

/// Energy of each kernel: its counters' and, over its time, the static powers'.
struct KernelEnergies {
    std::vector<double> joules;           ///< [kernel][component][dynamic, static], components as in EnergyReport
    std::vector<double> energy_delay_js;  ///< by kernel: its energy times its time
};

/// Facts that may differ between equal runs.
struct RunMeta {
    std::vector<std::string> argv;
    std::string git_revision;
    std::string program_hash;  ///< build_id()
    std::string compiler;
    std::string host;
    int ranks = 1;
    std::string sync;
    std::string partition;
    std::string started;  ///< UTC, ISO 8601
    double wall_s = 0;
    double warp_instructions_per_s = 0;
    std::uint64_t peak_rss_bytes = 0;
    std::vector<std::pair<std::string, std::string>> inputs;  ///< file and hash
};

/// One rank's engine.
struct EngineRow {
    std::uint64_t processes = 0;
    std::uint64_t peak_rss_bytes = 0;
    EngineStatistics statistics;
    std::uint64_t threads = 1;  ///< that may have advanced processes
};

/// The whole result of a run, which write_run() writes to a file.
struct RunRecord {
    std::string run_id;
    std::uint64_t config_hash = 0;
    std::uint64_t state_hash = 0;
    std::string status = "complete";    ///< complete, stopped or failed
    std::string outputs = "unchecked";  ///< match, mismatch or unchecked
    std::string message;                ///< why it stopped or failed
    std::string workload;
    std::string size;
    std::string machine;
    std::uint64_t seed = 0;
    std::int64_t time_fs = 0;
    std::uint64_t cycles = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;

    RunMeta meta;
    std::string config_toml;
    std::vector<EffectiveEntry> config;
    std::vector<ComponentRow> components;  ///< logical processes first, in the order of their ids
    std::vector<CounterGroup> counters;
    std::vector<KernelRow> kernels;
    std::vector<HistogramRecord> histograms;
    std::vector<SeriesGroup> series;
    KernelCounters kernel_counters;
    InstructionCounts instructions;
    StallSeries stalls;
    LatencySamples latency;
    EnergyReport energy;
    KernelEnergies kernel_energies;
    std::vector<EngineRow> engine;  ///< one for each rank
    RunProfile profile;             ///< by logical process

    /// Warp instructions a cycle; 0 for no cycles.
    double ipc() const {
        return cycles == 0 ? 0 : static_cast<double>(warp_instructions) / static_cast<double>(cycles);
    }

    /// Thread instructions a cycle; 0 for no cycles.
    double thread_ipc() const {
        return cycles == 0 ? 0 : static_cast<double>(thread_instructions) / static_cast<double>(cycles);
    }

    /// Copies entries, TOML and hash of the effective configuration.
    void set_configuration(const Configuration& configuration);
};

/// A hash as 16 hexadecimal digits, for files and messages.
std::string hash_text(std::uint64_t hash);

/// The identity of a run: a hash of all inputs that determine its results. `limits`: the texts of options that end a
/// run early, such as "--max-cycles=1000".
std::string make_run_id(std::string_view workload, std::string_view size, std::uint64_t seed, std::uint64_t config_hash,
                        const std::vector<std::string>& limits = {});

}  // namespace lookahead
