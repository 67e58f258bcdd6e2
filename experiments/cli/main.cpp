#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error/error.h"
#include "core/param/suggestion.h"
#include "core/transport/transport.h"
#include "experiments/cli/command_line.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/host_check.h"
#include "experiments/cli/session.h"

namespace lookahead::cli {

namespace {

constexpr const char* kDescription =
    "Lookahead simulates GPUs: a conservative parallel discrete-event simulation that gives the same result on any\n"
    "number of MPI ranks, and checks every program's output.\n\n"
    "  lookahead run sgemm                          simulate a workload on the default machine, gtx480\n"
    "  lookahead run bfs -o sm.warp_scheduler=lrr   with another warp scheduler\n"
    "  mpirun -n 2 lookahead run hotspot            on two ranks\n"
    "  lookahead list                               workloads, machines and variants\n"
    "  lookahead describe NAME                      what anything of these is";

constexpr const char* kFooter =
    "Exit codes: 0 done, outputs match; 2 usage or configuration; 3 bad input file; 4 the simulated program\n"
    "misbehaved; 5 an internal invariant broke; 75 stopped at a checkpoint.";

void print_error(const Session& session, const std::string& sentence) {
    if (session.prints()) {
        std::fprintf(stderr, "lookahead: %s\n", sentence.c_str());
    }
}

struct CommandEntry {
    std::string_view name;
    void (*add_to)(Command program, Session&);
};

constexpr CommandEntry kCommands[] = {
    {"run", add_run_command},
    {"resume", add_resume_command},
    {"emulate", add_emulate_command},
    {"list", add_list_command},
    {"describe", add_describe_command},
    {"config", add_config_command},
    {"partition", add_partition_command},
    {"bench", add_bench_command},
    {"profile", add_profile_command},
    {"capture", add_capture_command},
    {"validate", add_validate_command},
    {"diff", add_diff_command},
    {"sweep", add_sweep_command},
    {"report", add_report_command},
};

/// The command that the line begins with, or all of them where it begins with an option: the options of all take half a
/// millisecond to declare. The library would only say of an unknown name that a command is required.
void add_commands(Command program, Session& session) {
    const std::string_view first = session.arguments.size() > 1 ? std::string_view(session.arguments[1]) : "-";
    std::vector<std::string> known;
    bool added = false;
    for (const CommandEntry& command : kCommands) {
        if (first == command.name || first.starts_with('-')) {
            command.add_to(program, session);
            added = true;
        }
        known.emplace_back(command.name);
    }
    if (!added) {
        throw ConfigurationError("unknown command '" + std::string(first) + "'" + did_you_mean(first, known) +
                                 "; 'lookahead --help' lists the commands");
    }
}

ExitCode parse_and_run(int argc, char** argv, Session& session) {
    CommandLine line("lookahead", kDescription, kFooter, "lookahead 0.1.0");
    add_commands(line.program(), session);
    if (const std::optional<std::string> help = line.read(argc, argv)) {
        if (session.prints()) {
            std::fputs(help->c_str(), stdout);
        }
        return ExitCode::done;
    }
    return session.action();
}

/// For faults that one rank alone may have found: the others would wait for it for ever.
ExitCode give_up(const Session& session, const std::string& sentence) {
    std::fprintf(stderr, "lookahead: internal error on rank %d: %s\n", session.transport.rank(), sentence.c_str());
    session.transport.abort(static_cast<int>(ExitCode::internal));
    return ExitCode::internal;
}

ExitCode guarded(int argc, char** argv, Session& session) {
    try {
        check_host_processor();
        return parse_and_run(argc, argv, session);
    } catch (const InternalError& error) {
        return give_up(session, error.what());
    } catch (const Error& error) {  // a fault of the input, which every rank finds
        print_error(session, error.what());
        return error.code();
    } catch (const std::exception& error) {
        return give_up(session, error.what());
    }
}

/// Before there is a transport, which would tell this process's rank.
bool is_first_rank() {
    const char* rank = std::getenv("PMIX_RANK");
    return rank == nullptr || std::string_view(rank) == "0";
}

ExitCode start(int argc, char** argv) {
    std::unique_ptr<Transport> transport;
    try {
        transport = make_transport();
    } catch (const Error& error) {
        if (is_first_rank()) {
            std::fprintf(stderr, "lookahead: %s\n", error.what());
        }
        return error.code();
    }
    Session session{*transport, std::vector<std::string>(argv, argv + argc), {}};
    return guarded(argc, argv, session);
}

}  // namespace

}  // namespace lookahead::cli

int main(int argc, char** argv) {
    const auto code = static_cast<int>(lookahead::cli::start(argc, argv));
#ifndef __SANITIZE_ADDRESS__  // which looks for leaks when a process ends in the ordinary way
    // Registries and whatever else lives until now goes at once with the process, not piece by piece.
    std::fflush(nullptr);
    std::_Exit(code);
#endif
    return code;
}
