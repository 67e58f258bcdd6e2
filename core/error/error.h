#pragma once

#include <stdexcept>
#include <string>

namespace lookahead {

/// Exit codes of the program; the contract is the table in experiments/cli/README.md.
enum class ExitCode : int {
    done = 0,
    usage = 2,
    bad_input = 3,
    program_misbehaved = 4,
    internal = 5,
    stopped_at_checkpoint = 75,
};

/// An error with a sentence for the user and an exit code. The sentence says what was wrong, where, and what would be
/// right.
class Error : public std::runtime_error {
  public:
    Error(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
    ExitCode code() const noexcept { return code_; }

  private:
    ExitCode code_;
};

/// A wrong command line, an unknown configuration key, a value out of its range: exit code 2.
class ConfigurationError : public Error {
  public:
    explicit ConfigurationError(const std::string& sentence) : Error(ExitCode::usage, sentence) {}
};

/// A file that cannot be used (program, capture, checkpoint, HDF5, study): exit code 3.
class InputError : public Error {
  public:
    explicit InputError(const std::string& sentence) : Error(ExitCode::bad_input, sentence) {}
};

/// The simulated program misbehaved (deadlock, illegal address, wrong output): exit code 4.
class ProgramError : public Error {
  public:
    explicit ProgramError(const std::string& sentence) : Error(ExitCode::program_misbehaved, sentence) {}
};

/// An invariant of the simulator broke: exit code 5.
class InternalError : public Error {
  public:
    explicit InternalError(const std::string& sentence) : Error(ExitCode::internal, sentence) {}
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const std::string& message);

}  // namespace lookahead

/// An invariant that is cheap enough to check in every build.
#define LOOKAHEAD_ASSERT(condition, message)                                          \
    do {                                                                              \
        if (!(condition)) [[unlikely]]                                                \
            ::lookahead::assertion_failed(#condition, __FILE__, __LINE__, (message)); \
    } while (false)

/// An invariant on a hot path, checked in debug builds only.
#ifdef NDEBUG
#define LOOKAHEAD_DEBUG_ASSERT(condition, message) ((void)0)
#else
#define LOOKAHEAD_DEBUG_ASSERT(condition, message) LOOKAHEAD_ASSERT(condition, message)
#endif
