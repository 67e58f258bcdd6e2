// `completion`: a script with which a shell completes the program's command line.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "experiments/cli/command_table.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/session.h"

namespace lookahead::cli {

namespace {

/// The values of options and arguments by name, at any place; others are files. The shell asks the program for names
/// that grow with it.
constexpr const char* kFunctions =
    R"BASH(# Completes the line of lookahead in bash: source this file, or put it into bash-completion's folder.

_lookahead_names() { # of a section of `lookahead list`
    "${COMP_WORDS[0]}" list "$1" 2>/dev/null | sed -n 's/^  \([^ ]*\) .*/\1/p'
}

_lookahead_keys() { "${COMP_WORDS[0]}" config schema 2>/dev/null | sed 's/ = .*/=/'; "${COMP_WORDS[0]}" list variants 2>/dev/null | sed -n 's/^\([a-z_0-9.]*\.[a-z_0-9]*\)  .*/\1=/p'; }

_lookahead_variants() { # of a slot
    "${COMP_WORDS[0]}" list variants 2>/dev/null | awk -v slot="$1" '/^[^ ]/ { found = $1 == slot } /^  / && found { print $1 }'
}

_lookahead_value() { # of an option or argument, by its name
    case "$1" in
        --size) echo tiny small medium large ;;
        --sync) _lookahead_variants sync ;;
        --progress) echo bar plain none ;;
        --partition | PARTITIONER) _lookahead_variants partition ;;
        --machine | -m) _lookahead_names machines ;;
        --workload | WORKLOAD | KERNEL) _lookahead_names workloads ;;
        STUDY) _lookahead_names studies ;;
        NAME) _lookahead_names workloads; _lookahead_names machines; _lookahead_names variants; _lookahead_keys | tr -d = ;;
    esac
}
)BASH";

constexpr const char* kBody = R"BASH(
_lookahead() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path= i words=
    local commands options flags arguments keys
    COMPREPLY=()
    _lookahead_command ""
    for ((i = 1; i < COMP_CWORD; ++i)); do
        if [[ " $commands " == *" ${COMP_WORDS[i]} "* ]]; then
            path+=${path:+ }${COMP_WORDS[i]}
            _lookahead_command "$path"
        fi
    done
    # The shell takes '=' as a word of its own.
    if [[ $word == "=" || $previous == "=" ]]; then
        local key=${COMP_WORDS[COMP_CWORD - 1]}
        [[ $previous == "=" ]] && key=${COMP_WORDS[COMP_CWORD - 2]} || word=
        COMPREPLY=($(compgen -W "$(_lookahead_variants "$key")" -- "$word"))
        return
    fi
    if [[ $previous == -* && " $options " == *" $previous "* ]]; then
        case " $keys " in
            *" $previous "*)
                COMPREPLY=($(compgen -W "$(_lookahead_keys)" -- "$word"))
                type compopt &>/dev/null && compopt -o nospace 2>/dev/null
                return
                ;;
        esac
        words=$(_lookahead_choices "$path" "$previous")
        words=${words:-$(_lookahead_value "$previous")}
        [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$word"))
        [[ -n $words && $previous != --machine && $previous != -m ]] || COMPREPLY+=($(compgen -f -- "$word"))
        return
    fi
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options $flags" -- "$word"))
        return
    fi
    words=$commands
    for i in $arguments; do
        words+=" $(_lookahead_choices "$path" "$i") $(_lookahead_value "$i")"
    done
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [[ -z $arguments ]] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _lookahead lookahead
)BASH";

std::string command_case(const std::string& path, const CommandOutline& command) {
    std::vector<std::string> commands, options, flags, arguments, keys;
    for (const CommandOutline& inner : command.commands) { commands.push_back(inner.name); }
    for (const OptionOutline& option : command.options) {
        auto& list = option.is_positional ? arguments : option.value.empty() ? flags : options;
        list.insert(list.end(), option.names.begin(), option.names.end());
        if (std::ranges::find(option.names, "--option") != option.names.end()) { keys = option.names; }
    }
    return fmt::format("        \"{}\") commands=\"{}\" options=\"{}\" flags=\"{}\" arguments=\"{}\" keys=\"{}\" ;;\n",
                       path, fmt::join(commands, " "), fmt::join(options, " "), fmt::join(flags, " "),
                       fmt::join(arguments, " "), fmt::join(keys, " "));
}

// NOLINTNEXTLINE(misc-no-recursion): commands have commands
void add_cases(const std::string& path, const CommandOutline& command, std::string& commands, std::string& choices) {
    commands += command_case(path, command);
    for (const OptionOutline& option : command.options) {
        for (const std::string& name : option.names) {
            if (!option.choices.empty()) {
                choices += fmt::format("        \"{} {}\") echo {} ;;\n", path, name, fmt::join(option.choices, " "));
            }
        }
    }
    for (const CommandOutline& inner : command.commands) {
        add_cases(path.empty() ? inner.name : fmt::format("{} {}", path, inner.name), inner, commands, choices);
    }
}

std::string bash_script(Session& session) {
    std::string commands, choices;
    add_cases("", outline_of_all_commands(session), commands, choices);
    return fmt::format(
        "{}\n_lookahead_command() {{\n    case \"$1\" in\n{}    esac\n}}\n\n_lookahead_choices() {{\n"
        "    case \"$1 $2\" in\n{}    esac\n}}\n{}",
        kFunctions, commands, choices, kBody);
}

}  // namespace

void add_completion_command(Command program, Session& session) {
    Command command =
        program.add_command("completion", "Print a shell script that completes this program's command line.");
    auto shell = std::make_shared<std::string>("bash");
    command.add_option("SHELL", *shell, "source <(lookahead completion bash)").show_default().one_of({"bash"});
    session.on(command, [&session] {
        session.print(bash_script(session));
        return ExitCode::done;
    });
}

}  // namespace lookahead::cli
