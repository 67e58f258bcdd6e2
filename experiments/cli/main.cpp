#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/error/error.h"
#include "core/param/suggestion.h"
#include "core/text/readable_name.h"
#include "core/transport/agreement/agreement.h"
#include "core/transport/in_process/in_process_transport.h"
#include "core/transport/transport.h"
#include "experiments/cli/command_line.h"
#include "experiments/cli/command_table.h"
#include "experiments/cli/session.h"
#include "experiments/results/provenance.h"
#include "experiments/run/stop_signal.h"
#include "experiments/sweep/point_server.h"

namespace lookahead::cli {

namespace {

/// Adds the command that the line begins with, or all if it begins with an option: declaring the options of all takes
/// half a millisecond. For an unknown name the library would only say that a command is required.
void add_commands(Command program, Session& session) {
    const std::string_view first = session.arguments.size() > 1 ? std::string_view(session.arguments[1]) : "-";
    std::vector<std::string> known;
    bool added = false;
    for (const CommandEntry& command : all_commands()) {
        if (first == command.name || first.starts_with('-')) {
            command.add_to(program, session);
            added = true;
        }
        known.emplace_back(command.name);
    }
    if (!added) {
        throw ConfigurationError("unknown command '{}'{}; 'lookahead --help' lists the commands", first,
                                 did_you_mean(first, known));
    }
}

/// The program is compiled for x86-64-v3, so that its arithmetic is the same on every host.
void check_host_processor() {
    const bool has_level_3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (!has_level_3) {
        throw ConfigurationError(
            "this processor lacks x86-64-v3 (AVX2, FMA, BMI2), for which the program is built: run it on an Intel "
            "Haswell, AMD Zen or later");
    }
}

/// Sets session.names and session.action. Returns the text that the line asks for, such as help, if any.
std::optional<std::string> read_line(Session& session) {
    CommandLine line = make_command_line();
    add_commands(line.program(), session);
    return line.read(session.arguments);
}

ExitCode parse_and_run(Session& session) {
    const std::optional<std::string> help = on_every_rank(session.transport, [&] {
        check_host_processor();
        return read_line(session);
    });
    require_alike(session.transport, {{"the program", fmt::format("{} {}", git_revision(), build_id())},
                                      {"the command", help ? "--help or --version" : session.names}});
    session.print(help.value_or(""));
    const ExitCode code = help ? ExitCode::done : session.action();
    // Flushes whatever the code is: the launcher may end this process once another rank has ended with an error's code.
    const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (code == ExitCode::done && !is_written) {
        throw InputError("stdout cannot be written: is there room for it, and is it open?");
    }
    return code;
}

/// The end of a rank's work, with a sentence for an error.
struct Ending {
    ExitCode code;
    std::string sentence;

    std::uint64_t error() const { return sentence.empty() ? 0 : static_cast<std::uint64_t>(code); }
};

Ending attempt(Session& session) {
    const auto internal = [&](const std::exception& error) {
        return Ending{ExitCode::internal,
                      fmt::format("internal error on rank {}: {}", session.transport.rank(), error.what())};
    };
    try {
        return {parse_and_run(session), {}};
    } catch (const InternalError& error) { return internal(error); } catch (const Error& error) {
        // Some other errors tell users the names that they may type.
        return {error.code(),
                error.code() == ExitCode::program_misbehaved ? with_short_names(error.what()) : error.what()};
    } catch (const std::exception& error) { return internal(error); }
}

/// How long a rank with an error waits for the others. If they have the error too, they come soon; if one does not
/// come, it may be waiting for this rank for ever. Then the lowest waiting rank prints the error and ends them all.
std::chrono::milliseconds patience_of(int rank) {
    constexpr int kBase = 2000;
    constexpr int kStep = 250;
    constexpr int kMostSteps = 12;
    return std::chrono::milliseconds(kBase + kStep * std::min(rank, kMostSteps));
}

/// Ends the ranks together, with the exit code of the first one that has an error; that rank prints it.
ExitCode conclude(const Session& session, const Ending& mine) {
    Transport& transport = session.transport;
    const std::uint64_t error = mine.error();
    std::vector<std::uint64_t> errors(static_cast<std::size_t>(transport.size()));
    const auto patience = error == 0 ? Transport::kForever : patience_of(transport.rank());
    const bool all_came = transport.try_all_gather({&error, 1}, errors, patience);
    const auto first = std::ranges::find_if(errors, [](std::uint64_t e) { return e != 0; });
    if (!all_came || first - errors.begin() == transport.rank()) {
        std::fprintf(stderr, "lookahead: %s\n", mine.sentence.c_str());
    }
    if (!all_came) { transport.abort(static_cast<int>(mine.code)); }
    return first == errors.end() ? mine.code : static_cast<ExitCode>(*first);
}

/// Used before there is a transport, which would know this process's rank.
bool is_first_rank() {
    for (const char* name : {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
        if (const char* rank = std::getenv(name)) { return std::string_view(rank) == "0"; }
    }
    return true;
}

/// Runs a command line in its own process, made by the point server.
int run_line(const std::vector<std::string>& arguments) {
    std::vector<std::string> texts{"lookahead"};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    InProcessTransport transport;
    Session session{transport, texts};
    return static_cast<int>(conclude(session, attempt(session)));
}

/// For the points of a sweep under mpirun; null otherwise.
std::unique_ptr<PointServer> make_point_server(int argc, char** argv) {
    const bool is_wanted = argc > 2 && std::string_view(argv[1]) == "sweep" && std::string_view(argv[2]) == "run";
    return is_wanted && is_under_mpirun() ? std::make_unique<PointServer>(run_line) : nullptr;
}

ExitCode start(int argc, char** argv, PointServer* server) {
    std::unique_ptr<Transport> transport;
    try {
        transport = make_transport();
    } catch (const Error& error) {
        if (!is_first_rank()) {
            // The launcher ends a job if one rank fails, so this rank prints only if the first one has not.
            std::this_thread::sleep_for(patience_of(0));
        }
        std::fprintf(stderr, "lookahead: %s\n", error.what());
        return error.code();
    }
    Session session{*transport, std::vector<std::string>(argv, argv + argc), {}, {}, server, run_line};
    return conclude(session, attempt(session));
}

/// Launchers send signals to ranks that have hardly started.
void take_signals(int argc, char** argv) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    const bool simulates = command == "run" || command == "resume";
    if (is_under_mpirun() && (simulates || command == "sweep")) {
        StopSignal::note_from_now();  // when a rank has ended, mpirun sends them to the others
    } else if (simulates) {
        StopSignal::end_start_from_now();
    }
}

/// Sets the limits to which malloc's own would grow as larger pieces are freed. A piece above them comes from the
/// system page by page, each cleared, in the middle of a window.
void raise_limits_of_malloc() {
    constexpr int kLargestPiece = 32 << 20;
    ::mallopt(M_MMAP_THRESHOLD, kLargestPiece);
    ::mallopt(M_TRIM_THRESHOLD, 2 * kLargestPiece);
}

}  // namespace

}  // namespace lookahead::cli

int main(int argc, char** argv) {
    lookahead::cli::raise_limits_of_malloc();
    std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit becomes an error, like a full disk
    const auto server = lookahead::cli::make_point_server(argc, argv);  // while this process is small
    lookahead::cli::take_signals(argc, argv);
    const auto code = static_cast<int>(lookahead::cli::start(argc, argv, server.get()));
#ifndef __SANITIZE_ADDRESS__  // it looks for leaks at a normal exit
    // The process ends at once, without destroying registries and other remaining objects one by one.
    std::fflush(nullptr);
    std::_Exit(code);
#endif
    return code;
}
