#include "experiments/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <sstream>
#include <string_view>

#include "core/error/error.h"
#include "core/text/read_number.h"

namespace lookahead::cli {

namespace {

/// The library writes "TEXT", "UINT:UINT in [1 - 4096]" or "TEXT:{a,b}"; the part after the first colon suffices.
std::string kind_of_value(const CLI::Option& option) {
    const std::string kind = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
    const std::size_t colon = kind.find(':');
    return colon == std::string::npos ? kind : kind.substr(colon + 1);
}

std::vector<std::string> choices_of(const std::string& kind) {
    std::vector<std::string> choices;
    if (kind.starts_with('{') && kind.ends_with('}')) {
        std::istringstream words(kind.substr(1, kind.size() - 2));
        for (std::string word; std::getline(words, word, ',');) { choices.push_back(word); }
    }
    return choices;
}

constexpr const char* kUnlisted = "";  ///< the group that CLI11 does not show

OptionOutline outline_of(const CLI::Option& option) {
    OptionOutline outline;
    outline.is_positional = option.get_positional();
    outline.is_required = option.get_required();
    outline.help = option.get_description();
    outline.value = kind_of_value(option);
    outline.default_value = option.get_default_str();
    outline.choices = choices_of(outline.value);
    std::istringstream names(outline.is_positional ? option.get_name(true) : option.get_name(false, true));
    for (std::string name; std::getline(names, name, ',');) { outline.names.push_back(name); }
    return outline;
}

// NOLINTNEXTLINE(misc-no-recursion): commands have commands
CommandOutline outline_of(const CLI::App& command) {
    CommandOutline outline{command.get_name(), command.get_description(), {}, {}};
    for (const CLI::Option* option :
         command.get_options([](const CLI::Option* each) { return each->get_group() != kUnlisted; })) {
        outline.options.push_back(outline_of(*option));
    }
    for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
        outline.commands.push_back(outline_of(*inner));
    }
    return outline;
}

constexpr const char* kNotNegative = "not negative";  ///< the name of a check

/// Without this check -1 would be read as the largest unsigned number.
CLI::Option* refuse_negative(CLI::Option* option) {
    const auto refusal = [](const std::string& text) {
        return text.starts_with('-') ? fmt::format("{} is negative; give 0 or more", text) : std::string();
    };
    return option->check(CLI::Validator(refusal, "", kNotNegative));
}

/// Adds the check after the option's own checks, whose messages say more.
void refuse_negative_last(CLI::Option* option) {
    try {
        option->get_validator(kNotNegative)->active(false).name("");
    } catch (const CLI::OptionNotFound&) {
        return;  // its value may be negative
    }
    refuse_negative(option);
}

bool is_numeral(std::string_view text) {
    double number = 0;
    return read_number(text, number);
}

CLI::App* command_of(CLI::App* command, const std::string& name) {
    const auto found = command->get_subcommands([&](CLI::App* inner) { return inner->get_name() == name; });
    return found.empty() ? nullptr : found.front();
}

/// Turns `--registers 1 0.5` into `--registers 1,0.5` if the option takes such a list; the library cannot know that a
/// positional argument may follow.
std::vector<std::string> with_lists_of_numbers(CLI::App* command, const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (auto word = words.begin(); word != words.end(); ++word) {
        if (*word == "--") {
            result.insert(result.end(), word, words.end());
            break;
        }
        result.push_back(*word);
        if (CLI::App* const inner = command_of(command, *word)) {
            command = inner;
            continue;
        }
        const CLI::Option* const option = word->starts_with('-') ? command->get_option_no_throw(*word) : nullptr;
        if (option == nullptr || option->get_delimiter() == '\0') { continue; }
        const auto first = word + 1;
        if (const auto end = std::find_if_not(first, words.end(), is_numeral); end != first) {
            result.push_back(CLI::detail::join(std::vector(first, end), std::string(1, option->get_delimiter())));
            word = end - 1;
        }
    }
    return result;
}

}  // namespace

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::show_default() {
    option_->capture_default_str();
    return *this;
}

Option& Option::one_value_each() {
    option_->allow_extra_args(false);
    return *this;
}

Option& Option::split_at(char delimiter) {
    option_->delimiter(delimiter);
    return *this;
}

Option& Option::from_environment(const std::string& variable) {
    option_->envname(variable);
    return *this;
}

Option& Option::in_range(int least, int most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option& Option::in_range(unsigned least, unsigned most) {
    option_->get_validator(kNotNegative)->active(false);  // the range's message says more
    option_->check(CLI::Range(least, most));
    return *this;
}

/// The library's own validators print the largest number with all its digits.
Option& Option::finite(bool (*is_right)(double), const std::string& range) {
    const auto refusal = [=](const std::string& text) {
        double number = 0;
        const bool is_number = CLI::detail::lexical_cast(text, number) && std::isfinite(number);
        return is_number && is_right(number) ? std::string()
                                             : fmt::format("has the value {}; give a number {}", text, range);
    };
    option_->check(CLI::Validator(refusal, range));
    return *this;
}

Option& Option::not_negative() {
    return finite([](double number) { return number >= 0; }, "0 or more");
}

Option& Option::positive() {
    return finite([](double number) { return number > 0; }, "above 0");
}

Option& Option::one_of(std::initializer_list<std::string> words) {
    option_->check(CLI::IsMember(std::vector<std::string>(words)));
    return *this;
}

Option& Option::existing_folder() {
    option_->check(CLI::ExistingDirectory);
    return *this;
}

Option& Option::not_empty() {
    return check([](const std::string& text) { return text.empty() ? "the name is empty" : ""; });
}

Option& Option::check(std::function<std::string(const std::string& text)> refusal) {
    option_->check(
        CLI::Validator([refusal = std::move(refusal)](const std::string& text) { return refusal(text); }, ""));
    refuse_negative_last(option_);
    return *this;
}

Option& Option::note(bool& is_given) {
    return check([&is_given](const std::string&) {
        is_given = true;
        return std::string();
    });
}

Option& Option::change(std::function<void(std::string& text)> edit) {
    const auto edited = [edit = std::move(edit)](std::string& text) {
        edit(text);
        return std::string();
    };
    option_->transform(CLI::Validator(edited, ""));
    return *this;
}

Command Command::add_command(const std::string& name, const std::string& help) {
    return Command(command_->add_subcommand(name, help));
}

void Command::require_command() {
    command_->require_subcommand(1);
}

std::string Command::names() const {
    std::string names = command_->get_name();
    for (const CLI::App* outer = command_->get_parent(); outer->get_parent() != nullptr; outer = outer->get_parent()) {
        names = fmt::format("{} {}", outer->get_name(), names);
    }
    return names;
}

void Command::when_given(std::function<void()> action) {
    command_->callback(std::move(action));
}

void Command::prepend_footer(const std::string& text) {
    command_->footer(text + command_->get_footer());
}

template <class T>
Option Command::add_option(const std::string& names, T& value, const std::string& help) {
    using Pair = std::pair<std::uint64_t, std::uint64_t>;
    CLI::Option* const option = command_->add_option(names, value, help);
    if constexpr (std::unsigned_integral<T> || std::same_as<T, std::optional<std::uint64_t>> || std::same_as<T, Pair>) {
        refuse_negative(option);
    }
    if constexpr (std::same_as<T, Pair>) { option->delimiter(','); }
    return Option(option);
}
template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option Command::add_option(const std::string&, std::pair<std::uint64_t, std::uint64_t>&, const std::string&);

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
    return Option(command_->add_flag(names, value, help));
}

Option Command::add_unlisted(const std::string& names, std::string& value) {
    CLI::Option* const option = command_->add_option(names, value);
    option->group(kUnlisted);
    return Option(option);
}

CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& footer,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->footer(footer);
    app_->require_subcommand(1);
    app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

Command CommandLine::program() {
    return Command(app_.get());
}

CommandOutline CommandLine::outline() const {
    return outline_of(*app_);
}

std::optional<std::string> CommandLine::read(const std::vector<std::string>& line) {
    try {
        std::vector<std::string> words = with_lists_of_numbers(app_.get(), {line.begin() + 1, line.end()});
        std::ranges::reverse(words);  // the library takes them in this order
        app_->parse(std::move(words));
    } catch (const CLI::Success& wish) {  // --help, --version
        std::ostringstream text;
        app_->exit(wish, text, text);
        return text.str();
    } catch (const CLI::ParseError& fault) {
        throw ConfigurationError("{}; 'lookahead --help' and 'lookahead COMMAND --help' say more", fault.what());
    }
    return std::nullopt;
}

}  // namespace lookahead::cli
