// The main function of the programs of tests/mutation: --rules prints the names of the removable rules, --without=RULE
// runs without one. Under mpirun it runs on all ranks.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/mutation/rule.h"
#include "tests/support/on_ranks.h"

int main(int count, char** arguments) {
    std::unique_ptr<lookahead::mutation::Without> without;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--rules") {
            for (const std::string& rule : lookahead::mutation::rules()) { std::puts(rule.c_str()); }
            return 0;
        }
        if (constexpr std::string_view kWithout = "--without="; argument.starts_with(kWithout)) {
            without = std::make_unique<lookahead::mutation::Without>(argument.substr(kWithout.size()));
        }
    }
    return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr ? lookahead::test::run_on_ranks(count, arguments, true)
                                                          : doctest::Context(count, arguments).run();
}
