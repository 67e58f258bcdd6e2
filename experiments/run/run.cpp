#include "experiments/run/run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "components/device/cta_dispatcher.h"
#include "components/device/device_print.h"
#include "components/device/host_process.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/trace/trace.h"
#include "components/isa/instruction.h"
#include "components/machine/machine.h"
#include "core/component/registered_keys.h"
#include "core/files/writable.h"
#include "core/hdf5/file.h"
#include "core/param/parameter_registry.h"
#include "core/state/archives.h"
#include "core/sync/simulation.h"
#include "core/text/readable_name.h"
#include "core/trace/chrome_trace.h"
#include "core/trace/process_trace.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/all_gather.h"
#include "experiments/capture/live_program.h"
#include "experiments/energy_tables/energy_tables.h"
#include "experiments/results/kernel_counters_collector.h"
#include "experiments/results/provenance.h"
#include "experiments/results/run_energy.h"
#include "experiments/results/run_profile.h"
#include "experiments/results/stall_series.h"
#include "experiments/results/statistics_collector.h"
#include "experiments/run/keep_result.h"
#include "experiments/run/known_loads.h"
#include "experiments/run/latency_collector.h"
#include "experiments/run/program.h"
#include "experiments/run/run_checkpoints.h"
#include "experiments/run/run_observer.h"
#include "experiments/run/source_lines.h"
#include "experiments/run/stop_signal.h"
#include "hdf5_schemas/checkpoint_schema.h"
#include "hdf5_schemas/run_schema.h"
#include "hdf5_schemas/validate.h"

namespace lookahead {

LOOKAHEAD_REGISTER_PARAMETERS(RunParameters, "run", "The run as a whole.")

namespace {

/// Facts about the run that only the rank with the host process knows.
struct HostReport {
    std::vector<gpu::KernelRecord> kernels;
    int outputs = static_cast<int>(Outputs::unchecked);
    std::string message;

    void fields(StateArchive& archive) { archive& kernels& outputs& message; }
};

template <class T>
T from_bytes(const std::string& bytes) {
    T value{};
    load_state(value, bytes, "a rank's report");
    return value;
}

template <class Process>
Process* local_process(Simulation& simulation, LpId id) {
    for (LogicalProcess* process : simulation.local_processes()) {
        if (process->id() == id) { return dynamic_cast<Process*>(process); }
    }
    return nullptr;
}

EnergyTable energy_table_of(const Configuration& configuration) {
    return load_energy_table(configuration.read<EnergyParameters>("energy").table,
                             configuration.place_of("energy.table"));
}

/// The identity of a run. `configuration` must have been read.
std::string identity_of(const RunRequest& request, const Configuration& configuration, const EnergyTable& energies) {
    // The determinants of the results besides workload, size, seed and configuration.
    std::vector<std::string> determinants{energies.toml};
    determinants.insert(determinants.end(), request.command.begin(), request.command.end());
    if (request.max_cycles != 0) { determinants.push_back(fmt::format("--max-cycles={}", request.max_cycles)); }
    if (request.max_instructions != 0) {
        determinants.push_back(fmt::format("--max-instructions={}", request.max_instructions));
    }
    return make_run_id(request.workload, request.size, request.context.seed, configuration.effective_hash(),
                       determinants);
}

std::unique_ptr<Workload> make_workload(const RunRequest& request, const Configuration& configuration) {
    if (request.command.empty()) { return make_variant<Workload>(request.workload, configuration, request.context); }
    return std::make_unique<LiveProgram>(request.command, capture_machine(request.machine, configuration),
                                         request.keep_stdout ? ProgramOutput::to_stderr : ProgramOutput::to_stdout);
}

/// Refuses requests that would repeat a live program's actions.
void check_live(const RunRequest& request, const Transport& transport) {
    const std::string instead = "; record it with 'lookahead capture', and run the capture";
    if (transport.size() > 1) {
        throw ConfigurationError("{} runs live on one rank, but there are {}{}", request.workload, transport.size(),
                                 instead);
    }
    if (request.checkpoint_every != 0) {
        throw ConfigurationError("{} runs live, which allows no checkpoints{}", request.workload, instead);
    }
}

/// The facts that ranks must share to take part in one simulation. `inputs`: the files that the run reads, with hashes;
/// `ranks`: that of each process.
std::vector<Fact> facts_of(const RunRequest& request, const Transport& transport, const Configuration& configuration,
                           const EnergyTable& energies, const std::vector<std::pair<std::string, std::string>>& inputs,
                           const std::vector<int>& ranks) {
    if (transport.size() == 1) { return {}; }
    std::vector<Fact> all{{"the workload", request.workload},
                          {"--size", request.size},
                          {"--seed", std::to_string(request.context.seed)},
                          {"--sync", request.sync},
                          {"--partition", request.partition},
                          {"--max-cycles", std::to_string(request.max_cycles)},
                          {"--max-instructions", std::to_string(request.max_instructions)},
                          {"--checkpoint-every", std::to_string(request.checkpoint_every)},
                          {"--log-windows", request.log_windows ? "given" : "not given"},
                          {"--trace", request.trace.empty() ? "not given" : "given"},
                          {"the energy table", energies.toml}};
    for (const EffectiveEntry& entry : configuration.effective_entries()) {
        all.push_back({entry.key, to_toml(entry.value)});
    }
    for (const auto& [file, hash] : inputs) { all.push_back({fmt::format("the content of {}", file), hash}); }
    if (request.from != nullptr) {
        all.push_back({"the checkpoint's cycle", std::to_string(request.from->checkpoint().cycle)});
        all.push_back({"the checkpoint's state", hash_text(request.from->state_hash())});
    }
    all.push_back({"the processes' places, by --partition and --weights,", fmt::format("{}", fmt::join(ranks, " "))});
    return all;
}

class Run {
  public:
    Run(const RunRequest& request, Transport& transport)
        : request_(request),
          transport_(transport),
          configuration_(request.configuration),
          workload_(make_workload(request, configuration_)),
          parameters_(configuration_.read<RunParameters>("run")),
          energy_table_(energy_table_of(configuration_)),
          progress_(request.progress),
          machine_(
              configuration_, load_kernels(*workload_, configuration_, [this](const std::string& step) { tell(step); }),
              [this](Device& device) { run_workload(device); }, [this] { return loads_of_run(); }),
          observer_(machine_.core_clock(), {request.max_instructions, request.max_cycles}, progress_,
                    request.checkpoint_every,
                    [this](Time time, std::uint64_t cycle, const RunningProcesses& local) {
                        return checkpoints_.take(time, cycle, local, observer_.series());
                    }),
          checkpoints_(request, configuration_, machine_.model(), transport) {
        configuration_.check_all_used();
    }

    /// Prints the step before the simulation, on one rank.
    void tell(const std::string& step) {
        if (transport_.rank() == 0) { progress_.tell(step); }
    }

    RunOutcome execute() {
        std::vector<int> ranks;
        RunMeta meta;
        on_every_rank(transport_, [&] {
            meta = make_run_meta(request_.arguments);
            meta.inputs = input_hashes();
            checkpoints_.identify(run_id(), meta.inputs);
            check_request();
            ranks = rank_of_lp();
        });
        require_alike(transport_, facts_of(request_, transport_, configuration_, energy_table_, meta.inputs, ranks));
        std::unique_ptr<ChromeTrace> trace;
        if (!request_.trace.empty()) {
            transport_.barrier();
            trace = std::make_unique<ChromeTrace>(transport_.rank());
        }
        SimulationOptions options;
        options.sync = request_.sync;
        options.epoch_length = parameters_.epoch * kFemtosecondsPerNanosecond;
        options.observer = &observer_;
        options.trace = trace.get();
        options.log_windows = request_.log_windows;
        RunOutcome outcome;
        describe_machine(outcome.record);
        options.threads = threads();
        transport_.announce_threads(static_cast<int>(options.threads));
        std::vector<std::jthread> helpers;  // the simulation dismisses them before they are joined
        Simulation simulation(machine_.model(), ranks, transport_, options);
        if (request_.from != nullptr) { go_on(simulation, *request_.from); }
        start_process_traces(simulation);
        observer_.at_epoch(request_.at_epoch);
        observer_.watch(local_process<gpu::CtaDispatcher>(simulation, machine_.dispatcher()), workload_->launches());
        for (std::size_t i = 1; i < options.threads; ++i) { helpers.emplace_back(simulation.helper()); }
        if (request_.command.empty()) { StopSignal::note_from_now(); }
        const auto begin = std::chrono::steady_clock::now();
        const SimulationResult result = simulation.run();
        meta.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

        outcome.code = result.code;
        outcome.message = with_short_names(result.message);
        outcome.checkpoint = checkpoints_.last();
        if (result.outcome == Outcome::stopped && observer_.was_asked_to_stop(result.end_time)) {
            outcome.code = ExitCode::stopped_at_checkpoint;
            outcome.message = fmt::format("stopped on request; 'lookahead resume {}' continues", checkpoints_.last());
        }
        fill_scalars(outcome, result, host_report(simulation, result));
        fill_meta(outcome.record, std::move(meta));
        gather_statistics(simulation, outcome.record, result);
        if (trace != nullptr) { outcome.lost = write_trace(simulation, *trace); }
        return outcome;
    }

  private:
    std::string run_id() const { return identity_of(request_, configuration_, energy_table_); }

    void describe_machine(RunRecord& record) const {
        record.set_configuration(configuration_);
        for (const LpDescription& process : machine_.model().processes()) {
            record.components.push_back({process.name, process.kind, -1});
        }
    }

    /// The threads of this rank. A trace, and a log of the processes' costs, need a single thread. A thread with few
    /// processes would mostly wait for the others.
    std::size_t threads() const {
        constexpr std::size_t kProcessesOfThread = 2;
        const std::size_t processes = machine_.model().processes().size() / static_cast<std::size_t>(transport_.size());
        const std::size_t most = std::max<std::size_t>(processes / kProcessesOfThread, 1);
        return !request_.trace.empty() || request_.log_windows
                   ? 1
                   : std::min(static_cast<std::size_t>(request_.threads), most);
    }

    std::shared_ptr<const isa::LoadTrace> loads_of_run() const {
        if (!request_.command.empty()) {
            throw ConfigurationError(
                "{} runs live and only once; record it with 'lookahead capture', and run the capture",
                request_.workload);
        }
        const auto again = make_variant<Workload>(request_.workload, configuration_, request_.context);
        return find_loads(load_kernels(*again, configuration_), *again, configuration_);
    }

    /// Runs on the rank with the host.
    void run_workload(Device& device) {
        std::FILE* const out = request_.keep_stdout ? stderr : stdout;
        PrintingDevice printing(device, machine_.kernels().image, [this, out](std::string_view text) {
            if (!restoring_ &&
                !request_.is_one_of_many) {  // the text that the host repeats was printed before the checkpoint
                std::fwrite(text.data(), 1, text.size(), out);
                std::fflush(out);
            }
        });
        workload_->run(printing);
    }

    void check_request() const {
        if (!request_.trace.empty()) { check_traced_processes(); }
        machine_.check_ranks(transport_.size());
        if (request_.from != nullptr) { checkpoints_.check(request_.from->checkpoint()); }
    }

    void go_on(Simulation& simulation, const CheckpointFile& from) {
        const Checkpoint& checkpoint = from.checkpoint();
        restoring_ = true;
        simulation.restore(checkpoint.time, from);
        restoring_ = false;
        on_every_rank(transport_, [&] { observer_.continue_from(checkpoint.cycle, checkpoint.series); });
    }

    /// The files that the workload reads, or the live program unless it is found in PATH.
    std::vector<std::string> files_read() const {
        if (request_.command.empty()) { return input_files(request_.workload, configuration_); }
        std::error_code unknown;
        return std::filesystem::is_regular_file(request_.command.front(), unknown)
                   ? std::vector{request_.command.front()}
                   : std::vector<std::string>();
    }

    std::vector<std::pair<std::string, std::string>> input_hashes() const {
        std::vector<std::pair<std::string, std::string>> inputs;
        for (const std::string& file : files_read()) { inputs.emplace_back(file, hash_of_file(file)); }
        return inputs;
    }

    std::vector<int> rank_of_lp() const {
        const Model& model = machine_.model();
        std::vector<double> work;
        if (!request_.weights.empty()) { work = read_process_seconds(request_.weights, model); }
        return partition(model, transport_.size(), request_.partition, work);
    }

    /// Checks the outputs on the host's rank; every rank gets the report.
    HostReport host_report(Simulation& simulation, const SimulationResult& result) {
        HostReport report;
        const auto* host = local_process<gpu::HostProcess>(simulation, machine_.host());
        if (host != nullptr) {
            report.kernels = host->kernels();
            if (result.outcome == Outcome::finished) {
                const CheckReport check = workload_->check();
                report.outputs = static_cast<int>(check.outputs);
                report.message = check.message;
            }
        }
        const auto has_host = all_gather(transport_, std::uint64_t{host != nullptr});
        const auto owner = static_cast<int>(std::ranges::find(has_host, 1u) - has_host.begin());
        std::string bytes = saved_state(report);
        transport_.broadcast(bytes, owner);
        return from_bytes<HostReport>(bytes);
    }

    void fill_scalars(RunOutcome& outcome, const SimulationResult& result, const HostReport& host) {
        RunRecord& record = outcome.record;
        const auto outputs = static_cast<Outputs>(host.outputs);
        if (outputs == Outputs::mismatch) {
            outcome.code = ExitCode::program_misbehaved;
            outcome.message = fmt::format("{}: wrong output: {}", request_.workload, host.message);
        }
        record.status = result.outcome == Outcome::stopped ? "stopped"
                        : outcome.code == ExitCode::done   ? "complete"
                                                           : "failed";
        record.outputs = name_of(outputs);
        record.message = outcome.code == ExitCode::done ? host.message : outcome.message;
        record.workload = request_.workload;
        record.size = request_.size;
        record.machine = request_.machine;
        record.seed = request_.context.seed;
        record.run_id = run_id();
        record.state_hash = result.state_hash;
        record.time_fs = result.end_time;
        record.warp_instructions = result.progress;
        fill_kernels(record, host.kernels);
        outcome.has_result = result.outcome == Outcome::finished ||
                             (result.outcome == Outcome::stopped && outcome.code == ExitCode::done);
    }

    /// The run's cycles are those in which a kernel ran: copies between kernels take time, but no cycles. A kernel that
    /// still runs when the run stops ends there.
    void fill_kernels(RunRecord& record, const std::vector<gpu::KernelRecord>& kernels) {
        const ClockDomain& clock = machine_.core_clock();
        for (const gpu::KernelRecord& kernel : kernels) {
            KernelRow row;
            row.id = kernel.launch;
            row.name = kernel.name;
            row.grid = {kernel.grid.x, kernel.grid.y, kernel.grid.z};
            row.block = {kernel.block.x, kernel.block.y, kernel.block.z};
            row.registers = kernel.registers;
            row.shared_bytes = kernel.shared_bytes;
            row.start_fs = kernel.begin;
            row.end_fs = kernel.end != 0 ? kernel.end : std::max(record.time_fs, kernel.begin);
            row.cycles =
                static_cast<std::uint64_t>(clock.cycle_at_or_after(row.end_fs) - clock.cycle_at_or_after(row.start_fs));
            row.warp_instructions = kernel.warp_instructions;
            row.thread_instructions = kernel.thread_instructions;
            record.cycles += row.cycles;
            record.thread_instructions += row.thread_instructions;
            record.kernels.push_back(std::move(row));
        }
    }

    void fill_meta(RunRecord& record, RunMeta meta) {
        meta.ranks = transport_.size();
        meta.sync = request_.sync;
        meta.partition = request_.partition;
        meta.warp_instructions_per_s = static_cast<double>(record.warp_instructions) / std::max(meta.wall_s, 1e-9);
        meta.peak_rss_bytes = peak_resident_bytes();
        record.meta = std::move(meta);
    }

    void check_traced_processes() const {
        for (const std::string& name : request_.trace_of) {
            const auto& all = machine_.model().processes();
            if (std::ranges::find(all, name, &LpDescription::name) == all.end()) {
                throw ConfigurationError(
                    "--trace-of {}: the machine has no such process; it has host, dispatcher, sm0.. and partition0..",
                    name);
            }
        }
    }

    bool traces(const LogicalProcess& process) const {
        return !request_.trace.empty() &&
               std::ranges::find(request_.trace_of, process.name()) != request_.trace_of.end();
    }

    void start_process_traces(Simulation& simulation) {
        const ClockDomain& clock = machine_.core_clock();
        const TraceWindow window{clock.edge(static_cast<Cycle>(request_.trace_cycles.first)),
                                 clock.edge(static_cast<Cycle>(request_.trace_cycles.second)), request_.trace_events};
        for (LogicalProcess* process : simulation.local_processes()) {
            if (traces(*process)) { process->start_trace(window); }
        }
    }

    /// Writes the ranks' wall time and the chosen processes' simulated time. Returns, on rank 0, why it could not, or
    /// an empty text: the run is not lost with its trace.
    std::string write_trace(Simulation& simulation, const ChromeTrace& ranks) {
        ProcessTrace processes(transport_.rank());
        for (const LogicalProcess* process : simulation.local_processes()) {
            if (traces(*process)) { process->visit_trace(processes); }
        }
        const std::string comma = ranks.events().empty() || processes.events().empty() ? "" : ",\n";
        const auto events = transport_.gather(ranks.events() + comma + processes.events());
        if (transport_.rank() != 0) { return {}; }
        return catch_error([&] { write_whole_file(request_.trace, ChromeTrace::document(events)); }).sentence;
    }

    void name_instructions(InstructionCounts& instructions) const {
        const ProgramCode code =
            workload_->code().language == "ptx" ? ptx_of(*workload_, configuration_) : ProgramCode{};
        const SourceLines source(code.text);
        for (InstructionCounts::Row& row : instructions.rows) {
            const isa::Kernel& kernel = machine_.kernels().at(row.kernel);
            const auto number = static_cast<std::uint32_t>(row.number);
            row.kernel_name = kernel.name;
            row.pc = row.number * kernel.instruction_bytes;
            row.text = finaliser::print(kernel, number);
            row.line = kernel.code[number].line;
            row.ptx = source.text(row.line);
            row.cuda_line = source.cuda(row.line).line;
            row.cuda_file = source.cuda(row.line).file;
        }
    }

    void gather_statistics(Simulation& simulation, RunRecord& record, const SimulationResult& result) {
        StatisticsCollector collector;
        KernelCountersCollector kernel_counters;
        LatencyCollector latencies;
        for (const LogicalProcess* process : simulation.local_processes()) {
            process->visit_statistics(collector);
            kernel_counters.add(*process);
            latencies.add(*process);
        }
        // Rank 0 has its own part.
        const auto merge_ranks = [this](auto& part) {
            const auto parts = transport_.gather(transport_.rank() == 0 ? std::string() : part.to_bytes());
            for (std::size_t rank = 1; rank < parts.size(); ++rank) { part.merge(parts[rank]); }
        };
        merge_ranks(collector);
        merge_ranks(observer_.series());
        merge_ranks(kernel_counters);
        merge_ranks(latencies);
        const auto memory = transport_.gather(saved_state(peak_resident_bytes()));
        const auto processes = transport_.gather(saved_state(std::uint64_t{simulation.local_processes().size()}));
        if (transport_.rank() != 0) { return; }
        collector.write_into(record);
        name_instructions(record.instructions);
        record.energy = energy_of(energy_table_, energy_input(record));
        kernel_counters.write_into(record);
        latencies.write_into(record);
        observer_.series().write_into(record);
        separate_stalls(record, kStallSeriesKind);
        compute_kernel_energies(record);
        record.profile = result.profile;
        for (std::size_t rank = 0; rank < result.per_rank.size(); ++rank) {
            record.engine.push_back({from_bytes<std::uint64_t>(processes[rank]),
                                     from_bytes<std::uint64_t>(memory[rank]), result.per_rank[rank], threads()});
            record.meta.peak_rss_bytes = std::max(record.meta.peak_rss_bytes, record.engine.back().peak_rss_bytes);
        }
    }

    const RunRequest& request_;
    Transport& transport_;
    Configuration configuration_;
    std::unique_ptr<Workload> workload_;
    RunParameters parameters_;
    EnergyTable energy_table_;
    Progress progress_;
    gpu::Machine machine_;
    RunObserver observer_;
    RunCheckpoints checkpoints_;
    bool restoring_ = false;
};

FileKind kind_of_schema(const std::string& name, std::string_view schema) {
    return {name, [schema](const std::string& path) { return is_file_of(path, schema); }};
}

void require_unlocked(const std::string& path, const FileKind& kind, bool force) {
    if (path.empty()) { return; }
    if (hdf5::is_being_written(fmt::format("{}.partial", path))) {
        throw InputError("{}.partial: another run is writing it; name another file", path);
    }
    require_writable(path, kind, force);
}

/// Checks that all files of the run can be written. Throws on every rank alike.
void require_writable_files(const RunRequest& request, Transport& transport) {
    RankError fault;
    if (transport.rank() == 0) {
        fault = catch_error([&] {
            require_unlocked(request.out, kind_of_schema("a result of a run", run_schema::kId), request.force);
            require_unlocked(request.trace, {"a trace of a run", &ChromeTrace::is_one}, request.force);
            if (request.checkpoint_every != 0) {
                require_unlocked(checkpoint_stem(request) + std::string(kCheckpointSuffix),
                                 kind_of_schema("a checkpoint", checkpoint_schema::kId), request.force);
            }
        });
    }
    if (const auto agreed = agree_on_error(transport, fault)) { throw_as_its_kind(*agreed); }
}

void join(std::string& sentences, const std::string& more) {
    sentences += (sentences.empty() || more.empty() ? "" : "; ") + more;
}

}  // namespace

std::vector<std::string> input_files(const std::string& workload, const Configuration& configuration) {
    std::vector<std::string> files;
    for (const EffectiveEntry& entry : configuration.effective_entries()) {
        if (entry.key == fmt::format("{}.file", workload)) { files.push_back(std::get<std::string>(entry.value)); }
    }
    if (workload == "trace" && !files.empty()) { return trace::files_of_trace(files.front()); }
    return files;
}

std::string workload_of(const std::string& name) {
    return name.ends_with(".h5") ? "capture" : trace::is_trace_name(name) ? "trace" : name;
}

bool has_own_inputs(const std::string& workload) {
    return workload == "capture" || workload == "trace";
}

std::string run_id_of(const RunRequest& request) {
    const Configuration configuration = request.configuration;
    read_variant(SlotTraits<Workload>::name, request.workload, configuration);
    read_registered(configuration);
    configuration.check_all_used();
    return identity_of(request, configuration, energy_table_of(configuration));
}

RunOutcome run(const RunRequest& request, Transport& transport) {
    if (!request.command.empty()) {
        check_live(request, transport);
        StopSignal::end_process_from_now();
    }
    require_writable_files(request, transport);
    if (request.checkpoint_every != 0 && transport.rank() == 0) {
        remove_abandoned_checkpoints(request.checkpoint_folder, request.workload);
    }
    std::optional<Run> run;
    on_every_rank(transport, [&] { run.emplace(request, transport); });
    RunOutcome outcome = run->execute();
    if (transport.rank() == 0 && !request.out.empty() && outcome.has_result) {
        const KeptResult kept = keep_result(outcome.record, request.out, !request.is_one_of_many, request.free_out);
        outcome.result = kept.file;
        join(outcome.lost, kept.reason);
    }
    if (const auto lost = agree_on_error(
            transport, outcome.lost.empty() ? RankError{} : RankError{ExitCode::bad_input, outcome.lost})) {
        outcome.code = outcome.code == ExitCode::done ? lost->code : outcome.code;
        join(outcome.message, lost->sentence);
    }
    return outcome;
}

}  // namespace lookahead
