#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

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

/// Returns the text itself.
inline const std::string& sentence_of(const std::string& text) {
    return text;
}
/// Formats the arguments as fmt does.
template <class First, class... Rest>
std::string sentence_of(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
    return fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...);
}

/// Made of a text, or of a format and its arguments: InputError("{}: line {} is empty", file, line).
template <ExitCode kCode>
class ErrorWithCode : public Error {
  public:
    explicit ErrorWithCode(const std::string& sentence) : Error(kCode, sentence) {}
    template <class First, class... Rest>
    explicit ErrorWithCode(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
        : Error(kCode, sentence_of(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// A wrong command line, an unknown configuration key, a value out of its range: exit code 2.
class ConfigurationError : public ErrorWithCode<ExitCode::usage> {
    using ErrorWithCode::ErrorWithCode;
};

/// A file that cannot be used (program, capture, checkpoint, HDF5, study): exit code 3.
class InputError : public ErrorWithCode<ExitCode::bad_input> {
    using ErrorWithCode::ErrorWithCode;
};

/// The simulated program misbehaved (deadlock, illegal address, wrong output): exit code 4.
class ProgramError : public ErrorWithCode<ExitCode::program_misbehaved> {
    using ErrorWithCode::ErrorWithCode;
};

/// An invariant of the simulator broke: exit code 5.
class InternalError : public ErrorWithCode<ExitCode::internal> {
    using ErrorWithCode::ErrorWithCode;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const std::string& message);

}  // namespace lookahead

/// Checks an invariant in every build, which must be cheap; throws InternalError if it is broken. A text, or a format
/// and its arguments, follows the condition.
#define LOOKAHEAD_ASSERT(condition, ...)                                                                          \
    do {                                                                                                          \
        if (!(condition)) [[unlikely]]                                                                            \
            ::lookahead::assertion_failed(#condition, __FILE__, __LINE__, ::lookahead::sentence_of(__VA_ARGS__)); \
    } while (false)

/// The same for an invariant on a hot path, which only debug builds check.
#ifdef NDEBUG
#define LOOKAHEAD_DEBUG_ASSERT(condition, ...) ((void)0)
#else
#define LOOKAHEAD_DEBUG_ASSERT(condition, ...) LOOKAHEAD_ASSERT(condition, __VA_ARGS__)
#endif
