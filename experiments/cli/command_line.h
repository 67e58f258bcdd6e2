#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lookahead::cli {

/// CLI11, which reads the command line, has 9 000 lines of templates: only one file includes it, and these classes hide
/// it.

/// An option or a positional argument of a command. Each function returns the option, so that several can follow.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    Option& required();
    /// `--help` shows the value that the variable has now.
    Option& show_default();
    /// Each value needs its own option, as in -o A -o B; without it all following words are values.
    Option& one_value_each();
    /// A word is one value or several: A,B. Numbers may also be separate words.
    Option& split_at(char delimiter);
    /// Takes the value from an environment variable if the command line has none.
    Option& from_environment(const std::string& variable);

    Option& in_range(int least, int most);
    Option& in_range(unsigned least, unsigned most);
    Option& not_negative();
    Option& positive();
    Option& one_of(std::initializer_list<std::string> words);
    Option& existing_folder();
    Option& not_empty();
    /// `refusal` returns a sentence that says what is wrong with a value's text, or an empty one.
    Option& check(std::function<std::string(const std::string& text)> refusal);
    /// Sets `is_given` if the command line has the option.
    Option& note(bool& is_given);
    /// Lets `edit` see the text of a value, and change it, before it is stored.
    Option& change(std::function<void(std::string& text)> edit);

  private:
    Option& finite(bool (*is_right)(double), const std::string& range);

    CLI::Option* option_;
};

/// The program, or one of its commands. A value is stored in the variable of the option's declaration, which must live
/// until the command line is read.
class Command {
  public:
    explicit Command(CLI::App* command) : command_(command) {}

    Command add_command(const std::string& name, const std::string& help);
    /// Its name after those of its parent commands: "sweep run".
    std::string names() const;
    /// Refuses a line without one of the added commands.
    void require_command();
    /// Sets what is called when the line has been read, if it names this command.
    void when_given(std::function<void()> action);
    /// Puts text before the last part of `--help`.
    void prepend_footer(const std::string& text);

    /// `names`: of an option, as in "-o,--out", or of a positional argument, as in "FILE". T is one of the types at the
    /// function's end in command_line.cpp. Negative numbers are refused for unsigned values. A pair takes two numbers,
    /// as in 0,500 or 0 500.
    template <class T>
    Option add_option(const std::string& names, T& value, const std::string& help);
    Option add_flag(const std::string& names, bool& value, const std::string& help);
    /// Another spelling of an option, accepted but not shown by `--help` or the outline.
    Option add_unlisted(const std::string& names, std::string& value);

  private:
    CLI::App* command_;
};

/// The declaration of an option or a positional argument.
struct OptionOutline {
    std::vector<std::string> names;  ///< "-o", "--out"; of a positional argument "FILE"
    std::string value;               ///< the kind and range of its value; empty for a flag
    std::string default_value;       ///< as `--help` shows it
    std::string help;
    std::vector<std::string> choices;  ///< words that a list of them allows
    bool is_positional = false;
    bool is_required = false;
};

/// A command with its options and commands.
struct CommandOutline {
    std::string name;
    std::string help;
    std::vector<OptionOutline> options;
    std::vector<CommandOutline> commands;
};

/// The parser of the whole line.
class CommandLine {
  public:
    CommandLine(const std::string& name, const std::string& description, const std::string& footer,
                const std::string& version);
    ~CommandLine();

    Command program();
    /// The declarations so far.
    CommandOutline outline() const;
    /// `line` is argv. Stores the values and calls the action of the given command, or returns the text for `--help` or
    /// `--version`. ConfigurationError for an invalid line.
    std::optional<std::string> read(const std::vector<std::string>& line);

  private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace lookahead::cli
