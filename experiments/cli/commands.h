#pragma once

namespace CLI {
class App;
}

namespace lookahead::cli {

struct Session;

/// Each adds its command to the program; the command's callback sets session.action.
void add_run_command(CLI::App& program, Session& session);
void add_resume_command(CLI::App& program, Session& session);
void add_emulate_command(CLI::App& program, Session& session);
void add_list_command(CLI::App& program, Session& session);
void add_describe_command(CLI::App& program, Session& session);
void add_config_command(CLI::App& program, Session& session);
void add_partition_command(CLI::App& program, Session& session);
void add_bench_command(CLI::App& program, Session& session);
void add_profile_command(CLI::App& program, Session& session);
void add_capture_command(CLI::App& program, Session& session);
void add_validate_command(CLI::App& program, Session& session);
void add_diff_command(CLI::App& program, Session& session);
void add_sweep_command(CLI::App& program, Session& session);
void add_report_command(CLI::App& program, Session& session);

}  // namespace lookahead::cli
