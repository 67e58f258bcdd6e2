#include "core/files/shell_command.h"

#include <doctest/doctest.h>

namespace lookahead {
namespace {

TEST_CASE("a command's output and exit status come back") {
    const CommandEnd end = run_shell_command("echo one; echo two >&2; echo; exit 3");
    CHECK(end.output == "one\ntwo");
    CHECK(end.status == 3);
}

TEST_CASE("a program that is not there ends with 127, a command ended by a signal with -1") {
    CHECK(run_shell_command("no-such-program-anywhere").status == 127);
    CHECK(run_shell_command("kill -9 $$").status == -1);
}

TEST_CASE("any text is one word of a command") {
    for (const std::string text : {"", "two words", "it's", "$HOME `date` \"x\" \\", "*"}) {
        CAPTURE(text);
        CHECK(run_shell_command("printf %s " + shell_word(text)).output == text);
    }
}

}  // namespace
}  // namespace lookahead
