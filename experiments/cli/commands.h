#pragma once

#include <string>
#include <vector>

#include "core/transport/transport.h"
#include "experiments/cli/command_line.h"
#include "experiments/run/run.h"

namespace lookahead::cli {

struct Session;

/// The request of a line of `run` or `resume`, from the command's name on. ConfigurationError or InputError if the line
/// is wrong.
RunRequest read_run_request(const std::vector<std::string>& arguments, Transport&);

/// Each adds its command to the program; the command's callback sets session.action.
void add_run_command(Command program, Session& session);
void add_resume_command(Command program, Session& session);
void add_emulate_command(Command program, Session& session);
void add_list_command(Command program, Session& session);
void add_describe_command(Command program, Session& session);
void add_config_command(Command program, Session& session);
void add_partition_command(Command program, Session& session);
void add_bench_command(Command program, Session& session);
void add_profile_command(Command program, Session& session);
void add_profile_patterns(Command profile, Session& session);  ///< a command of `profile`
void add_profile_vectors(Command profile, Session& session);   ///< likewise
void add_explain_command(Command program, Session& session);
void add_annotate_command(Command program, Session& session);
void add_capture_command(Command program, Session& session);
void add_validate_command(Command program, Session& session);
void add_diff_command(Command program, Session& session);
void add_sweep_command(Command program, Session& session);
void add_report_command(Command program, Session& session);
void add_completion_command(Command program, Session& session);

}  // namespace lookahead::cli
