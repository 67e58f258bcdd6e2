#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/support/on_ranks.h"

int main(int argc, char** argv) {
    return lookahead::test::run_on_ranks(argc, argv);
}
