#include "core/files/shell_command.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace lookahead {

CommandEnd run_shell_command(const std::string& command) {
    CommandEnd end;
    std::FILE* const pipe = ::popen(fmt::format("{{ {}; }} 2>&1", command).c_str(), "re");
    if (pipe == nullptr) { return end; }
    std::array<char, 4096> piece{};
    for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
        end.output.append(piece.data(), size);
    }
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) { end.status = WEXITSTATUS(status); }
    while (end.output.ends_with('\n')) { end.output.pop_back(); }
    return end;
}

std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (const char letter : text) {
        if (letter == '\'') {
            word += "'\\''";
        } else {
            word += letter;
        }
    }
    word += '\'';
    return word;
}

}  // namespace lookahead
